import CaptureCore
import CaptureTestKit
import Locking
import Imaging
import Synchronization
import SystemClocks

@testable import PhotoCapture

/// A photo output with a fake session, a fake processor and a fake encoder. Frame n is captured at n periods of 40 ms.
final class PhotoStage: Sendable {
  static let period: UInt64 = 40_000_000

  let context = FakeOutputContext()
  let store: CaptureStore
  let output: PhotoOutput
  private let steering: OutputSteering
  let encoder: FakePhotoEncoder
  let processor: FakePhotoProcessor
  /// Whether the output can start threads other than its photo threads. When false, starting one throws.
  let hasThreads = SharedFlag(true)
  /// The time that the output reads. A captured frame sets it to the frame's time, and ``pass(seconds:)`` advances it.
  private let clock = SharedClock()
  /// The clock with which the output waits for deadlines. Only ``pass(seconds:)`` advances it.
  let timer = ManualClock()

  init(
    zeroShutterLag: Bool = true, responsive: Bool = false, fast: Bool = false, maxQuality: PhotoQuality = .quality,
    prepared: Bool = true, gated: Bool = false, gatesProcessor: Bool = false,
    limits: StoredCaptures.Limits = StoredCaptures.Limits()
  ) async throws {
    let encoder = FakePhotoEncoder(gated: gated)
    self.encoder = encoder
    processor = FakePhotoProcessor(gated: gatesProcessor)
    store = CaptureStore(limits: limits, now: { 0 })
    var conditions = OutputConditions()
    conditions.photoFeatures = PhotoFeatures(
      zeroShutterLag: zeroShutterLag, maxQuality: maxQuality, responsiveCapture: responsive,
      fastCapturePrioritization: fast)
    output = PhotoOutput(
      id: "photo", context: context, features: conditions.photoFeatures,
      destination: store, processing: processor.processing,
      makeEncoder: { pool in
        encoder.made.add(1, ordering: .relaxed)
        return { (picture, _, orientation) throws(CaptureError) in try encoder.encode(picture, orientation, pool) }
      },
      startThread: { [hasThreads] (name, niceness, body) throws(CaptureError) in
        guard hasThreads.value.load(ordering: .relaxed) else { throw CaptureError(.processingFailed, "no thread") }
        try WorkerThread.start(name: name, niceness: niceness, body)
      }, now: { [clock] in clock.now }, clock: timer)
    steering = OutputSteering(output, conditions: conditions)
    change { $0.status = SessionStatus(.running) }
    if prepared { try await output.prepare() }
  }

  /// Changes the conditions that the session holds for the output.
  func change(_ change: (inout OutputConditions) -> Void) { steering.change(change) }

  deinit { output.close(CaptureError(.shuttingDown, "the test is over")) }

  /// Captures a frame with this sequence number, and fills the frame with the lowest byte of the number.
  ///
  /// - Parameter delivers: whether the output receives the frame. If not, the frame is only in the ring.
  @discardableResult
  func capture(
    _ sequence: UInt64, streamID: UInt64 = 1, delivers: Bool = true, pool: FramePool? = nil,
    layout: FrameLayout = .packed(.nv12, Size(width: 64, height: 36))!, sensor: SensorReadings = SensorReadings(),
    missing: DropCounts = DropCounts()
  ) -> Frame {
    let frame = Frame.fake(
      sequence: sequence, streamID: streamID, at: .epoch + sequence * Self.period, layout: layout,
      filledWith: UInt8(truncatingIfNeeded: sequence), missing: missing, pool: pool, sensor: sensor)!
    clock.value.store(max(clock.value.load(ordering: .relaxed), sequence * Self.period), ordering: .relaxed)
    let captured = context.keep(frame, configRevision: 7)
    if delivers { output.receive(captured) }
    return frame
  }

  /// Advances both clocks of the output without capturing a frame.
  func pass(seconds: UInt64) {
    clock.value.add(seconds * 1_000_000_000, ordering: .relaxed)
    timer.advance(by: .seconds(seconds))
  }

  /// A request that arrived this many frame periods after the epoch of the output's clock.
  static func request(
    _ id: String = "", _ moment: CaptureMoment? = nil, arrival periods: Double = 0, quality: PhotoQuality = .speed
  ) -> PhotoRequest {
    PhotoRequest(
      uniqueID: id, moment: moment, arrival: .epoch + UInt64(periods * Double(period)), quality: quality)
  }

  func sessionBecomes(_ state: SessionState) {
    change { $0.status = SessionStatus(state) }
  }
}

final class SharedFlag: Sendable {
  let value: Atomic<Bool>

  init(_ initial: Bool) { value = Atomic(initial) }
}

final class SharedClock: Sendable {
  let value = Atomic<UInt64>(0)

  var now: MonotonicInstant { MonotonicInstant(nanoseconds: value.load(ordering: .relaxed)) }
}

extension PhotoPhases {
  /// Phases for the photos of tests that do not look at phases.
  static let any = PhotoPhases(
    holdNanoseconds: 0, captureBegin: 0, captureEnd: 0, processBegin: 0, processEnd: 0, encodeBegin: 0, encodeEnd: 0)
}

