import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

/// Tests which pipeline each camera has, and which cameras a commit touches.
@Suite struct CameraSlotsTests {
  private static let request = StreamRequest(
    pixelFormat: .nv12, size: Size(width: 640, height: 360), frameRate: Rational(30, 1))

  private static func input(_ id: String, on device: String) -> ResolvedConfiguration.Input {
    .init(id: id, source: .device(device), request: request)
  }

  /// A configuration with these cameras, each of which has an output of its own.
  private static func configuration(_ inputs: [ResolvedConfiguration.Input]) -> ResolvedConfiguration {
    var configuration = ResolvedConfiguration.empty
    configuration.inputs = inputs
    configuration.outputs = inputs.indices.map {
      var output = ResolvedConfiguration.Output(id: "data-\($0)", deferredStart: false, kind: .videoData(.init()))
      output.camera = $0
      return output
    }
    return configuration
  }

  private static let three = [input("a", on: "1"), input("b", on: "2"), input("c", on: "3")]
  private static let slots = CameraSlots().following(from: [], to: three)

  private func devices(after next: [ResolvedConfiguration.Input]) -> [String?] {
    let slots = Self.slots.following(from: Self.three, to: next)
    return (0..<4).map { slots.place(at: $0).flatMap { next[$0].deviceID } }
  }

  /// A camera keeps its pipeline in another order, under another name, and when others come or go.
  @Test func aCameraKeepsItsPipeline() {
    #expect(devices(after: Self.three) == ["1", "2", "3", nil])
    #expect(devices(after: Self.three.reversed()) == ["1", "2", "3", nil])
    #expect(devices(after: Array(Self.three.dropFirst())) == [nil, "2", "3", nil])
    #expect(devices(after: [Self.input("x", on: "3"), Self.input("a", on: "2")]) == [nil, "2", "3", nil])
    #expect(devices(after: Self.three + [Self.input("d", on: "4")]) == ["1", "2", "3", "4"])
  }

  /// A new camera takes the pipeline of the one with its input id, or else of one that goes.
  @Test func aSwapTakesTheFormerCamerasPipeline() {
    #expect(devices(after: [Self.three[0], Self.input("b", on: "9"), Self.three[2]]) == ["1", "9", "3", nil])
    #expect(devices(after: [Self.input("new", on: "9"), Self.three[0], Self.three[2]]) == ["1", "9", "3", nil])
    #expect(devices(after: [Self.input("c", on: "8"), Self.input("a", on: "9")]) == ["9", nil, "8", nil])
  }

  @Test func thePipelinesAreInTheOrderOfTheCameras() {
    let slots = Self.slots.following(from: Self.three, to: Self.three.reversed())
    #expect(slots.used == [2, 1, 0])
    #expect(slots.slot(of: 0) == 2 && slots.slot(of: 5) == nil)
  }

  private func changes(
    to next: ResolvedConfiguration, open: Set<Int> = [0, 1, 2], parked: Set<Int> = [], waiting: Set<Int> = [],
    isOn: Bool = true
  ) -> [Int: CameraChanges.Change] {
    let former = Self.configuration(Self.three)
    let present = CameraChanges.Present(
      isOn: isOn, open: open, idle: Set(0..<8).subtracting(open).subtracting(waiting), parked: parked)
    let slots = (Self.slots, Self.slots.following(from: former.inputs, to: next.inputs))
    return CameraChanges(from: former, to: next, slots: slots, present).changes
  }

  /// A commit touches only the cameras that it changes.
  @Test func onlyChangedCamerasAreTouched() {
    var next = Self.configuration(Self.three)
    #expect(changes(to: next) == [:])
    next.inputs[1].request.frameRate = Rational(15, 1)
    #expect(changes(to: next) == [1: .restart(.frameRate)])
    next.inputs[1].source = .device("9")
    #expect(changes(to: next) == [1: .restart(.device)])
    #expect(changes(to: Self.configuration([Self.three[2], Self.three[1]])) == [0: .stop])
    #expect(changes(to: Self.configuration(Self.three + [Self.input("d", on: "4")])) == [3: .start])
    #expect(changes(to: Self.configuration(Self.three + [Self.input("d", on: "4")]), open: [], isOn: false) == [:])
  }

  /// A camera none of whose connections is enabled stops, also while it waits to be plugged in again, and starts when
  /// one is enabled. The only camera of a session goes on without any.
  @Test func aCameraWithoutAPurposeStops() {
    var next = Self.configuration(Self.three)
    next.outputs[1].connection = Connection(isEnabled: false)
    #expect(changes(to: next) == [1: .stop])
    #expect(changes(to: next, open: [0, 2], waiting: [1]) == [1: .stop])
    #expect(changes(to: next, open: [0, 2], parked: [1]) == [:])
    next.outputs[1].connection = Connection()
    #expect(changes(to: next, open: [0, 2], parked: [1]) == [1: .start])
    var single = Self.configuration([Self.three[0]])
    single.outputs[0].connection = nil
    #expect(changes(to: single) == [1: .stop, 2: .stop])
  }

  /// A camera that waits opens with its next retry, and one that an error stopped stays closed until it is asked for
  /// something else.
  @Test func aCameraThatDoesNotRunIsLeftAlone() {
    var next = Self.configuration(Self.three)
    next.inputs[1].request.frameRate = Rational(15, 1)
    #expect(changes(to: next, open: [0, 2], waiting: [1]) == [:])
    #expect(changes(to: Self.configuration(Self.three), open: [0, 2]) == [:])
    #expect(changes(to: next, open: [0, 2]) == [1: .start])
  }

  /// A commit does not open a camera that is to open with deferred start, and does not close one that runs.
  @Test func aDeferredCameraWaitsForDeferredStart() {
    var next = Self.configuration(Self.three + [Self.input("d", on: "4")])
    next.inputs[3].deferredStart = true
    next.inputs[0].deferredStart = true
    #expect(changes(to: next) == [:])
    for index in next.inputs.indices { next.inputs[index].deferredStart = true }
    #expect(changes(to: next) == [3: .start], "when every camera asks to be deferred, none is")
  }
}
