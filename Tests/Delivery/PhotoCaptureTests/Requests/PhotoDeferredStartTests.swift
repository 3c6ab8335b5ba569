import CaptureCore
import CaptureTestKit
import Testing

@testable import PhotoCapture

/// Captures on an output that deferred start has not prepared yet. The time limit is for a test whose awaited event
/// never comes.
@Suite(.timeLimit(.minutes(2))) struct PhotoDeferredStartTests {
  @Test("C10: with responsive capture, a capture runs deferred start and keeps its frame")
  func aCaptureRunsDeferredStartAndKeepsItsFrame() async throws {
    let stage = try await PhotoStage(responsive: true, prepared: false)
    let gate = Gate(open: false)
    stage.context.onDeferredStart { [output = stage.output] () throws(CaptureError) in
      await gate.pass()
      try await output.prepare()
    }
    for sequence in UInt64(1)...3 { stage.capture(sequence) }
    let first = try stage.output.capture(PhotoStage.request(arrival: 3.2))
    let second = try stage.output.capture(PhotoStage.request("", .sequence(1, streamID: 1), arrival: 3.2))
    try await gate.arrivals.wait(count: 1)
    #expect(stage.output.readiness == .notReadyMomentarily)
    for sequence in UInt64(4)...6 { stage.capture(sequence) }
    #expect(stage.encoder.begun.count == 0)
    gate.open()
    #expect(try await first.photo().frame.sequence == 3)
    #expect(try await second.photo().frame.sequence == 1)
    #expect(stage.context.deferredStarts.count == 1)
    #expect(stage.output.readiness == .ready)
  }

  @Test("C10: without responsive capture, now is when the output is prepared, and a named frame is kept")
  func aCaptureBeginsWhenTheOutputIsReady() async throws {
    let stage = try await PhotoStage(prepared: false)
    let gate = Gate(open: false)
    stage.context.onDeferredStart { [output = stage.output] () throws(CaptureError) in
      await gate.pass()
      try await output.prepare()
    }
    for sequence in UInt64(1)...3 { stage.capture(sequence) }
    let now = try stage.output.capture(PhotoStage.request(arrival: 3.2))
    let named = try stage.output.capture(PhotoStage.request("", .sequence(1, streamID: 1), arrival: 3.2))
    try await gate.arrivals.wait(count: 1)
    for sequence in UInt64(4)...6 { stage.capture(sequence) }
    gate.open()
    let photo = try await now.photo()
    #expect(photo.frame.sequence == 6 && !photo.selection.zeroShutterLagUsed)
    #expect(try await named.photo().frame.sequence == 1, "a capture keeps the frame that it names")
  }

  @Test func preparedOutputsDoNotRunDeferredStart() async throws {
    let stage = try await PhotoStage()
    stage.capture(1)
    _ = try await stage.output.capture(PhotoStage.request(arrival: 1)).photo()
    #expect(stage.context.deferredStarts.count == 0)
  }

  /// When deferred start fails, the capture that ran it fails with its error, and the next capture runs it again.
  @Test func aFailedDeferredStartFailsTheCapture() async throws {
    let stage = try await PhotoStage(prepared: false)
    stage.context.onDeferredStart { () throws(CaptureError) in throw CaptureError(.deviceFailed, "on purpose") }
    stage.capture(1)
    let capture = try stage.output.capture(PhotoStage.request("a", arrival: 1))
    #expect(await capture.all().map(\.name) == ["willBegin", "no photo: deviceFailed", "end: deviceFailed"])
    stage.context.onDeferredStart { [output = stage.output] () throws(CaptureError) in try await output.prepare() }
    _ = try await stage.output.capture(PhotoStage.request("b", arrival: 1)).photo()
    #expect(stage.context.deferredStarts.count == 2)
  }

  /// A capture does not wait forever when deferred start succeeds without preparing the output.
  @Test func deferredStartThatPreparesNothingFailsTheCapture() async throws {
    let stage = try await PhotoStage(prepared: false)
    stage.capture(1)
    let capture = try stage.output.capture(PhotoStage.request(arrival: 1))
    #expect(await capture.all().last?.name == "end: processingFailed")
  }
}
