import CaptureCore
import CaptureTestKit
import Locking
import SystemClocks
import Testing

@testable import PhotoCapture

/// Captures of several cameras: their events, photos and ends. Frame n is captured at n periods. The time limit is for
/// a test whose awaited event never comes.
@Suite(.timeLimit(.minutes(2))) struct ConstituentCaptureTests {
  private static let turned = Orientation(rotation: .quarter)

  /// An output with the cameras `left` and `right`, of which the second one is turned.
  private static func stage(responsive: Bool = false, gated: Bool = false) async throws -> PhotoStage {
    let stage = try await PhotoStage(responsive: responsive, gated: gated)
    stage.change { conditions in
      conditions.photoFeatures.constituents = ["left", "right"]
      conditions.constituents = [
        ConstituentCamera(input: "left"),
        ConstituentCamera(input: "right", connection: Connection(orientation: turned)),
      ]
      for index in 0..<2 {
        conditions.constituents[index].status = SessionStatus(.running)
        conditions.constituents[index].frameRate = Rational(25, 1)
      }
    }
    return stage
  }

  private static func request(_ inputs: [String] = ["left", "right"], arrival: Double = 1) -> PhotoRequest {
    var request = PhotoStage.request("c", arrival: arrival, quality: .quality)
    request.constituents = inputs
    return request
  }

  /// Brings the frame of a camera with this number, as a capture thread does.
  private static func bring(
    _ input: String, _ sequence: UInt64, later: UInt64 = 0, pool: FramePool? = nil, to stage: PhotoStage
  ) {
    stage.context.bring(
      .fake(
        sequence: sequence, at: .epoch + sequence * PhotoStage.period + later,
        filledWith: UInt8(sequence) + (input == "right" ? 100 : 0), pool: pool)!, of: input)
  }

  /// Waits until the output has said so many times which cameras it taps. It says so under a lock, under which nobody
  /// may wake a task, so the test looks again and again.
  private func tapping(_ count: Int, on stage: PhotoStage) async {
    while stage.context.tapped.count < count { await Task.yield() }
  }

  @Test("H12: each camera has its photo, turned as its connection says, and one event ends the capture")
  func photos() async throws {
    let stage = try await Self.stage()
    stage.capture(1)
    #expect(stage.context.tapped.count == 0, "no camera is tapped without need")
    let capture = try stage.output.capture(Self.request(["right", "left"]))
    #expect(stage.context.tapped.all == [["left", "right"]])
    #expect(stage.output.readiness == .notReadyWaitingForCapture)
    Self.bring("left", 2, to: stage)
    Self.bring("right", 2, later: 7, to: stage)
    #expect(stage.context.tapped.all == [["left", "right"], []])
    var photos: [Photo] = []
    var names: [String] = []
    var inputs: [String] = []
    for await event in capture.events {
      names.append(event.kind.name)
      #expect((event.resolved.photoCount, event.resolved.quality) == (2, .speed))
      #expect(!event.resolved.zeroShutterLagUsed && event.resolved.size == nil)
      if case .didCapturePhoto(_, _, let input) = event.kind { inputs.append(input) }
      if case .didFinishProcessingPhoto(.success(let photo)) = event.kind { photos.append(photo) }
    }
    #expect(names == ["willBegin", "willCapture", "didCapture", "didCapture", "photo", "photo", "end"])
    #expect(inputs == ["right", "left"] && photos.map(\.frame.input) == inputs)
    #expect(photos.map(\.bracketIndex) == [0, 1])
    #expect(photos.map(\.selection.shutterLagNanoseconds) == [Int64(PhotoStage.period) + 7, Int64(PhotoStage.period)])
    #expect(photos.allSatisfy { $0.selection.match == .exact && !$0.selection.zeroShutterLagUsed })
    #expect(stage.encoder.orientations.all == [Self.turned, .asCaptured])
    #expect(try stage.store.photo("c", index: 1).frame.input == "left")
  }

  @Test("H12: an ordinary photo still comes from the ring") func ordinaryPhoto() async throws {
    let stage = try await Self.stage()
    stage.capture(1)
    let photo = try await stage.output.capture(PhotoStage.request(arrival: 1.25)).photo()
    #expect(photo.selection.zeroShutterLagUsed && photo.bracketIndex == nil)
    #expect(stage.context.tapped.count == 0)
  }

  @Test("H12: when a frame turns out to be damaged, both are taken again") func damagedFrame() async throws {
    let stage = try await Self.stage()
    stage.encoder.damage(102)
    let capture = try stage.output.capture(Self.request())
    for input in ["left", "right"] { Self.bring(input, 2, to: stage) }
    await tapping(3, on: stage)
    for input in ["left", "right"] { Self.bring(input, 2, to: stage) }
    for input in ["left", "right"] { Self.bring(input, 3, to: stage) }
    var photos: [Photo] = []
    var names: [String] = []
    for await event in capture.events {
      names.append(event.kind.name)
      if case .didFinishProcessingPhoto(.success(let photo)) = event.kind { photos.append(photo) }
    }
    #expect(names == ["willBegin", "willCapture", "didCapture", "didCapture", "photo", "photo", "end"])
    #expect(photos.map(\.frame.sequence) == [3, 3] && photos.allSatisfy { $0.selection.match == .damaged })
  }

  @Test("H12: the camera that brings no frame is named") func silentCamera() async throws {
    let stage = try await Self.stage()
    let capture = try stage.output.capture(Self.request())
    Self.bring("left", 2, to: stage)
    _ = try await stage.timer.sleeps.wait(count: 1)
    stage.pass(seconds: 5)
    let error = try await #require(throws: CaptureError.self) { _ = try await capture.photo() }
    #expect(error.reason == .operationInterrupted && error.metadata["input"] == "right")
    // The output leaves the cameras after it has told the end.
    await tapping(2, on: stage)
    #expect(stage.context.tapped.all.last == [])
    #expect(stage.output.readiness == .ready)
  }

  @Test("H12: the camera that no memory is left for is named") func noMemory() async throws {
    let stage = try await Self.stage()
    let capture = try stage.output.capture(Self.request())
    Self.bring("left", 2, to: stage)
    Self.bring("right", 2, pool: FramePool(budget: 8192), to: stage)
    _ = try await stage.timer.sleeps.wait(count: 1)
    stage.pass(seconds: 5)
    let error = try await #require(throws: CaptureError.self) { _ = try await capture.photo() }
    #expect(error.reason == .outOfBuffers && error.metadata["input"] == "right")
    #expect(stage.output.readiness == .ready)
  }

  @Test("H12: a capture waits as long as its slowest camera needs") func slowCamera() async throws {
    let stage = try await Self.stage()
    stage.change { $0.constituents[1].frameRate = Rational(1, 10) }
    let capture = try stage.output.capture(Self.request())
    let deadline = try #require(try await stage.timer.sleeps.wait(count: 1).last)
    #expect(deadline.offset >= .seconds(400), "40 frames")
    for input in ["left", "right"] { Self.bring(input, 99, to: stage) }
    #expect(try await capture.photo().frame.sequence == 99)
  }

  /// What happens to the second camera.
  enum Loss: CaseIterable { case interruption, stop, disabling, removal }

  @Test("H12: a capture ends at once when one of its cameras does", arguments: Loss.allCases)
  func loss(_ loss: Loss) async throws {
    let stage = try await Self.stage()
    let capture = try stage.output.capture(Self.request())
    Self.bring("left", 2, to: stage)
    stage.change { conditions in
      switch loss {
      case .interruption:
        conditions.constituents[1].status = SessionStatus(.interrupted, interruption: .deviceDisconnected)
      case .stop: conditions.constituents[1].status = SessionStatus(.stopped)
      case .disabling: conditions.constituents[1].connection.isEnabled = false
      case .removal: conditions.constituents.removeLast()
      }
    }
    let error = try await #require(throws: CaptureError.self) { _ = try await capture.photo() }
    #expect(error.reason == .operationInterrupted)
    // The output leaves the cameras after it has told the end.
    await tapping(2, on: stage)
    #expect(stage.context.tapped.all.last == [])
    let ordinary = Self.request([])
    #expect(throws: CaptureError.self, "the id was used") { try stage.output.capture(ordinary) }
    stage.capture(3)
    #expect(try await stage.output.capture(PhotoStage.request(arrival: 3.25)).photo().frame.sequence == 3)
  }

  @Test("H12: a session that stops ends the capture once") func stop() async throws {
    let stage = try await Self.stage()
    let capture = try stage.output.capture(Self.request())
    stage.change { conditions in
      conditions.status = SessionStatus(.stopped)
      for index in 0..<2 { conditions.constituents[index].status = SessionStatus(.stopped) }
    }
    #expect(
      await capture.all().map(\.name) == [
        "willBegin", "no photo: operationInterrupted", "no photo: operationInterrupted", "end: operationInterrupted",
      ])
  }

  @Test("H12: a capture waits for its turn, and then taps its cameras") func turn() async throws {
    let stage = try await Self.stage(responsive: true, gated: true)
    stage.capture(1)
    let first = try stage.output.capture(PhotoStage.request(arrival: 1.25))
    let second = try stage.output.capture(Self.request(arrival: 1.5))
    #expect(stage.context.tapped.count == 0)
    stage.encoder.pass()
    _ = try await first.photo()
    await tapping(1, on: stage)
    for input in ["left", "right"] { Self.bring(input, 2, to: stage) }
    for _ in 0..<2 { stage.encoder.pass() }
    #expect(try await second.photo().frame.input == "right")
  }

  @Test("H12: settings that do not go with several cameras are refused") func refusals() async throws {
    let stage = try await Self.stage()
    stage.change { $0.photoFeatures.shots = PhotoStage.shotCapabilities }
    func refused(_ change: (inout PhotoRequest) -> Void) -> CaptureError? {
      var request = Self.request()
      change(&request)
      do throws(CaptureError) { _ = try stage.output.capture(request) } catch { return error }
      return nil
    }
    for inputs in [["left"], ["left", "left"], ["left", "other"], ["left", "right", "right"]] {
      let error = refused { $0.constituents = inputs }
      #expect(error?.reason == .unsupportedValue && error?.metadata["available"] == "left, right")
    }
    let contradictions: [(inout PhotoRequest) -> Void] = [
      { $0.exposure.bracket = [.bias(0), .bias(1)] }, { $0.exposure.flashMode = .on },
      { $0.exposure.flashMode = .auto }, { $0.exposure.manualExposure = ManualExposure(nanoseconds: 500_000) },
      { $0.moment = .sequence(1, streamID: 1) },
    ]
    for change in contradictions {
      let error = refused(change)
      #expect(error?.reason == .invalidArgument && error?.field == "settings.constituent_inputs")
    }
    var automatic = Self.request()
    automatic.exposure.flashMode = .auto
    #expect(try await stage.output.decidingFlash(automatic) == automatic, "it is refused and not decided")
    stage.change { $0.constituents[1].status = SessionStatus(.interrupted, interruption: .deviceStalled) }
    #expect(refused { _ in }?.reason == .sessionNotRunning)
    stage.change { $0.constituents[1].connection.isEnabled = false }
    #expect(refused { _ in }?.reason == .notSupportedInConfiguration)
    stage.change { $0.photoFeatures.constituents = [] }
    #expect(refused { _ in }?.reason == .notSupportedInConfiguration)
  }
}
