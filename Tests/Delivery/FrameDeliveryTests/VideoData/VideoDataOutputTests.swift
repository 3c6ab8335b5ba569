import CaptureCore
import CaptureTestKit
import Imaging
import SystemClocks
import Testing

@testable import FrameDelivery

/// A video data output whose session and converter the test plays.
private final class Stage: Sendable {
  let context = FakeOutputContext()
  let directory = ReaderDirectory()
  let encoder: FakeEncoder
  let output: VideoDataOutput
  private let steering: OutputSteering

  init(_ settings: VideoDataSettings = VideoDataSettings(), encoder: FakeEncoder = FakeEncoder()) async throws {
    self.encoder = encoder
    output = VideoDataOutput(
      id: "data", settings: settings, context: context, directory: directory, makeEncoder: encoder.make)
    steering = OutputSteering(output)
    change { $0.status = SessionStatus(.running) }
    try await output.prepare()
  }

  /// Changes the conditions that the session holds for the output.
  func change(_ change: (inout OutputConditions) -> Void) { steering.change(change) }

  /// Captures frame `sequence`, whose first byte is `sequence` too. The ring then keeps only that frame.
  @discardableResult
  func capture(
    _ sequence: UInt64, streamID: UInt64 = 1, layout: FrameLayout = .packed(.nv12, Size(width: 64, height: 36))!,
    missing: DropCounts = DropCounts(), pool: FramePool? = nil
  ) -> Frame {
    let frame = Frame.fake(
      sequence: sequence, streamID: streamID, at: .epoch + sequence * 1_000_000, layout: layout,
      filledWith: UInt8(truncatingIfNeeded: sequence), missing: missing, pool: pool)!
    output.receive(context.keep(frame))
    context.dropFrames(keeping: 1)
    return frame
  }

  func attach(_ request: VideoDataRequest = VideoDataRequest(), layout: FrameLayout? = nil) throws -> VideoDataReader {
    change { $0.expectedLayout = layout }
    return try output.attach(request)
  }
}

extension VideoDataReader {
  /// The next frame; statuses before it are skipped.
  fileprivate func nextFrame() async throws -> (frame: Frame, dropped: DropCounts) {
    while true {
      if case .frame(let captured, let dropped, _) = try await next() { return (captured.frame, dropped) }
    }
  }

  /// Expects the next frame to be frame `sequence`, and to tell that `expected` were lost before it.
  fileprivate func expectFrame(
    _ sequence: UInt64, dropped expected: DropCounts = DropCounts(), sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let (frame, dropped) = try await nextFrame()
    #expect(frame.sequence == sequence && dropped == expected, sourceLocation: sourceLocation)
  }

  fileprivate func nextStatus() async throws -> VideoDataStatus {
    guard case .status(let status) = try await next() else { throw Unexpected() }
    return status
  }
}

