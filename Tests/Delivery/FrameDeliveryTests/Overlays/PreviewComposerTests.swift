import CaptureCore
import CaptureTestKit
import Imaging
import OverlayDrawing
import SystemClocks
import Testing

@testable import FrameDelivery

/// What a preview shows while an overlay or a program changes its frames, and how it counts the frames that it does not
/// show. The time limit is for a test whose awaited event never comes.
@Suite(.timeLimit(.minutes(2))) struct PreviewComposerTests {
  static let turned = Connection(orientation: Orientation(rotation: .quarter))

  /// When the connection turns pictures while frames wait for a program, these frames are dropped as late: they belong
  /// to the former orientation.
  @Test func framesThatWaitForAProgramAreNotShownAfterTheConnectionTurned() async throws {
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

  /// A frame that waited while the connection was disabled and enabled again belongs to the time before, and counts as
  /// late.
  @Test func framesThatWaitForAProgramAreNotShownAfterTheConnectionWasDisabled() async throws {
    let stage = try await PreviewStage()
    let reader = try stage.output.attach(PreviewRequest(encoding: .nv12))
    let process = try stage.output.beginProcessing(deadlineFrames: 3)
    stage.capture(1)
    stage.change { $0.connection = Connection(isEnabled: false) }
    stage.change { $0.connection = Connection() }
    stage.capture(2)
    try process.answer(streamID: 1, sequence: 2, nil)
    try await reader.expectPicture(2, dropped: DropCounts(late: 1))
  }

  /// Frames for which no memory is left are counted with the next frame that is shown after them.
  @Test func lostFramesAreCountedWithTheNextShownFrame() async throws {
    let stage = try await PreviewStage()
    let reader = try stage.output.attach(PreviewRequest(encoding: .nv12))
    let process = try stage.output.beginProcessing(deadlineFrames: 3)
    let pool = FramePool(budget: 8 * 4096)
    stage.capture(1, pool: pool)
    // Others hold memory, so the frame that waits leaves early and gives its memory back. The memory does not suffice
    // for the next two frames all the same.
    let others = (0..<5).map { _ in FrameLoan(pool.take(4096)!.freeze(count: 1)) }
    for sequence in UInt64(2)...3 { stage.capture(sequence, pool: pool) }
    let first = try await reader.nextPicture()
    #expect(first.sequence == 1 && first.dropped == DropCounts(), "the losses came after this frame")
    process.end()
    stage.capture(4)
    try await reader.expectPicture(4, dropped: DropCounts(outOfBuffers: 2))
    withExtendedLifetime(others) {}
  }

  /// A picture that cannot be decoded counts as no answer, so the camera's own frame is shown.
  @Test func aDamagedPictureCountsAsNoAnswer() async throws {
    let stage = try await PreviewStage()
    let reader = try stage.output.attach(PreviewRequest(encoding: .nv12))
    let process = try stage.output.beginProcessing(deadlineFrames: 3)
    stage.capture(1)
    try process.answer(streamID: 1, sequence: 1, [0xff], .jpeg, Size(width: 64, height: 36), like: nil)
    #expect(try await reader.nextPicture().sequence == 1)
    #expect(process.counts == ProcessingCounts(unanswered: 1))
  }

  /// Where memory is short, frames leave before their deadline, so that a program that never answers costs no frame.
  /// The pool may lend eight frames, as one for 4K.
  @Test func aStuckProgramCostsNoFrameWhereMemoryIsShort() {
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

  /// Drawing takes milliseconds. When the stream of a frame ends meanwhile, the frame is not shown and counts as a
  /// discontinuity.
  @Test func aFrameWhoseStreamEndedDuringTheDrawingIsNotShown() async throws {
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

  /// Other overlays may need the memory of an overlay's pictures, so the composer releases them as soon as another
  /// overlay takes the place of theirs.
  @Test(arguments: [Overlay(), Overlay([.text(.init("drawn", x: 0, y: 0))])])
  func picturesOfAnOverlayAreReleasedWithIt(next: Overlay) async throws {
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
    // The drawing thread releases the picture without another frame.
    while kept != nil { await Task.yield() }
  }

  /// When no memory is left to copy an answer's picture, the answer counts as none, and the program goes on.
  @Test func anAnswerWithoutMemoryCountsAsNoAnswer() async throws {
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
