public import CaptureCore
internal import Locking
internal import SystemClocks

/// The newest frames of a camera, kept for zero shutter lag. The ring holds references and copies nothing. Thread-safe.
///
/// Frames leave the ring when the first of three bounds is exceeded: age, number or bytes. The newest frame always
/// stays.
public final class FrameRing: FrameHistory {
  /// The bounds of the ring.
  public struct Limits: Hashable, Sendable {
    /// The greatest age of a frame, compared with the newest frame, nanoseconds.
    public var windowNanoseconds: UInt64
    /// The largest number of frames.
    public var maximumFrames: Int
    /// The most bytes that all frames together may have.
    public var maximumBytes: Int

    /// Sets the bounds of a ring.
    ///
    /// - Parameters:
    ///   - windowNanoseconds: the greatest age of a frame, compared with the newest frame.
    ///   - maximumFrames: the largest number of frames.
    ///   - maximumBytes: the most bytes that all frames together may have.
    public init(windowNanoseconds: UInt64, maximumFrames: Int, maximumBytes: Int) {
      self.windowNanoseconds = windowNanoseconds
      self.maximumFrames = maximumFrames
      self.maximumBytes = maximumBytes
    }
  }

  private struct State {
    var frames: [CapturedFrame] = []
    var bytes = 0
    var limits: Limits
    var newestStreamID: UInt64 = 0
    var earliestStreamID: UInt64 = 0

    mutating func evict() {
      guard let newest = frames.last?.frame.time.monotonic else { return }
      while frames.count > 1, let oldest = frames.first?.frame {
        let age = newest.nanoseconds(since: oldest.time.monotonic)
        guard age > limits.windowNanoseconds || frames.count > limits.maximumFrames || bytes > limits.maximumBytes
        else { return }
        frames.removeFirst()
        bytes -= oldest.buffer.count
      }
    }
  }
  private let state: Locked<State>

  /// Makes an empty ring with these bounds.
  public init(limits: Limits) { state = Locked(State(limits: limits)) }

  /// Changes the bounds. Frames outside the new bounds leave at once.
  public func setLimits(_ limits: Limits) {
    state.withLock { state in
      state.limits = limits
      state.evict()
    }
  }

  /// Adds the newest frame. The capture thread calls this.
  public func append(_ captured: CapturedFrame) {
    state.withLock { state in
      state.frames.append(captured)
      state.bytes += captured.frame.buffer.count
      state.newestStreamID = captured.frame.streamID
      state.evict()
    }
  }

  /// Removes every frame because their stream is over.
  public func removeAll() {
    state.withLock { state in
      state.frames.removeAll()
      state.bytes = 0
      state.earliestStreamID = state.newestStreamID + 1
    }
  }

  /// The newest frame; nil while the ring is empty.
  public var newest: CapturedFrame? { state.withLock { $0.frames.last } }

  /// The first stream whose frames may still be shown: frames of earlier streams are over. 0 until ``removeAll()`` was
  /// called for the first time.
  public var earliestStreamID: UInt64 { state.withLock(\.earliestStreamID) }

  /// Whether frames of a stream must not be shown any more. A stream that is later than that of the newest frame is of
  /// another camera, because the ring gets each frame before the outputs do.
  public func isOver(stream: UInt64) -> Bool {
    state.withLock { state in
      max(state.earliestStreamID, state.frames.last?.frame.streamID ?? 0) > stream || stream > state.newestStreamID
    }
  }

  /// The bounds of the ring now.
  var currentLimits: Limits { state.withLock(\.limits) }

  /// The number of frames in the ring now.
  public var count: Int { state.withLock { $0.frames.count } }

