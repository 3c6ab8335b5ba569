import CaptureCore
import CaptureTestKit
import Testing

@testable import PhotoCapture

/// The limit only ends a broken test: what it waits for would never come.
@Suite(.timeLimit(.minutes(2))) struct PhotoDeferredStartTests {
  @Test("C10: with responsive capture") func aCaptureRunsDeferredStartAndKeepsItsFrame() async throws {
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

  @Test("C10: without responsive capture") func aCaptureBeginsWhenTheOutputIsReady() async throws {
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
    #expect(try await named.photo().frame.sequence == 1, "a frame named is that frame")
  }

  @Test func preparedOutputsDoNotAskForIt() async throws {
    let stage = try await PhotoStage()
    stage.capture(1)
    _ = try await stage.output.capture(PhotoStage.request(arrival: 1)).photo()
    #expect(stage.context.deferredStarts.count == 0)
  }

  @Test func itsFailureFailsTheCapture() async throws {
    let stage = try await PhotoStage(prepared: false)
    stage.context.onDeferredStart { () throws(CaptureError) in throw CaptureError(.deviceFailed, "on purpose") }
    stage.capture(1)
    let capture = try stage.output.capture(PhotoStage.request("a", arrival: 1))
    #expect(await capture.all().map(\.name) == ["willBegin", "no photo: deviceFailed", "end: deviceFailed"])
    // And the next capture tries again.
    stage.context.onDeferredStart { [output = stage.output] () throws(CaptureError) in try await output.prepare() }
    _ = try await stage.output.capture(PhotoStage.request("b", arrival: 1)).photo()
    #expect(stage.context.deferredStarts.count == 2)
  }

  @Test func deferredStartThatPreparesNothingFailsTheCapture() async throws {
    let stage = try await PhotoStage(prepared: false)
    stage.capture(1)
    let capture = try stage.output.capture(PhotoStage.request(arrival: 1))
    #expect(await capture.all().last?.name == "end: processingFailed")
  }
}
