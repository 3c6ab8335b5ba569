import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

/// Tests of what the resolver makes of a photo output that several cameras are connected to.
@Suite struct ConstituentResolverTests {
  private static let photos = ["a", "b"].map { SessionConfiguration.Connection(input: $0, output: "photo") }

  private func resolve(
    _ connections: [SessionConfiguration.Connection] = photos, _ change: (inout SessionConfiguration) -> Void = { _ in }
  ) -> (resolved: ResolvedConfiguration, issues: [CaptureError]) {
    var asked = SessionConfiguration()
    asked.inputs = ["a", "b", "c"].enumerated().map { .init(id: $1, deviceID: "fake-\($0)") }
    asked.photo = .init()
    asked.photo?.constituentDelivery = true
    asked.connections = connections
    change(&asked)
    return ConfigurationResolver.resolve(asked, devices: (0..<3).map { .fake(id: "fake-\($0)") })
  }

  @Test("H12: the first connected input is the camera of the output, whatever the order of connections")
  func cameras() throws {
    let connections = ["c", "b"].map { SessionConfiguration.Connection(input: $0, output: "photo") }
    let (resolved, issues) = resolve([
      .init(input: connections[0].input, output: "photo", isMirrored: true), connections[1],
    ])
    #expect(issues.isEmpty)
    let photo = try #require(resolved.outputs.first)
    #expect(photo.camera == 1 && photo.connection == Connection())
    #expect(photo.constituents.map(\.input) == ["b", "c"] && photo.constituents.map(\.camera) == [1, 2])
    #expect(photo.constituents.map(\.connection.orientation.isMirrored) == [false, true])
    #expect(photo.photo?.features.constituents == ["b", "c"])
    #expect((0..<3).map(resolved.isUsed) == [false, true, true])
    #expect((0..<3).map(resolved.heldFrames) == [0, 4, 4])
    #expect(resolved.photoCamera == 1)
    #expect(resolved.supportsConstituentDelivery)
  }

  @Test("H12: a camera whose connections are disabled is not used") func disabled() throws {
    let (resolved, issues) = resolve([Self.photos[0], .init(input: "b", output: "photo", isEnabled: false)])
    #expect(issues.isEmpty)
    #expect((0..<2).map(resolved.isUsed) == [true, false])
  }

  @Test("H12: fewer than two connected cameras are refused", arguments: [[], [Self.photos[1]]])
  func tooFew(_ connections: [SessionConfiguration.Connection]) {
    let issues = resolve(connections).issues
    #expect(issues.map(\.reason) == [.notSupportedInConfiguration])
    #expect(issues.map(\.field) == ["configuration.photo.constituent_photo_delivery_enabled"])
  }

  @Test("H12: a camera that is connected twice is refused") func twice() {
    let issues = resolve(Self.photos + [Self.photos[0]]).issues
    #expect(issues.map(\.reason) == [.invalidArgument])
    #expect(issues.map(\.field) == ["configuration.connections[2].output"])
  }

  @Test("H12: a composition among the cameras is refused") func composition() {
    let size = Size(width: 640, height: 360)
    let issues = resolve(Self.photos + [.init(input: "both", output: "photo")]) {
      var both = SessionConfiguration.Input(id: "both", deviceID: "")
      both.composition = .init(
        size: size, layers: [CompositionLayer(input: "a", rectangle: .init(x: 0, y: 0, size: size))])
      $0.inputs.append(both)
    }.issues
    #expect(issues.map(\.reason) == [.notSupportedInConfiguration])
    #expect(issues.map(\.field) == ["configuration.connections[2].input"])
  }

  @Test("H12: without the flag, an output has one camera") func withoutTheFlag() {
    let issues = resolve { $0.photo?.constituentDelivery = nil }.issues
    #expect(issues.map(\.reason) == [.notSupportedInConfiguration])
    #expect(issues.map(\.field) == ["configuration.connections[1].output"])
  }

  @Test("H12: each camera is turned upright by its own mounting") func mountings() throws {
    var asked = SessionConfiguration()
    asked.inputs = (0..<2).map { .init(id: ["a", "b"][$0], deviceID: "fake-\($0)") }
    asked.photo = .init()
    asked.photo?.constituentDelivery = true
    asked.connections = Self.photos
    var turned = Device.fake(id: "fake-1")
    turned.mountingRotation = .half
    let (resolved, issues) = ConfigurationResolver.resolve(asked, devices: [.fake(), turned])
    #expect(issues.isEmpty)
    let rotations = resolved.outputs[0].constituents.map(\.connection.orientation.rotation)
    #expect(rotations == [.none, .half])
  }

  @Test("H13: no camera gives depth") func depth() {
    let issues = resolve { $0.photo?.depthDelivery = true }.issues
    #expect(issues.map(\.reason) == [.notSupportedInConfiguration])
    #expect(issues.map(\.field) == ["configuration.photo.depth_data_delivery_enabled"])
    let unset = resolve { $0.photo?.depthDelivery = false }.issues
    #expect(unset.isEmpty)
  }

  @Test("H12: a commit that restarts one of the cameras ends the captures") func restart() {
    let former = resolve().resolved
    let next = resolve { $0.inputs[1].frameRate = Rational(15, 1) }.resolved
    let plan = CommitPlan(from: former, to: next, isStreaming: true, prepared: ["photo"])
    #expect(plan.cameras.restarted == [1] && plan.disturbed == ["photo"])
    let other = resolve { $0.inputs[2].frameRate = Rational(15, 1) }.resolved
    #expect(CommitPlan(from: former, to: other, isStreaming: true, prepared: ["photo"]).disturbed.isEmpty)
  }
}
