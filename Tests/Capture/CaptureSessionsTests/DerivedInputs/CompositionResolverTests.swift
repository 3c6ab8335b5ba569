import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

/// Tests of what the resolver makes of compositions.
@Suite struct CompositionResolverTests {
  private static let size = Size(width: 640, height: 360)

  private static func composition(_ id: String? = nil, of inputs: [String] = ["camera"]) -> SessionConfiguration.Input {
    var input = SessionConfiguration.Input(id: id, deviceID: "")
    input.composition = .init(
      size: size, layers: inputs.map { CompositionLayer(input: $0, rectangle: .init(x: 0, y: 0, size: size)) })
    return input
  }

  private func resolve(
    _ inputs: [SessionConfiguration.Input], devices: [Device] = [.fake()], microphones: [Microphone] = [],
    _ change: (inout SessionConfiguration) -> Void = { _ in }
  ) -> (resolved: ResolvedConfiguration, issues: [CaptureError]) {
    var asked = SessionConfiguration()
    asked.inputs = inputs
    asked.preview = .init()
    change(&asked)
    return ConfigurationResolver.resolve(asked, devices: devices, microphones: microphones)
  }

  private let camera = SessionConfiguration.Input(deviceID: "fake-0")

  @Test("L1: a composition of one camera leaves the preset to that camera") func oneCamera() throws {
    let (resolved, issues) = resolve([camera, Self.composition()]) {
      $0.preset = .medium
      $0.connections = [.init(input: "composition", output: "preview")]
    }
    #expect(issues.isEmpty)
    #expect(resolved.preset == .medium)
    #expect(resolved.inputs.map(\.id) == ["camera", "composition"])
    #expect(resolved.outputs[0].camera == 1)
    guard case .composed(let made) = resolved.inputs[1].source else {
      Issue.record("The input is no composition.")
      return
    }
    #expect(made.frameRate == Rational(30, 1))
    #expect(resolved.isUsed(at: 0) && resolved.isUsed(at: 1))
    #expect(resolved.heldFrames(at: 0) == CompositionLayout.maximumHeldFrames)
    #expect(resolved.heldFrames(at: 1) == 0)
  }

  @Test("L1: a composition that no output takes uses none of several cameras", arguments: [1, 2]) func unused(
    cameras: Int
  ) {
    let devices = (0..<cameras).map { Device.fake(id: "fake-\($0)") }
    let (resolved, issues) = resolve(devices.map { .init(deviceID: $0.id) } + [Self.composition()], devices: devices) {
      $0.connections = [.init(input: "composition", output: "preview", isEnabled: false)]
    }
    #expect(issues.isEmpty)
    // The only camera of a session stays open.
    #expect((0...cameras).map(resolved.isUsed) == (cameras == 1 ? [true, false] : [false, false, false]))
    #expect(resolved.heldFrames(at: 0) == 0)
  }

  @Test("L1: a composition opens when its first layer does") func deferred() {
    var late = SessionConfiguration.Input(id: "late", deviceID: "fake-1")
    late.deferredStart = true
    let inputs = [camera, late, Self.composition("a", of: ["late", "camera"]), Self.composition("b", of: ["camera"])]
    let (resolved, issues) = resolve(inputs, devices: [.fake(), .fake(id: "fake-1")]) {
      $0.additionalPreviews = [.init(id: "other")]
      $0.connections = [.init(input: "a", output: "preview"), .init(input: "b", output: "other")]
    }
    #expect(issues.isEmpty)
    #expect((0..<4).map(resolved.isDeferred) == [false, true, true, false])
  }

  @Test("L1: a layer may not show a composition, nor a camera that cannot be read") func layers() {
    let chained = resolve([camera, Self.composition("a"), Self.composition("b", of: ["a"])]).issues
    #expect(chained.map(\.field) == ["configuration.inputs[2].composition.layers[0].input"])
    let depth = Device.fake(formats: [.fake(PixelFormat(fourCC: "Z16 ")!, Self.size)])
    let unreadable = resolve([camera, Self.composition()], devices: [depth]).issues
    #expect(unreadable.map(\.reason) == [.notSupportedInConfiguration])
  }

  @Test("L1: compositions count with the cameras, and stand after them") func places() {
    let many = resolve([camera] + (0..<8).map { Self.composition("c\($0)") }).issues
    #expect(many.map(\.field) == ["configuration.inputs"])
    let early = resolve([Self.composition(), camera]).issues
    #expect(early.map(\.field) == ["configuration.inputs[0].composition"])
    let same = resolve([camera, Self.composition("camera")]).issues
    #expect(same.map(\.field) == ["configuration.inputs[1].id"])
  }

  @Test("L1: a composition has no fields of a camera") func foreignFields() {
    var input = Self.composition()
    input.deviceID = "fake-1"
    input.frameRate = Rational(30, 1)
    input.deferredStart = false
    #expect(
      resolve([camera, input]).issues.map(\.field)
        == ["device", "frame_rate_override", "deferred_start_enabled"].map { "configuration.inputs[1].\($0)" })
  }

  /// A microphone beside a composition is an issue, and does not make a microphone of the input.
  @Test("L1: a composition is no microphone") func noMicrophone() {
    var input = Self.composition()
    input.deviceID = "mic-0"
    let (resolved, issues) = resolve([camera, input], microphones: [.fake(id: "mic-0")])
    #expect(issues.map(\.field) == ["configuration.inputs[1].device"])
    #expect(resolved.microphones.isEmpty && resolved.inputs.map(\.id) == ["camera", "composition"])
  }
}
