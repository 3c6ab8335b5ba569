import CaptureCore
import CaptureTestKit
import Imaging
import Synchronization
import SystemClocks
import Testing

@testable import FrameDelivery

/// Stands in for the codecs. Its pictures are small, and the test decides how fast it is and which pictures fail.
final class FakeEncoder: Sendable {
  /// Gets an element for each encoding that begins: the first byte of the camera's frame, and the key of the encoding.
  let begun = Recorder<(value: UInt8, key: EncodingKey)>()
  /// Gets an element for each encoder thread that has made its encoder.
  let made = Recorder<Void>()
  /// Gets the nominal rate of each picture that is encoded.
  let rates = Recorder<Rational?>()
  /// Gets an element for each encoder thread that has ended.
  let ended = Recorder<Void>()
  /// Gets the first byte of each frame that had to become a key frame.
  let keyFrames = Recorder<UInt8>()
  private let gate: Mailbox<Void>?
  private let failures = Mutex<[UInt8: CaptureError]>([:])
  private let byteCount: @Sendable (EncodingKey) -> Int

  /// - Parameters:
  ///   - gated: whether each encoding waits for one call of ``pass()``.
  ///   - byteCount: the length of an encoded picture, in bytes.
  init(gated: Bool = false, byteCount: @escaping @Sendable (EncodingKey) -> Int = { _ in 100 }) {
    gate = gated ? Mailbox(depth: 100) : nil
    self.byteCount = byteCount
  }

  /// Lets one encoding end.
  func pass() { gate?.put(()) }

  /// Makes the encoding of the frame whose first byte is `value` fail.
  func fail(_ value: UInt8, _ reason: CaptureError.Reason) {
    failures.withLock { $0[value] = CaptureError(reason, "on purpose") }
  }

  var make: MakePictureEncoder {
    { pool in
      let thread = ThreadLife(ended: self.ended)
      self.made.append(())
      return { (picture, key, frameRate, forcesKeyFrame) throws(CaptureError) in
        self.rates.append(frameRate)
        if forcesKeyFrame { self.keyFrames.append(picture.buffer.withUnsafeBytes { $0[0] }) }
        return (try thread.encode(picture, key, pool, self), key.format != .h264 || forcesKeyFrame)
      }
    }
  }

  /// Lives as long as the encoder thread, and reports the end of that thread.
  private final class ThreadLife {
    let ended: Recorder<Void>
    init(ended: Recorder<Void>) { self.ended = ended }
    deinit { ended.append(()) }

    func encode(
      _ picture: Picture, _ key: EncodingKey, _ pool: FramePool, _ fake: FakeEncoder
    ) throws(CaptureError) -> Picture {
      let value = picture.buffer.withUnsafeBytes { $0[0] }
      fake.begun.append((value, key))
      _ = fake.gate?.take()
      if let failure = fake.failures.withLock({ $0[value] }) { throw failure }
      let count = fake.byteCount(key)
      guard let memory = pool.take(count) else { throw CaptureError(.outOfBuffers, "full") }
      memory.bytes[0] = value
      return Picture(
        layout: FrameLayout(pixelFormat: key.format, size: key.size, planes: []),
        buffer: memory.freeze(count: count))
    }
  }
}

/// A preview output whose session and encoder the test plays. Frames come every 40 ms of a clock that stands still
/// between the frames.
final class PreviewStage: Sendable {
  static let period: UInt64 = 40_000_000

  let context = FakeOutputContext()
  let directory = ReaderDirectory()
  let encoder: FakeEncoder
  let output: PreviewOutput
  private let steering: OutputSteering
  let time = SharedClock()

  init(encoder: FakeEncoder = FakeEncoder(), prepared: Bool = true) async throws {
    self.encoder = encoder
    let clock = time
    output = PreviewOutput(
      id: "preview", context: context, directory: directory, makeEncoder: encoder.make, now: { clock.now })
    steering = OutputSteering(output)
    change { $0.status = SessionStatus(.running) }
    if prepared { try await output.prepare() }
  }

  /// Changes the conditions that the session holds for the output.
  func change(_ change: (inout OutputConditions) -> Void) { steering.change(change) }

  /// Captures frame `sequence` at `sequence` periods. The first byte of the frame is `sequence` too. Unless `delivers`
  /// is true, only the ring gets the frame.
  @discardableResult
  func capture(
    _ sequence: UInt64, streamID: UInt64 = 1, layout: FrameLayout = .packed(.nv12, Size(width: 64, height: 36))!,
    byteCount: Int? = nil, missing: DropCounts = DropCounts(), delivers: Bool = true, pool: FramePool? = nil
  ) -> Frame {
    time.now = .epoch + sequence * Self.period
    let frame = Self.frame(sequence, streamID, layout, byteCount, missing, pool)
    let captured = context.keep(frame, configRevision: 7)
    if delivers { output.receive(captured) }
    return frame
  }

  private static func frame(
    _ sequence: UInt64, _ streamID: UInt64, _ layout: FrameLayout, _ byteCount: Int?, _ missing: DropCounts,
    _ pool: FramePool?
  ) -> Frame {
    let count = byteCount ?? max(layout.byteCount, 16)
    let memory = (pool ?? FramePool(budget: 8 * (count + 4096))).take(count)!
    memory.bytes[0] = UInt8(truncatingIfNeeded: sequence)
    let time = FrameTime(
      monotonic: .epoch + sequence * period, wall: .epoch + sequence * period, source: .endOfFrame)
    return Frame(
      streamID: streamID, sequence: sequence, time: time, layout: layout, buffer: memory.freeze(count: count),
      missing: missing)
  }
}

/// A clock that shows the time that the test sets.
final class SharedClock: Sendable {
  private let value = Atomic<UInt64>(0)
  var now: MonotonicInstant {
    get { MonotonicInstant(nanoseconds: value.load(ordering: .sequentiallyConsistent)) }
    set { value.store(newValue.nanoseconds, ordering: .sequentiallyConsistent) }
  }
}

extension PreviewReader {
  /// The next picture; statuses before it are skipped.
  func nextPicture() async throws -> PreviewPicture {
    while true {
      if case .frame(let picture) = try await next() { return picture }
    }
  }

  /// Expects the next picture to show frame `sequence`, and to tell that `dropped` were lost before it.
  func expectPicture(
    _ sequence: UInt64, dropped: DropCounts = DropCounts(), sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let picture = try await nextPicture()
    #expect(picture.sequence == sequence && picture.dropped == dropped, sourceLocation: sourceLocation)
  }

  /// The next event, which must be a status.
  func nextStatus() async throws -> PreviewStatus {
    guard case .status(let status) = try await next() else { throw Unexpected() }
    return status
  }
}

/// The error of a test that got another event than it expects.
struct Unexpected: Error {}

extension PreviewPicture {
  var sequence: UInt64 { captured.frame.sequence }
  var firstByte: UInt8 { picture.buffer.withUnsafeBytes { $0[0] } }
}
