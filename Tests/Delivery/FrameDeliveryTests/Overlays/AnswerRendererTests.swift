import CaptureCore
import CaptureTestKit
import Imaging
import OverlayDrawing
import Testing

@testable import FrameDelivery

/// A program whose answers take as long to draw as a test wants: the rendering thread first asks whether the preview
/// has readers, and that question waits for the test. The time limit is for a test whose awaited event never comes.
@Suite(.timeLimit(.minutes(2))) struct AnswerRendererTests {
  static let box = ProcessedContent.overlay(Overlay([.box(.init(x: 0, y: 0, width: 1, height: 1))]))

  /// The composer of a preview, with a program.
  final class Rig {
    let stage: PreviewStage
    let composer = PreviewComposer()
    let process: PreviewProcess
    /// Gets an element for each answer that the rendering thread begins.
    let begun = Recorder<Void>()
    /// Gives each answer that has begun an element to go on. Once the mailbox is closed, all answers go on.
    let gate = Mailbox<Void>(depth: 1)
    /// The frames that the preview shows.
    let shown = Recorder<Frame>()

    init() async throws {
      stage = try await PreviewStage()
      process = PreviewProcess(composer)
      try composer.start(hasReaders: { true }, isOver: { _ in false }) { [shown] frame, _ in
        shown.append(frame.frame)
        return true
      }
      try process.start { [begun, gate] in
        begun.append(())
        _ = gate.take()
        return true
      }
      try composer.begin(process, deadline: 3)
    }

    deinit {
      gate.close()
      process.end()
      composer.close(CaptureError(.sessionNotFound, "deleted"))
    }

    /// Gives the composer a frame, which the composer must keep.
    func capture(_ sequence: UInt64) {
      let frame = CapturedFrame(frame: stage.capture(sequence, delivers: false), input: "camera", configRevision: 1)
      #expect(composer.pass(frame) == nil)
    }

    func answer(_ sequence: UInt64, _ content: ProcessedContent? = box) throws {
      try process.answer(streamID: 1, sequence: sequence, content)
    }

    func shownSequences(count: Int) async throws -> [UInt64] { try await shown.wait(count: count).map(\.sequence) }
  }

  /// While the answer to the first frame is drawn, the frames leave when their deadline of three newer frames is over,
  /// without waiting for the drawing.
  @Test func aSlowAnswerDelaysNoOtherFrame() async throws {
    let rig = try await Rig()
    rig.capture(1)
    try rig.answer(1)
    _ = try await rig.begun.wait(count: 1)
    for sequence in UInt64(2)...8 { rig.capture(sequence) }
    #expect(try await rig.shownSequences(count: 5) == [1, 2, 3, 4, 5], "each leaves once three newer frames came")
    rig.gate.close()
    while rig.process.counts.late == 0 { await Task.yield() }
    #expect(rig.process.counts == ProcessingCounts(late: 1, unanswered: 5))
    rig.process.end()
    #expect(try await rig.shownSequences(count: 8) == Array(1...8))
  }

  /// After 30 frames in a row without an answer in time, frames do not wait any more. An answer that is late only
  /// because its drawing takes long does not make frames wait again.
  @Test func framesDoNotWaitForAProgramWhoseAnswersAreAlwaysLate() async throws {
    let rig = try await Rig()
    for sequence in UInt64(1)...40 {
      rig.capture(sequence)
      try rig.answer(sequence)
      if sequence == 1 { _ = try await rig.begun.wait(count: 1) }
      // The test waits, so that the drawing thread keeps up.
      if sequence > 4 { _ = try await rig.shown.wait(count: Int(sequence) - 3) }
    }
    #expect(try await rig.shownSequences(count: 40) == Array(1...40), "frames do not wait any more")
    // The rendering thread begins an answer that could still be in time. When the drawing ends, the answer is late.
    rig.gate.put(())
    _ = try await rig.begun.wait(count: 2)
    for sequence in UInt64(41)...44 {
      rig.capture(sequence)
      _ = try await rig.shown.wait(count: Int(sequence))
    }
    let late = rig.process.counts.late
    rig.gate.put(())
    while rig.process.counts.late == late { await Task.yield() }
    rig.capture(45)
    #expect(try await rig.shownSequences(count: 45) == Array(1...45), "frames still do not wait")
  }

  /// An answer may come before its frame. When the size of its picture is not that of the frame, the frame is shown as
  /// it is.
  @Test func theSizeOfAnAnswerBeforeItsFrameIsCheckedToo() async throws {
    let rig = try await Rig()
    rig.capture(1)
    try rig.answer(1)
    _ = try await rig.begun.wait(count: 1)
    let small = Size(width: 16, height: 16)
    let grey = [UInt8](repeating: 81, count: small.pixelCount)
    try rig.process.answer(streamID: 1, sequence: 2, grey, .grey, small, like: nil)
    rig.capture(2)
    rig.gate.close()
    let shown = try await rig.shown.wait(count: 2)
    #expect(shown.map(\.layout.size) == [Size(width: 64, height: 36), Size(width: 64, height: 36)])
    #expect(rig.process.counts == ProcessingCounts(shown: 1, unanswered: 1))
  }

  /// An answer for which no memory is left takes its turn behind the answer that is being drawn. Otherwise the second
  /// frame would leave first, and the first frame would leave with it, without its answer.
  @Test func anAnswerWithoutMemoryDoesNotOvertakeTheAnswerBefore() async throws {
    let rig = try await Rig()
    for sequence in UInt64(1)...2 { rig.capture(sequence) }
    try rig.answer(1)
    _ = try await rig.begun.wait(count: 1)
    rig.process.reject(streamID: 1, sequence: 2)
    rig.gate.close()
    _ = try await rig.shown.wait(count: 2)
    #expect(rig.process.counts == ProcessingCounts(shown: 1, unanswered: 1))
  }
}
