public import CaptureCore
internal import Synchronization

/// The newest frames of a session, kept for zero shutter lag. Holds references, copies nothing. Thread-safe.
///
/// Frames leave by age, by number and by bytes, whichever bound is met first; the newest one always stays.
public final class FrameRing: FrameHistory {
  /// How much is kept.
  public struct Limits: Hashable, Sendable {
    /// Frames older than the newest by more than this leave.
    public var windowNanoseconds: UInt64
    public var maximumFrames: Int
    public var maximumBytes: Int

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
      guard let newest = frames.last?.frame.time.monotonicNanoseconds else { return }
      while frames.count > 1, let oldest = frames.first?.frame {
        let age = newest - min(newest, oldest.time.monotonicNanoseconds)
        guard age > limits.windowNanoseconds || frames.count > limits.maximumFrames || bytes > limits.maximumBytes
        else { return }
        frames.removeFirst()
        bytes -= oldest.buffer.count
      }
    }
  }
  private let state: Mutex<State>

  public init(limits: Limits) { state = Mutex(State(limits: limits)) }

  /// Changes the bounds; frames outside the new ones leave at once.
  public func setLimits(_ limits: Limits) {
    state.withLock { state in
      state.limits = limits
      state.evict()
    }
  }

  /// Adds the newest frame. Called on the capture thread.
  public func append(_ captured: CapturedFrame) {
    state.withLock { state in
      state.frames.append(captured)
      state.bytes += captured.frame.buffer.count
      state.newestStreamID = captured.frame.streamID
      state.evict()
    }
  }

  /// Lets go of every frame: their stream is over.
  public func removeAll() {
    state.withLock { state in
      state.frames.removeAll()
      state.bytes = 0
      state.earliestStreamID = state.newestStreamID + 1
    }
  }

  public var newest: CapturedFrame? { state.withLock { $0.frames.last } }

  public var earliestStreamID: UInt64 { state.withLock(\.earliestStreamID) }

  /// What bounds it now.
  var currentLimits: Limits { state.withLock(\.limits) }

  /// Frames kept now.
  public var count: Int { state.withLock { $0.frames.count } }

  public func frame(nearest moment: CaptureMoment) -> (frame: CapturedFrame, exact: Bool)? {
    state.withLock { state in
      guard let newest = state.frames.last else { return nil }
      switch moment {
      case .sequence(let sequence, let streamID):
        let stream = streamID ?? newest.frame.streamID
        // A stale stream's numbers mean nothing in this one: its nearest frame in time is the oldest kept.
        let same = state.frames.filter { $0.frame.streamID == stream }
        guard
          let nearest = same.min(by: {
            Self.distance($0.frame.sequence, sequence) < Self.distance($1.frame.sequence, sequence)
          })
        else { return (stream < newest.frame.streamID ? state.frames[0] : newest, false) }
        return (nearest, nearest.frame.sequence == sequence)
      case .wallTime(let instant):
        return Self.nearest(state.frames, to: instant, by: \.wallNanoseconds)
      case .monotonic(let instant):
        return Self.nearest(state.frames, to: instant, by: \.monotonicNanoseconds)
      }
    }
  }

  private static func nearest(
    _ frames: [CapturedFrame], to instant: UInt64, by stamp: (FrameTime) -> UInt64
  ) -> (frame: CapturedFrame, exact: Bool) {
    let isCovered = covers(
      instant, count: frames.count, oldest: stamp(frames.first!.frame.time), newest: stamp(frames.last!.frame.time))
    return (
      frames.min { distance(stamp($0.frame.time), instant) < distance(stamp($1.frame.time), instant) }!, isCovered
    )
  }

  private static func distance(_ a: UInt64, _ b: UInt64) -> UInt64 { a > b ? a - b : b - a }
}