/// A processor that stands for fusion. It asks for one frame for speed, three for balanced and five for quality, and
/// returns the reference as the picture.
final class FakePhotoProcessor: Sendable {
  /// One element for each picture: the first bytes of the frames that it was made of, in the order of their capture,
  /// and the first byte of the reference.
  let made = Recorder<(frames: [UInt8], reference: UInt8)>()
  /// One element for each time that a processor made a picture of frames with equal exposures or released its memory:
  /// the number of the processor, and whether it released its memory.
  let steps = Recorder<(processor: Int, isRest: Bool)>()
  /// Whether memory is too short to merge exposures, so that a picture is made of one frame.
  let isOutOfMemory = Atomic<Bool>(false)
  private let count = Atomic<Int>(0)
  private let gate: Mailbox<Void>?

  /// - Parameter gated: whether the processing of each photo waits for one call of ``pass()``.
  init(gated: Bool = false) { gate = gated ? Mailbox(depth: 1000) : nil }

  /// Lets the processor finish one photo.
  func pass() { gate?.put(()) }

  var processing: PhotoProcessing {
    PhotoProcessing(frameCount: { 2 * $0.rawValue - 1 }) { [self] _ in
      let number = count.add(1, ordering: .relaxed).newValue
      return PhotoProcessing.Processor(
        process: { (frames, reference, _, _) throws(CaptureError) in
          let bytes = frames.map { $0.buffer.withUnsafeBytes { $0[0] } }
          self.made.append((bytes, bytes[reference]))
          self.steps.append((number, false))
          _ = self.gate?.take()
          return (frames[reference], frames.count)
        },
        mergeExposures: { (frames, reference, _) throws(CaptureError) in
          let bytes = frames.map { $0.buffer.withUnsafeBytes { $0[0] } }
          self.made.append((bytes, bytes[reference]))
          return (frames[reference], self.isOutOfMemory.load(ordering: .relaxed) ? 1 : frames.count)
        }, rest: { self.steps.append((number, true)) })
    }
  }
}

/// An encoder that stands for the codec and returns small pictures. A test decides when an encoding ends and whether it
/// fails.
final class FakePhotoEncoder: Sendable {
  /// One element for each encoding that has begun: the first byte of the picture, which is that of its frame.
  let begun = Recorder<UInt8>()
  /// The number of encoders that the output has made.
  let made = Atomic<Int>(0)
  /// One element for each encoding: the orientation that the output asks for.
  let orientations = Recorder<Orientation>()
  private let gate: Mailbox<Void>?
  private let failures = Mutex<[CaptureError.Reason]>([])
  private let damaged = Mutex<Set<UInt8>>([])

  /// - Parameter gated: whether each encoding waits for one call of ``pass()``.
  init(gated: Bool) { gate = gated ? Mailbox(depth: 1000) : nil }

  /// Lets the encoder finish one encoding.
  func pass() { gate?.put(()) }

  /// Makes the next encodings fail, one for each reason.
  func fail(_ reasons: CaptureError.Reason...) { failures.withLock { $0 += reasons } }

  /// Makes the encoder find that the frames with these first bytes are damaged.
  func damage(_ values: UInt8...) { damaged.withLock { $0.formUnion(values) } }

  func encode(
    _ picture: Picture, _ orientation: Orientation, _ pool: FramePool
  ) throws(CaptureError) -> Picture {
    orientations.append(orientation)
    let value = picture.buffer.withUnsafeBytes { $0[0] }
    begun.append(value)
    _ = gate?.take()
    if damaged.withLock({ $0.contains(value) }) {
      picture.buffer.markDamaged()
      throw CaptureError(.frameDamaged, "on purpose")
    }
    if let reason = failures.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      throw CaptureError(reason, "on purpose")
    }
    guard let memory = pool.take(100) else { throw CaptureError(.outOfBuffers, "full") }
    memory.bytes[0] = value
    let layout = FrameLayout(pixelFormat: .jpeg, size: picture.layout.size, planes: [])
    return Picture(layout: layout, buffer: memory.freeze(count: 100))
  }
}

extension AcceptedCapture {
  /// Waits until the capture ends, and returns all its events.
  func all() async -> [PhotoCaptureEvent.Kind] {
    var kinds: [PhotoCaptureEvent.Kind] = []
    for await event in events { kinds.append(event.kind) }
    return kinds
  }

  /// Waits until the capture ends, and returns its photo.
  ///
  /// - Throws: the error with which the capture failed; ``NoPhoto`` when it ended without a photo and without an error.
  func photo() async throws -> Photo {
    var photo: Photo?
    for await event in events {
      if case .didFinishProcessingPhoto(.success(let finished)) = event.kind { photo = finished }
      if case .didFinishCapture(let error?) = event.kind { throw error }
    }
    guard let photo else { throw NoPhoto() }
    return photo
  }
}

struct NoPhoto: Error {}

extension PhotoCaptureEvent.Kind {
  /// A short name of the event, with which a test compares the order of events.
  var name: String {
    switch self {
    case .willBeginCapture: "willBegin"
    case .willCapturePhoto: "willCapture"
    case .didCapturePhoto: "didCapture"
    case .didFinishProcessingPhoto(.success): "photo"
    case .didFinishProcessingPhoto(.failure(let error)): "no photo: \(error.reason)"
    case .didFinishCapture(nil): "end"
    case .didFinishCapture(let error?): "end: \(error.reason)"
    }
  }
}
