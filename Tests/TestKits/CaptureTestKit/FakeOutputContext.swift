public import CaptureCore
internal import Synchronization
public import SystemClocks

/// A session as outputs see it, whose frames a test decides. Thread-safe.
public final class FakeOutputContext: OutputContext {
  private struct State {
    var deferredStart: (@Sendable () async throws(CaptureError) -> Void)?
    var shotConditions: @Sendable (Shot.Step) throws(CaptureError) -> ShotConditions = { _ in
      ShotConditions(earliest: 0)
    }
    var shotEnd: MonotonicInstant = 0
    var shotTurn: (@Sendable () async -> Void)?
    var shotFrames: (@Sendable () async -> Void)?
    var taking: Task<Void, any Error>?
    var framePatience: (@Sendable () -> Void)?
  }
  private let state = Mutex(State())
  private let frames = FakeHistory()

  /// One element for each call of ``didSend(_:from:)``: which frame, and of which output.
  public let sent = Recorder<(sequence: UInt64, output: String)>()
  /// One element for each call of ``runDeferredStartIfNeeded()``.
  public let deferredStarts = Recorder<Void>()

  /// One element for each shot, when the camera is set back.
  public let shots = Recorder<Shot>()

  public init() {}

  public var history: any FrameHistory { frames }

  public let sessionID = "session"

  /// Five seconds.
  public var framePatienceNanoseconds: UInt64 {
    state.withLock(\.framePatience)?()
    return 5_000_000_000
  }

  /// Runs `body` just before ``framePatienceNanoseconds`` is told.
  public func onFramePatience(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.framePatience = body } }

  /// What ``runDeferredStartIfNeeded()`` does; nothing until set.
  public func onDeferredStart(_ body: @escaping @Sendable () async throws(CaptureError) -> Void) {
    state.withLock { $0.deferredStart = body }
  }

  /// Puts a frame into the history, which keeps all.
  @discardableResult
  public func keep(_ frame: Frame, input: String = "camera", configRevision: UInt64 = 1) -> CapturedFrame {
    let captured = CapturedFrame(frame: frame, input: input, configRevision: configRevision)
    frames.kept.withLock { $0.append(captured) }
    return captured
  }

  /// Forgets the oldest frames.
  public func dropFrames(keeping count: Int) {
    frames.kept.withLock { $0.removeFirst(max(0, $0.count - count)) }
  }

  public func runDeferredStartIfNeeded() async throws(CaptureError) {
    deferredStarts.append(())
    try await state.withLock(\.deferredStart)?()
  }

  /// The instant from which frames are as before a shot; 0 until set.
  public var shotEnd: MonotonicInstant {
    get { state.withLock(\.shotEnd) }
    set { state.withLock { $0.shotEnd = newValue } }
  }

  /// What a step of a shot comes to; frames captured at any time until set.
  public func onShot(_ conditions: @escaping @Sendable (Shot.Step) throws(CaptureError) -> ShotConditions) {
    state.withLock { $0.shotConditions = conditions }
  }

  /// What a shot waits for before it is its turn; nothing until set.
  public func onShotTurn(_ body: @escaping @Sendable () async -> Void) { state.withLock { $0.shotTurn = body } }

  /// What a shot waits for when it has all its frames; nothing until set.
  public func onShotFrames(_ body: @escaping @Sendable () async -> Void) { state.withLock { $0.shotFrames = body } }

  /// As when the camera brings no further frames for the step of a shot that is under way.
  public func endShotFrames() { state.withLock(\.taking)?.cancel() }

  public func shoot(
    _ shot: Shot, while isWanted: @escaping @Sendable () -> Bool,
    _ take: @escaping @Sendable (_ step: Int, _ conditions: ShotConditions) async throws -> Void
  ) async throws -> MonotonicInstant {
    await state.withLock(\.shotTurn)?()
    guard isWanted() else { throw CancellationError() }
    defer { shots.append(shot) }
    do {
      for (index, step) in shot.steps.enumerated() {
        let conditions = try state.withLock(\.shotConditions)(step)
        let taking = Task { try await take(index, conditions) }
        state.withLock { $0.taking = taking }
        try await taking.value
      }
      await state.withLock(\.shotFrames)?()
    } catch { throw ShotFailure(error, end: shotEnd) }
    return shotEnd
  }

  public func didSend(_ frame: Frame, from output: String) { sent.append((frame.sequence, output)) }
}

/// Looks through all frames: slow and plain.
private final class FakeHistory: FrameHistory {
  let kept = Mutex<[CapturedFrame]>([])

  var newest: CapturedFrame? { kept.withLock(\.last) }

  func frame(nearest moment: CaptureMoment) -> (frame: CapturedFrame, exact: Bool)? {
    let frames = kept.withLock { $0 }
    guard let newest = frames.last else { return nil }
    func nearest(_ frames: [CapturedFrame], _ value: UInt64, _ of: (Frame) -> UInt64) -> CapturedFrame? {
      func distance(_ frame: CapturedFrame) -> UInt64 { max(of(frame.frame), value) - min(of(frame.frame), value) }
      return frames.min { distance($0) < distance($1) }
    }
    func atTime<Instant: ClockInstant>(_ time: Instant, _ of: (FrameTime) -> Instant) -> (CapturedFrame, Bool)? {
      let isCovered = Self.covers(
        time, count: frames.count, oldest: of(frames[0].frame.time), newest: of(newest.frame.time))
      return nearest(frames, time.nanoseconds) { of($0.time).nanoseconds }.map { ($0, isCovered) }
    }
    switch moment {
    case .sequence(let sequence, let streamID):
      let stream = streamID ?? newest.frame.streamID
      let found = nearest(frames.filter { $0.frame.streamID == stream }, sequence) { $0.sequence }
      return (found ?? newest, found?.frame.sequence == sequence)
    case .wallTime(let time): return atTime(time, \.wall)
    case .monotonic(let time): return atTime(time, \.monotonic)
    }
  }
}
