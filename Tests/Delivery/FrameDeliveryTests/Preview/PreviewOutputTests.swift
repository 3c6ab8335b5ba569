import CaptureCore
import CaptureTestKit
import Imaging
import SystemClocks
import Testing

@testable import FrameDelivery

/// A preview output with its readers and encodings. The time limit is for a test whose awaited event never comes.
@Suite(.timeLimit(.minutes(2))) struct PreviewOutputTests {
  static let mjpeg = FrameLayout.packed(.mjpeg, Size(width: 64, height: 36))!

  /// A reader learns its token, the session's state and the size before the first frame of that size.
  @Test func theStatusComesFirstThenFrames() async throws {
    let stage = try await PreviewStage()
    let reader = try stage.output.attach(PreviewRequest(encoding: .nv12))
    let first = try await reader.nextStatus()
    #expect(first.token == reader.token)
    #expect(first.session == SessionStatus(.running))
    #expect(first.size == nil && first.encoding == .nv12)

    stage.capture(1)
    #expect(try await reader.nextStatus().size == Size(width: 64, height: 36))
    let picture = try await reader.nextPicture()
    #expect(picture.sequence == 1 && picture.captured.input == "camera" && picture.captured.configRevision == 7)
    #expect(picture.captured.frame.time.monotonic == .epoch + PreviewStage.period)
    #expect(picture.dropped == DropCounts())
  }

  /// A reader of raw pictures in the camera's own format gets the camera's memory, without a copy.
  @Test func rawPicturesOfTheCamerasFormatAreNotCopied() async throws {
    let stage = try await PreviewStage()
    let reader = try stage.output.attach(PreviewRequest(encoding: .nv12))
    let frame = stage.capture(1)
    #expect(try await reader.nextPicture().picture.buffer === frame.buffer)
    #expect(stage.output.encodeCount == 0)
    #expect(stage.encoder.begun.count == 0)
  }

  /// Readers that do not read leave the camera enough memory, so a reader that does read misses no frame. Frames that
  /// the stuck readers cannot get count as out of buffers.
  @Test func readersThatDoNotReadLeaveTheCameraItsMemory() async throws {
    let stage = try await PreviewStage()
    let pool = FramePool(budget: 12 * 4096, kept: 4 * 4096)
    let watching = try stage.output.attach(PreviewRequest())
    var readers: [PreviewReader] = []
    var loans: [FrameLoan] = []
    for sequence in UInt64(1)...20 {
      if sequence <= 5 { readers.append(try stage.output.attach(PreviewRequest(encoding: .nv12))) }
      stage.capture(sequence, pool: pool)
      stage.context.dropFrames(keeping: 4)
      // The message with the picture does not leave: the picture stays lent, and the reader does not ask for the next
      // one.
      if sequence <= 5 { loans.append(FrameLoan(try await readers[readers.count - 1].nextPicture().picture.buffer)) }
      #expect(try await watching.nextPicture().sequence == sequence)
    }
    #expect(pool.usage.refused == 0)

    loans = []
    stage.capture(21, pool: pool)
    try await readers[4].expectPicture(21, dropped: DropCounts(outOfBuffers: 15))
  }

  @Test func camerasOwnJPEGIsPassedThrough() async throws {
    let stage = try await PreviewStage()
    let reader = try stage.output.attach(PreviewRequest())
    let frame = stage.capture(1, layout: Self.mjpeg)
    #expect(try await reader.nextPicture().picture.buffer === frame.buffer)
    #expect(stage.output.encodeCount == 0)
  }

  @Test func readersShareOneEncoding() async throws {
    let stage = try await PreviewStage()
    let readers = try (0..<3).map { _ in try stage.output.attach(PreviewRequest()) }
    let raw = stage.capture(1)
    var buffers: [FrameBuffer] = []
    for reader in readers {
      let picture = try await reader.nextPicture()
      #expect(picture.firstByte == 1 && picture.picture.layout.pixelFormat == .jpeg)
      #expect(picture.captured.frame !== raw)
      buffers.append(picture.picture.buffer)
    }
    #expect(buffers.allSatisfy { $0 === buffers[0] })
    #expect(stage.output.encodeCount == 1)
  }

  /// An encoding costs processor time, so it exists only while it has a reader.
  @Test func withoutReadersNothingIsEncoded() async throws {
    let stage = try await PreviewStage()
    for sequence in 1...10 { stage.capture(UInt64(sequence)) }
    #expect(stage.output.encodeCount == 0 && stage.encoder.begun.count == 0)

    let reader = try stage.output.attach(PreviewRequest())
    _ = try await reader.nextPicture()
    #expect(stage.output.readerCount == 1)
    reader.detach()
    try await stage.encoder.ended.wait(count: 1)
    let before = stage.output.encodeCount
    for sequence in 11...20 { stage.capture(UInt64(sequence)) }
    #expect(stage.output.encodeCount == before && stage.output.readerCount == 0)
  }

  /// A reader may detach, more than once, or be released without a word. The encoder thread ends after the last reader.
  @Test func theEncodingEndsWithItsLastReader() async throws {
    let stage = try await PreviewStage()
    let first = try stage.output.attach(PreviewRequest())
    var second: PreviewReader? = try stage.output.attach(PreviewRequest())
    stage.capture(1)
    _ = try await first.nextPicture()
    first.detach()
    first.detach()
    stage.capture(2)
    while try await second!.nextPicture().sequence < 2 {}
    #expect(stage.encoder.ended.count == 0)
    // The reader is released without a call of `detach`.
    second = nil
    try await stage.encoder.ended.wait(count: 1)
    await #expect(throws: CancellationError.self) { try await first.next() }
  }

  /// The reader counts frames that the encoder skipped as late, together with the gaps before them.
  @Test func aSlowEncoderSkipsFramesAndReadersCountThem() async throws {
    let encoder = FakeEncoder(gated: true)
    let stage = try await PreviewStage(encoder: encoder)
    let reader = try stage.output.attach(PreviewRequest())
    stage.capture(1)
    try await encoder.begun.wait(count: 1)
    // While the first frame is encoded, one of these frames waits and the others are skipped. One of the frames has a
    // gap before it.
    stage.capture(2)
    stage.capture(6, missing: DropCounts(discontinuity: 3))
    stage.capture(7)
    encoder.pass()
    #expect(try await reader.nextPicture().sequence == 1)
    try await encoder.begun.wait(count: 2)
    encoder.pass()
    let next = try await reader.nextPicture()
    #expect(next.sequence == 7)
    #expect(next.dropped == DropCounts(late: 2, discontinuity: 3))
    encoder.pass()
  }

  @Test func aNewStreamIsOneDiscontinuity() async throws {
    let stage = try await PreviewStage()
    let reader = try stage.output.attach(PreviewRequest(encoding: .nv12))
    stage.capture(5)
    _ = try await reader.nextPicture()
    stage.capture(6, streamID: 2)
    let picture = try await reader.nextPicture()
    #expect(picture.captured.frame.streamID == 2 && picture.dropped == DropCounts(discontinuity: 1))
  }

  /// A frame that cannot be encoded counts by its cause with the next frame: no memory, a failure of the codec, or
  /// damage.
  @Test func unencodableFramesAreCounted() async throws {
    let stage = try await PreviewStage()
    let reader = try stage.output.attach(PreviewRequest())
    stage.encoder.fail(1, .outOfBuffers)
    stage.encoder.fail(2, .processingFailed)
    stage.encoder.fail(3, .frameDamaged)
    for sequence in 1...3 {
      stage.capture(UInt64(sequence))
      // The encoder has taken the frame, so the next frame does not replace it.
      try await stage.encoder.begun.wait(count: sequence)
    }
    stage.capture(4, missing: DropCounts(damaged: 2))
    let dropped = try await reader.nextPicture().dropped
    #expect(dropped == DropCounts(outOfBuffers: 1, discontinuity: 1, damaged: 3))
    #expect(stage.output.encodeCount == 1)
  }

  /// A format that the codecs cannot read would fail for every frame, so the stream of the reader ends with an error.
  /// Other readers go on.
  @Test func unreadableFormatEndsTheReader() async throws {
    let stage = try await PreviewStage()
    let reader = try stage.output.attach(PreviewRequest())
    let other = try stage.output.attach(PreviewRequest(encoding: .nv12))
    stage.encoder.fail(1, .formatNotSupported)
    stage.capture(1)
    let error = await #expect(throws: CaptureError.self) { try await reader.nextPicture() }
    #expect(error?.reason == .unsupportedValue)
    #expect(try await other.nextPicture().sequence == 1)
    try await stage.encoder.ended.wait(count: 1)
    #expect(stage.output.readerCount == 1)
  }

  /// The session hears of each frame that a reader took, not of frames that were replaced.
  @Test func deliveredFramesAreReported() async throws {
    let stage = try await PreviewStage()
    let reader = try stage.output.attach(PreviewRequest(encoding: .nv12))
    stage.capture(1)
    stage.capture(2)
    #expect(stage.context.sent.count == 0)
    _ = try await reader.nextPicture()
    let sent = stage.context.sent.all
    #expect(sent.map(\.sequence) == [2] && sent.map(\.output) == ["preview"])
  }

  @Test func statusChangesReachEveryReader() async throws {
    let stage = try await PreviewStage()
    let readers = try (0..<2).map { _ in try stage.output.attach(PreviewRequest()) }
    for reader in readers { _ = try await reader.nextStatus() }
    let interrupted = SessionStatus(.interrupted, interruption: .deviceDisconnected)
    stage.change { $0.status = interrupted }
    for reader in readers { #expect(try await reader.nextStatus().session == interrupted) }
  }

  /// Only the first close counts. Readers that wait, readers that do not, and new readers get its error.
  @Test func closingEndsReadersWithTheError() async throws {
    let stage = try await PreviewStage()
    let waiting = try stage.output.attach(PreviewRequest(encoding: .nv12))
    let pending = try stage.output.attach(PreviewRequest())
    _ = try await waiting.nextStatus()
    let next = Task { try await waiting.next() }
    let gone = CaptureError(.sessionNotFound, "deleted")
    stage.capture(1)
    stage.output.close(gone)
    stage.output.close(CaptureError(.shuttingDown, "too late"))
    stage.capture(2)
    // The reader may get one event before the end.
    await #expect(throws: gone) {
      while true {
        _ = try await next.value
        _ = try await waiting.next()
      }
    }
    await #expect(throws: gone) { try await pending.next() }
    #expect(throws: gone) { try stage.output.attach(PreviewRequest()) }
    #expect(throws: CaptureError.self) { try stage.directory.acknowledge(token: pending.token, sequence: 1) }
    try await stage.encoder.ended.wait(count: 1)
    #expect(stage.output.readerCount == 0)
  }

  /// A frame that comes before the output is prepared counts as late.
  @Test func nothingIsShownBeforePreparation() async throws {
    let stage = try await PreviewStage(prepared: false)
    let reader = try stage.output.attach(PreviewRequest(encoding: .nv12))
    _ = try await reader.nextStatus()
    stage.capture(1)
    try await stage.output.prepare()
    stage.capture(2)
    try await reader.expectPicture(2, dropped: DropCounts(late: 1))
  }

  /// The error names the field that is out of range, and the reader is not attached.
  @Test func badRequestsNameTheField() async throws {
    let stage = try await PreviewStage()
    let bad: [(PreviewRequest, String)] = [
      (PreviewRequest(jpegQuality: 0), "jpeg_quality"), (PreviewRequest(jpegQuality: 101), "jpeg_quality"),
      (PreviewRequest(maxMessageBytes: 65_535), "max_message_bytes"),
      (PreviewRequest(maxUnacknowledgedFrames: 65), "max_unacknowledged_frames"),
      (PreviewRequest(maxUnacknowledgedFrames: -1), "max_unacknowledged_frames"),
      (PreviewRequest(maxSize: Size(width: 0, height: 100)), "max_size"),
      (PreviewRequest(isAdaptive: true), "max_unacknowledged_frames"),
    ]
    for (request, field) in bad {
      let error = #expect(throws: CaptureError.self) { try stage.output.attach(request) }
      #expect(error?.reason == .invalidArgument && error?.field == field)
    }
    #expect(stage.output.readerCount == 0)
  }

  /// A change of the connection's orientation changes the size of the pictures and drops no frame.
  @Test func aConnectionTurnsPicturesWithoutDroppingFrames() async throws {
    let stage = try await PreviewStage()
    let reader = try stage.output.attach(PreviewRequest(encoding: .nv12))
    let first = stage.capture(1)
    #expect(try await reader.nextPicture().picture.buffer === first.buffer)
    let sideways = Orientation(rotation: .threeQuarters, isMirrored: true)
    stage.change { $0.connection = Connection(orientation: sideways) }
    stage.capture(2)
    #expect(try await reader.nextStatus().size == Size(width: 36, height: 64))
    #expect(try await reader.nextPicture().dropped == DropCounts())
    #expect(stage.encoder.begun.all.map(\.key.orientation) == [sideways])
    stage.change { $0.connection = Connection() }
    let last = stage.capture(3)
    let picture = try await reader.nextPicture()
    #expect(picture.picture.buffer === last.buffer && picture.dropped == DropCounts())
    try await stage.encoder.ended.wait(count: 1)
  }

  /// The status says whether frames come: the output is prepared, the connection is enabled, and the session runs and
  /// takes no still.
  @Test("D1") func theStatusTellsWhetherFramesCome() async throws {
    let stage = try await PreviewStage(prepared: false)
    let reader = try stage.output.attach(PreviewRequest(encoding: .nv12))
    func isPreviewing() async throws -> Bool? {
      if case .status(let status) = try await reader.next() { status.isPreviewing } else { nil }
    }
    #expect(try await isPreviewing() == false)
    try await stage.output.prepare()
    #expect(try await isPreviewing() == true)
    stage.change { $0.connection = Connection(isEnabled: false) }
    #expect(try await isPreviewing() == false)
    let second = try stage.output.attach(PreviewRequest(encoding: .nv12))
    guard case .status(let status) = try await second.next() else { throw CancellationError() }
    #expect(!status.isPreviewing)
    stage.change { $0.connection = Connection() }
    #expect(try await isPreviewing() == true)
    var still = SessionStatus(.running)
    still.isTakingStill = true
    for (status, isTrue) in [
      (still, false), (SessionStatus(.running), true), (SessionStatus(.interrupted), false),
      (SessionStatus(.starting), false),
    ] {
      stage.change { $0.status = status }
      #expect(try await isPreviewing() == isTrue)
    }
    // The session starts, so no frames come. Changes of the connection make no difference and are not told.
    stage.change { $0.connection = Connection(isEnabled: false) }
    stage.change { $0.connection = Connection() }
    stage.change { $0.status = SessionStatus(.running) }
    #expect(try await isPreviewing() == true)
  }

  /// Frames that come while the connection is disabled are neither shown nor counted as dropped.
  @Test func aDisabledConnectionDeliversAndDropsNothing() async throws {
    let stage = try await PreviewStage()
    let reader = try stage.output.attach(PreviewRequest(encoding: .nv12))
    stage.capture(1)
    #expect(try await reader.nextPicture().sequence == 1)
    stage.change { $0.connection = Connection(isEnabled: false) }
    stage.capture(2)
    // A reader that comes meanwhile does not get the newest frame at once either.
    let second = try stage.output.attach(PreviewRequest(encoding: .nv12))
    stage.capture(3)
    stage.change { $0.connection = Connection() }
    stage.capture(4)
    for reader in [reader, second] {
      try await reader.expectPicture(4)
    }
  }
}