  /// Returns the frame at `moment`, or else the nearest frame that the ring holds.
  ///
  /// - Returns: nil when the ring is empty. `exact` is false when the ring does not hold the sequence, or when the time
  ///   is before or after the frames by more than half a period.
  public func frame(nearest moment: CaptureMoment) -> (frame: CapturedFrame, exact: Bool)? {
    state.withLock { state in
      guard let newest = state.frames.last else { return nil }
      switch moment {
      case .sequence(let sequence, let streamID):
        let stream = streamID ?? newest.frame.streamID
        // Sequences of another stream mean nothing in this one. Of the frames that are left, the oldest is the nearest
        // in time to a frame of an earlier stream.
        let same = state.frames.filter { $0.frame.streamID == stream }
        guard
          let nearest = same.min(by: {
            Self.distance($0.frame.sequence, sequence) < Self.distance($1.frame.sequence, sequence)
          })
        else { return (stream < newest.frame.streamID ? state.frames[0] : newest, false) }
        return (nearest, nearest.frame.sequence == sequence)
      case .wallTime(let instant):
        return Self.nearest(state.frames, to: instant, by: \.wall)
      case .monotonic(let instant):
        return Self.nearest(state.frames, to: instant, by: \.monotonic)
      }
    }
  }

  private static func nearest<Instant: ClockInstant>(
    _ frames: [CapturedFrame], to instant: Instant, by stamp: (FrameTime) -> Instant
  ) -> (frame: CapturedFrame, exact: Bool) {
    let isCovered = covers(
      instant, count: frames.count, oldest: stamp(frames.first!.frame.time), newest: stamp(frames.last!.frame.time))
    func distance(_ frame: CapturedFrame) -> UInt64 {
      Self.distance(stamp(frame.frame.time).nanoseconds, instant.nanoseconds)
    }
    return (frames.min { distance($0) < distance($1) }!, isCovered)
  }

  private static func distance(_ a: UInt64, _ b: UInt64) -> UInt64 { a > b ? a - b : b - a }
}

/// Plans how many frames the ring keeps, and how much memory the frames of a camera may take. Depends on its arguments
/// alone.
struct RingPlan: Hashable, Sendable {
  /// Bytes for the frames in the ring.
  static let ringBudget = 192 << 20
  /// Bytes for frames outside the ring: frames that wait in readers' slots, are lent to gRPC, or are held for photos.
  static let transitBudget = 64 << 20

  /// The bounds of the ring.
  var limits: FrameRing.Limits
  /// Bytes that the pool may allocate.
  var poolBudget: Int
  /// Bytes of ``poolBudget`` that the ring takes when it is full.
  var ringBytes: Int
  /// How far back the ring reaches within these limits, nanoseconds; at most the window that was asked for.
  var windowNanoseconds: UInt64

  /// - Parameters:
  ///   - window: how far back the ring is to reach, nanoseconds.
  ///   - cameras: the number of cameras of the session, which share the memory outside of rings. Only one of them has a
  ///     ring that reaches back.
  ///   - held: the frames that derived inputs and captures of several cameras hold.
  init(window: UInt64, format: StreamFormat, cameras: Int = 1, held: Int = 0) {
    // Compressed frames differ in length. Half a byte per pixel is more than cameras send.
    let bytes = format.layout.planes.isEmpty ? format.layout.size.pixelCount / 2 : format.layout.byteCount
    // The pool allocates whole pages.
    let frameBytes = max(4096, (bytes + 4095) & ~4095)
    let period = 1_000_000_000 / max(format.frameRate.value, 0.01)
    let wanted = Int((Double(window) / period).rounded(.up)) + 1
    let frames = max(1, min(wanted, max(3, Self.ringBudget / frameBytes)))
    limits = FrameRing.Limits(
      windowNanoseconds: window, maximumFrames: frames, maximumBytes: max(Self.ringBudget, 3 * frameBytes))
    ringBytes = frames * frameBytes
    // A ring may reach back into the group of coded pictures before the newest one.
    let groups = format.layout.pixelFormat.isVideo ? 2 * CodedGroup.mostBytes : 0
    poolBudget = ringBytes + max(8 * frameBytes, Self.transitBudget / max(1, cameras)) + held * frameBytes + groups
    windowNanoseconds = min(window, UInt64(Double(frames - 1) * period))
  }
}