/// A video data output: which frames its readers get, and how it counts the others.
@Suite(.timeLimit(.minutes(2))) struct VideoDataOutputTests {
  /// Without a conversion, readers get the frame of the camera itself, and no encoder runs.
  @Test func theCamerasOwnFramesAreNotCopied() async throws {
    let stage = try await Stage()
    let reader = try stage.attach()
    #expect(try await reader.nextStatus().pixelFormat == nil)
    let frame = stage.capture(1)
    let status = try await reader.nextStatus()
    #expect(status.pixelFormat == .nv12 && status.size == Size(width: 64, height: 36))
    #expect(try await reader.nextFrame().frame === frame)
    #expect(stage.encoder.begun.count == 0)
    #expect(stage.context.sent.all.map(\.output) == ["data"])
  }

  /// Frames are converted once for all readers, and only while there are readers.
  @Test func readersShareOneConversionThatEndsWithTheLastReader() async throws {
    let stage = try await Stage(VideoDataSettings(pixelFormat: .grey))
    stage.capture(1)
    #expect(stage.encoder.begun.count == 0, "there are no readers")
    let (a, b) = (try stage.attach(), try stage.attach())
    stage.capture(2)
    for reader in [a, b] {
      let (frame, _) = try await reader.nextFrame()
      #expect(frame.sequence == 2 && frame.layout.pixelFormat == .grey)
    }
    #expect(stage.encoder.begun.count == 1)
    a.detach()
    #expect(stage.encoder.ended.count == 0)
    b.detach()
    try await stage.encoder.ended.wait(count: 1)
    #expect(stage.output.readerCount == 0)
  }

  /// A connection that turns frames keeps their pixel format. Without the turn, readers get the camera's own frames
  /// again.
  @Test func aTurnedFrameKeepsItsFormat() async throws {
    let stage = try await Stage()
    let reader = try stage.attach()
    let orientation = Orientation(rotation: .quarter)
    stage.change { $0.connection = Connection(orientation: orientation) }
    stage.capture(1)
    #expect(try await reader.nextFrame().frame.layout.size == Size(width: 36, height: 64))
    let key = EncodingKey(format: .nv12, quality: 0, size: Size(width: 36, height: 64), orientation: orientation)
    #expect(stage.encoder.begun.all.map(\.key) == [key])
    stage.change { $0.connection = Connection() }
    let frame = stage.capture(2)
    #expect(try await reader.nextFrame().frame === frame)
    try await stage.encoder.ended.wait(count: 1)
  }

  /// Without a queue, the newest frame replaces the waiting one. A queue of three keeps the first three frames. In both
  /// cases, the other frames count as late.
  @Test func theNewestWinsOrAQueueKeepsTheOldest() async throws {
    for (depth, given) in [(nil, [5]), (3, [1, 2, 3])] as [(Int?, [UInt64])] {
      let stage = try await Stage(VideoDataSettings(queueDepth: depth))
      let reader = try stage.attach()
      for sequence in UInt64(1)...5 { stage.capture(sequence) }
      var dropped = DropCounts()
      for sequence in given {
        let (frame, missed) = try await reader.nextFrame()
        #expect(frame.sequence == sequence)
        dropped += missed
      }
      stage.capture(6)
      dropped += try await reader.nextFrame().dropped
      #expect(UInt64(given.count) + 1 + dropped.total == 6 && dropped.late == dropped.total)
    }
  }

  /// A frame that finds no room before the converter counts like a frame that finds no room in a reader's slot.
  @Test func aSlowConversionDropsNewFrames() async throws {
    let stage = try await Stage(
      VideoDataSettings(pixelFormat: .grey, queueDepth: 2), encoder: FakeEncoder(gated: true))
    let reader = try stage.attach()
    stage.capture(1)
    try await stage.encoder.begun.wait(count: 1)
    for sequence in UInt64(2)...5 { stage.capture(sequence) }
    for sequence in UInt64(1)...3 {
      // The test lets one frame pass after the other, because the reader's queue is no deeper than the converter's.
      stage.encoder.pass()
      try await reader.expectFrame(sequence)
    }
    stage.encoder.pass()
    stage.capture(6, missing: DropCounts(discontinuity: 2))
    #expect(try await reader.nextFrame().dropped == DropCounts(late: 2, discontinuity: 2))
  }

  /// However deep the queue of a reader is, the camera keeps enough memory, and its frames are not refused.
  @Test func aQueueLeavesTheCameraItsMemory() async throws {
    let stage = try await Stage(VideoDataSettings(queueDepth: 64))
    let reader = try stage.attach()
    let pool = FramePool(budget: 8 * 4096, kept: 4096)
    for sequence in UInt64(1)...20 { stage.capture(sequence, pool: pool) }
    #expect(pool.usage.refused == 0)
    // The pool may lend seven frames. Four must be left, and two more for the frame that waits already.
    for sequence in UInt64(1)...2 {
      try await reader.expectFrame(sequence)
    }
    stage.capture(21, pool: pool)
    try await reader.expectFrame(21, dropped: DropCounts(outOfBuffers: 18))
  }

  /// A reader that never reads keeps only the frames that others can spare, and another reader misses none.
  @Test func aReaderThatNeverReadsCostsOtherReadersNoFrames() async throws {
    let stage = try await Stage(VideoDataSettings(queueDepth: 64))
    let stuck = try stage.attach(VideoDataRequest(maxUnacknowledgedFrames: 1))
    let fast = try stage.attach()
    // The pool may lend eight frames, as one for 4K.
    let pool = FramePool(budget: 9 * 4096, kept: 4096)
    stage.capture(1, pool: pool)
    #expect(try await stuck.nextFrame().frame.sequence == 1)
    for sequence in UInt64(1)...30 {
      if sequence > 1 { stage.capture(sequence, pool: pool) }
      try await fast.expectFrame(sequence)
    }
    #expect(pool.usage.refused == 0)
    for sequence in UInt64(2)...3 {
      stuck.acknowledge(sequence: sequence - 1)
      #expect(try await stuck.nextFrame().frame.sequence == sequence)
    }
    stuck.acknowledge(sequence: 3)
    stage.capture(31, pool: pool)
    #expect(try await stuck.nextFrame().dropped == DropCounts(outOfBuffers: 27))
  }

  /// The queue of a reader that never reads does not take all memory for converted frames from another reader.
  @Test func aStuckReaderDoesNotTakeAllConvertedFrames() async throws {
    // The memory for converted frames has room for four of these frames at once.
    let encoder = FakeEncoder(byteCount: { _ in 32 << 20 })
    let stage = try await Stage(VideoDataSettings(pixelFormat: .grey, queueDepth: 64), encoder: encoder)
    let stuck = try stage.attach(VideoDataRequest(maxMessageBytes: 64 << 20, maxUnacknowledgedFrames: 1))
    let fast = try stage.attach(VideoDataRequest(maxMessageBytes: 64 << 20))
    for sequence in UInt64(1)...10 {
      stage.capture(sequence)
      try await fast.expectFrame(sequence)
      if sequence == 1 { #expect(try await stuck.nextFrame().frame.sequence == 1) }
    }
  }

  /// A frame that a reader may not keep counts as out of buffers, because other readers need its memory. No reader
  /// needs the memory of a stream that is over, so a frame of such a stream counts as a discontinuity.
  @Test func aLossOfAFormerStreamIsADiscontinuity() async throws {
    let stage = try await Stage()
    let reader = try stage.attach()
    let frame = stage.capture(1)
    #expect(reader.loss(of: frame) == DropCounts(outOfBuffers: 1))
    stage.capture(1, streamID: 2)
    #expect(reader.loss(of: frame) == DropCounts(discontinuity: 1))
  }

  /// A loss counts in its turn, although frames before it are still being converted.
  @Test func framesWithoutMemoryForAConversionCountInOrder() async throws {
    let stage = try await Stage(
      VideoDataSettings(pixelFormat: .grey, queueDepth: 64), encoder: FakeEncoder(gated: true))
    let reader = try stage.attach()
    // Three frames may wait: four are left to the camera, and two to the readers of other outputs.
    let pool = FramePool(budget: 9 * 4096, kept: 4096)
    stage.capture(1, pool: pool)
    try await stage.encoder.begun.wait(count: 1)
    for sequence in UInt64(2)...6 { stage.capture(sequence, pool: pool) }
    for _ in 0..<4 { stage.encoder.pass() }
    for sequence in UInt64(1)...3 {
      try await reader.expectFrame(sequence)
    }
    stage.capture(7, pool: pool)
    try await reader.expectFrame(7, dropped: DropCounts(outOfBuffers: 3))
  }

  /// A conversion that holds no frame takes a frame only for as long as the conversion lasts, so it may take one of the
  /// last frames.
  @Test func anIdleConversionTakesOneOfTheLastFrames() async throws {
    let stage = try await Stage(VideoDataSettings(pixelFormat: .grey, queueDepth: 64))
    let reader = try stage.attach()
    // The pool may lend five frames, as one for 4K of which others hold some frames.
    let pool = FramePool(budget: 6 * 4096, kept: 4096)
    for sequence in UInt64(1)...10 {
      stage.capture(sequence, pool: pool)
      try await reader.expectFrame(sequence)
    }
  }

  /// A conversion that holds a frame leaves the last frames to the readers of other outputs.
  @Test func aBusyConversionLeavesTheLastFrames() async throws {
    let stage = try await Stage(
      VideoDataSettings(pixelFormat: .grey, queueDepth: 64), encoder: FakeEncoder(gated: true))
    let reader = try stage.attach()
    let pool = FramePool(budget: 6 * 4096, kept: 4096)
    stage.capture(1, pool: pool)
    try await stage.encoder.begun.wait(count: 1)
    stage.capture(2, pool: pool)
    for _ in 0..<2 { stage.encoder.pass() }
    #expect(try await reader.nextFrame().frame.sequence == 1)
    stage.capture(3, pool: pool)
    try await reader.expectFrame(3, dropped: DropCounts(outOfBuffers: 1))
  }

  /// Readers with queues do not get the last frame that may be lent. A reader without a queue needs that frame only for
  /// as long as it takes to send it.
  @Test func stuckQueuesLeaveOneFrameToReadersWithoutAQueue() async throws {
    let stage = try await Stage(VideoDataSettings(queueDepth: 64))
    let pool = FramePool(budget: 8 * 4096, kept: 4096)
    var (sequence, stuck, sent): (UInt64, [VideoDataReader], [FrameLoan]) = (0, [], [])
    func capture() -> Frame {
      sequence += 1
      return stage.capture(sequence, pool: pool)
    }
    for _ in 0..<2 {
      let reader = try stage.attach()
      stuck.append(reader)
      _ = capture()
      // gRPC holds this frame and cannot send it.
      sent.append(FrameLoan(try await reader.nextFrame().frame.buffer))
      for _ in 0..<5 { _ = capture() }
    }
    #expect(pool.usage.refused == 0)
    let frame = capture()
    #expect(frame.buffer.leavesRoom(for: VideoDataOutput.framesLeftToCamera), "a preview could lend it")
    #expect(stuck.allSatisfy { !$0.mayKeep(frame, besides: 0) })
    let other = try await Stage()
    let reader = try other.attach()
    let shown = other.capture(1, pool: pool)
    #expect(try await reader.nextFrame().frame === shown)
    sent.removeFirst()
    #expect(stuck.allSatisfy { $0.mayKeep(frame, besides: 0) && !$0.mayKeep(frame, besides: 1) })
  }

  /// A frame that cannot be converted and the change of the stream are discontinuities. A frame without memory counts
  /// as out of buffers.
  @Test func failedConversionsAndNewStreamsAreDiscontinuities() async throws {
    let stage = try await Stage(VideoDataSettings(pixelFormat: .grey, queueDepth: 8))
    let reader = try stage.attach()
    stage.encoder.fail(2, .processingFailed)
    stage.encoder.fail(3, .outOfBuffers)
    for sequence in UInt64(1)...4 { stage.capture(sequence) }
    #expect(try await reader.nextFrame().dropped == DropCounts())
    #expect(try await reader.nextFrame().dropped == DropCounts(outOfBuffers: 1, discontinuity: 1))
    stage.capture(5, streamID: 2)
    #expect(try await reader.nextFrame().dropped == DropCounts(discontinuity: 1))
  }

  /// A frame that another output found to be damaged counts as damaged without being decoded again.
  @Test("D3") func damagedFramesAreCountedAndNotDecodedTwice() async throws {
    let encoder = FakeEncoder(gated: true)
    let stage = try await Stage(VideoDataSettings(pixelFormat: .grey, queueDepth: 8), encoder: encoder)
    let reader = try stage.attach()
    encoder.fail(2, .frameDamaged)
    stage.capture(1)
    stage.capture(2)
    // Another output decodes frame 3 before its turn comes here.
    stage.capture(3).buffer.markDamaged()
    stage.capture(4, missing: DropCounts(damaged: 5))
    for _ in 0..<3 { encoder.pass() }
    #expect(try await reader.nextFrame().frame.sequence == 1)
    try await reader.expectFrame(4, dropped: DropCounts(damaged: 7))
    #expect(encoder.begun.all.map(\.value) == [1, 2, 4])
  }

  /// Frames that come while the connection is disabled are neither delivered nor counted as dropped.
  @Test func aDisabledConnectionDeliversAndDropsNothing() async throws {
    let stage = try await Stage()
    let reader = try stage.attach()
    stage.capture(1)
    #expect(try await reader.nextFrame().frame.sequence == 1)
    stage.change { $0.connection = Connection(isEnabled: false) }
    for sequence in UInt64(2)...5 { stage.capture(sequence, missing: DropCounts(discontinuity: 1)) }
    stage.change { $0.connection = Connection() }
    stage.capture(6)
    try await reader.expectFrame(6)
  }

  /// A reader whose messages are too small for the camera's frames learns at once which size it needs.
  @Test func framesThatDoNotFitAreRefusedWithTheSizeNeeded() async throws {
    let stage = try await Stage(VideoDataSettings(pixelFormat: .bgr32))
    let layout = try #require(FrameLayout.packed(.nv12, Size(width: 640, height: 360)))
    let tooLittle = VideoDataRequest(maxMessageBytes: 640 * 360 * 4 + 1023)
    let error = #expect(throws: CaptureError.self) { try stage.attach(tooLittle, layout: layout) }
    #expect(error?.reason == .messageLimit && error?.metadata["needed_bytes"] == "\(640 * 360 * 4 + 1024)")
    _ = try stage.attach(VideoDataRequest(maxMessageBytes: 640 * 360 * 4 + 1024), layout: layout)
  }

  /// When the size of the frames is known only with a frame, a reader whose messages are too small ends with an error
  /// that names the size. Other readers go on.
  @Test func aFrameThatDoesNotFitEndsItsReaderAlone() async throws {
    let stage = try await Stage()
    let (small, large) = (try stage.attach(VideoDataRequest(maxMessageBytes: 64 << 10)), try stage.attach())
    let layout = try #require(FrameLayout.packed(.nv12, Size(width: 640, height: 360)))
    stage.capture(1, layout: layout)
    let error = await #expect(throws: CaptureError.self) { try await small.nextFrame() }
    #expect(error?.reason == .messageLimit)
    #expect(error?.metadata["needed_bytes"] == "\(layout.byteCount + 1024)")
    #expect(try await large.nextFrame().frame.sequence == 1)
    #expect(stage.output.readerCount == 1)
  }

  @Test func closingEndsReadersWithTheError() async throws {
    let stage = try await Stage()
    let reader = try stage.attach()
    let gone = CaptureError(.outputRemoved, "gone")
    stage.output.close(gone)
    stage.output.close(CaptureError(.shuttingDown, "too late"))
    stage.capture(1)
    await #expect(throws: gone) { try await reader.nextFrame() }
    #expect(throws: gone) { try stage.attach() }
    #expect(throws: CaptureError.self) { try stage.directory.acknowledge(token: reader.token, sequence: 1) }
  }

  @Test func readersAreBoundedAndRequestsChecked() async throws {
    let stage = try await Stage()
    var readers: [VideoDataReader] = []
    for _ in 0..<VideoDataOutput.maxReaders { readers.append(try stage.attach()) }
    #expect(#expect(throws: CaptureError.self) { try stage.attach() }?.reason == .tooManyRequests)
    let bad: [(VideoDataRequest, String)] = [
      (VideoDataRequest(maxMessageBytes: 65_535), "max_message_bytes"),
      (VideoDataRequest(maxMessageBytes: (256 << 20) + 1), "max_message_bytes"),
      (VideoDataRequest(maxUnacknowledgedFrames: 65), "max_unacknowledged_frames"),
    ]
    for (request, field) in bad {
      let error = #expect(throws: CaptureError.self) { try stage.attach(request) }
      #expect(error?.reason == .invalidArgument && error?.field == field)
    }
  }
}
