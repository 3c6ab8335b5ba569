import CaptureCore
import CaptureTestKit
import Imaging
import OverlayDrawing
import SystemClocks
import Testing

@testable import FrameDelivery

/// What a preview shows while something is made of its frames, and what it tells of those it did not show.
/// The limit only ends a broken test: what it waits for would never come.
@Suite(.timeLimit(.minutes(2))) struct PreviewComposerTests {
  static let turned = Connection(orientation: Orientation(rotation: .quarter))

  @Test func framesThatWaitForAProgramAreNotShownInAnotherTurn() async throws {
    let stage = try await PreviewStage()
    let reader = try stage.output.attach(PreviewRequest(encoding: .nv12))
    let process = try stage.output.beginProcessing(deadlineFrames: 3)
    stage.capture(1)
    stage.capture(2)
    stage.change { $0.connection = Self.turned }
    stage.capture(3)
    try process.answer(streamID: 1, sequence: 3, nil)
    let picture = try await reader.nextPicture()
    #expect(picture.sequence == 3 && picture.dropped == DropCounts(late: 2))
    #expect(picture.picture.layout.size == Size(width: 36, height: 64))
  }

  @Test func framesThatWaitForAProgramAreNotShownAfterTheConnectionWasDisabled() async throws {
    let stage = try await PreviewStage()
    let reader = try stage.output.attach(PreviewRequest(encoding: .nv12))
    let process = try stage.output.beginProcessing(deadlineFrames: 3)
    stage.capture(1)
    stage.change { $0.connection = Connection(isEnabled: false) }
    stage.change { $0.connection = Connection() }
    stage.capture(2)
    try process.answer(streamID: 1, sequence: 2, nil)
    let picture = try await reader.nextPicture()
    #expect(picture.sequence == 2 && picture.dropped == DropCounts(late: 1))
  }

  @Test func whatIsLostIsToldWithTheVeryNextFrame() async throws {
    let stage = try await PreviewStage()
    let reader = try stage.output.attach(PreviewRequest(encoding: .nv12))
    let process = try stage.output.beginProcessing(deadlineFrames: 3)
    let pool = FramePool(budget: 8 * 4096)
    stage.capture(1, pool: pool)
    // What others take, the one that waits gives back; and it is not enough.
    let others = (0..<5).map { _ in FrameLoan(pool.take(4096)!.freeze(count: 1)) }
    for sequence in UInt64(2)...3 { stage.capture(sequence, pool: pool) }
    let first = try await reader.nextPicture()
    #expect(first.sequence == 1 && first.dropped == DropCounts(), "what was lost came after it")
    process.end()
    stage.capture(4)
    let next = try await reader.nextPicture()
    #expect(next.sequence == 4 && next.dropped == DropCounts(outOfBuffers: 2))
    withExtendedLifetime(others) {}
  }

  @Test func aDamagedPictureIsAsIfUnanswered() async throws {
    let stage = try await PreviewStage()
    let reader = try stage.output.attach(PreviewRequest(encoding: .nv12))
    let process = try stage.output.beginProcessing(deadlineFrames: 3)
    stage.capture(1)
    try process.answer(streamID: 1, sequence: 1, [0xff], .jpeg, Size(width: 64, height: 36), like: nil)
    #expect(try await reader.nextPicture().sequence == 1)
    #expect(process.counts == ProcessingCounts(unanswered: 1))
  }

  /// As of 4K: eight frames may be lent.
  @Test func aStuckProgramCostsNoFrameHoweverFewMayWait() {
    var state = ComposerState()
    _ = state.begin(PreviewProcess(PreviewComposer()), deadline: 8)
    let pool = FramePool(budget: 8 * 4096)
    var shown: [UInt64] = []
    for sequence in UInt64(1)...60 {
      let frame = Frame.fake(sequence: sequence, streamID: 1, at: .epoch + sequence, filledWith: 1, pool: pool)!
      shown += state.enter(CapturedFrame(frame: frame, input: "camera", configRevision: 1)).map(\.frame.frame.sequence)
    }
    #expect(shown == Array(1...60))
    #expect(state.takeLost() == DropCounts() && pool.usage.refused == 0)
  }

  @Test func whatWasDrawnWhenItsStreamEndedIsNotShown() async throws {
    let stage = try await PreviewStage()
    let composer = PreviewComposer()
    let (asked, shown) = (Recorder<Void>(), Recorder<UInt64>())
    try composer.start(
      hasReaders: { true },
      isOver: { _ in
        asked.append(())
        return asked.count > 1
      },
      show: { frame, _ in
        shown.append(frame.frame.sequence)
        return true
      })
    composer.setOverlay(Overlay([.text(.init("drawn", x: 0, y: 0))]))
    func captured(_ sequence: UInt64) -> CapturedFrame {
      CapturedFrame(frame: stage.capture(sequence, delivers: false), input: "camera", configRevision: 1)
    }
    #expect(composer.pass(captured(1)) == nil)
    composer.setOverlay(Overlay())
    while composer.shown.isActive { await Task.yield() }
    #expect(shown.count == 0)
    #expect(composer.pass(captured(2))?.frame.missing == DropCounts(discontinuity: 1))
    composer.close(CaptureError(.sessionNotFound, "deleted"))
  }

  @Test(arguments: [Overlay(), Overlay([.text(.init("drawn", x: 0, y: 0))])])
  func picturesOfAnOverlayAreLetGoOfWithIt(next: Overlay) async throws {
    let stage = try await PreviewStage()
    let reader = try stage.output.attach(PreviewRequest(encoding: .nv12))
    weak var kept: OverlayPicture?
    do {
      let picture = try OverlayPicture(rgba: [UInt8](repeating: 255, count: 64), Size(width: 4, height: 4))
      kept = picture
      try stage.output.setOverlay(Overlay([.image(.init(picture, x: 0, y: 0))]))
    }
    stage.capture(1)
    #expect(try await reader.nextPicture().sequence == 1)
    #expect(kept != nil)
    try stage.output.setOverlay(next)
    // By the thread that draws, without another frame.
    while kept != nil { await Task.yield() }
  }

  @Test func anAnswerThatNoMemoryIsLeftForEndsNothing() async throws {
    let stage = try await PreviewStage()
    let reader = try stage.output.attach(PreviewRequest(encoding: .nv12))
    let process = try stage.output.beginProcessing(deadlineFrames: 3)
    let (large, size) = ([UInt8](repeating: 0, count: 32 << 20), Size(width: 64, height: 36))
    let held = try [process.picture(large, .jpeg, size, like: nil), process.picture(large, .jpeg, size, like: nil)]
    stage.capture(1)
    try process.answer(streamID: 1, sequence: 1, [0xff], .jpeg, size, like: nil)
    #expect(try await reader.nextPicture().sequence == 1)
    #expect(process.counts == ProcessingCounts(unanswered: 1))
    withExtendedLifetime(held) {}
  }
}
