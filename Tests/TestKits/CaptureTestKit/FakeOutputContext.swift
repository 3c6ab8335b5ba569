public import CaptureCore
internal import Synchronization
public import SystemClocks

/// The context that an output gets from its session, for tests without a session. A test decides which frames the
/// context keeps and how a shot proceeds. Thread-safe.
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
    var tap: (inputs: Set<String>, tap: any FrameTap)?
  }
  private let state = Mutex(State())
  private let frames = FakeHistory()

  /// One element for each call of ``didSend(_:from:)``: the frame's sequence number, and the id of the output that sent
  /// the frame.
  public let sent = Recorder<(sequence: UInt64, output: String)>()
  /// One element for each call of ``runDeferredStartIfNeeded(opensCameras:)``: whether it waits for cameras.
  public let deferredStarts = Recorder<Bool>()

  /// One element for each call of ``tap(_:for:)``: the inputs that it names.
  public let tapped = Recorder<Set<String>>()

  /// One element for each shot whose turn came and that was still wanted, added when the shot is over and the camera is
  /// set back.
  public let shots = Recorder<Shot>()

  /// Creates a context without frames, in which a shot proceeds without waiting.
  public init() {}

  /// The frames of ``keep(_:input:configRevision:)``, apart from those that ``dropFrames(keeping:)`` removed.
  public var history: any FrameHistory { frames }

  /// The id of a session that does not exist.
  public let sessionID = "session"

  /// How long a capture waits for a frame: always 5 s, in nanoseconds. Before the property returns, it calls the
  /// function of ``onFramePatience(_:)``.
  public var framePatienceNanoseconds: UInt64 {
    state.withLock(\.framePatience)?()
    return 5_000_000_000
  }

  /// Sets the function that ``framePatienceNanoseconds`` calls before it returns; none is set at first.
  public func onFramePatience(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.framePatience = body } }

  /// Sets the function that ``runDeferredStartIfNeeded(opensCameras:)`` calls. Until a test sets one, calls are only
  /// recorded.
  public func onDeferredStart(_ body: @escaping @Sendable () async throws(CaptureError) -> Void) {
    state.withLock { $0.deferredStart = body }
  }

  /// Adds a frame to the history, which keeps every frame until ``dropFrames(keeping:)``.
  ///
  /// - Parameters:
  ///   - input: the id of the configuration's input that the frame came from.
  ///   - configRevision: the revision of the commit under which the frame was captured.
  /// - Returns: the frame as the history keeps it.
  @discardableResult
  public func keep(_ frame: Frame, input: String = "camera", configRevision: UInt64 = 1) -> CapturedFrame {
    let captured = CapturedFrame(frame: frame, input: input, configRevision: configRevision)
    frames.kept.withLock { $0.append(captured) }
    return captured
  }

  /// Removes the oldest frames from the history, so that at most `count` frames are left.
  public func dropFrames(keeping count: Int) {
    frames.kept.withLock { $0.removeFirst(max(0, $0.count - count)) }
  }

  /// Records the call in ``deferredStarts``, then runs the function of ``onDeferredStart(_:)``.
  ///
  /// - Throws: the error that this function throws.
  public func runDeferredStartIfNeeded(opensCameras: Bool) async throws(CaptureError) {
    deferredStarts.append(opensCameras)
    try await state.withLock(\.deferredStart)?()
  }

  /// The result of ``shoot(_:while:_:)``: the instant from which on frames have the camera's former settings again. It
  /// is the clock's epoch until a test sets it.
  public var shotEnd: MonotonicInstant {
    get { state.withLock(\.shotEnd) }
    set { state.withLock { $0.shotEnd = newValue } }
  }

  /// Sets the function that gives the conditions of each step of a shot, or throws as a camera that refuses its
  /// settings does. Until a test sets one, the conditions admit frames of any time.
  public func onShot(_ conditions: @escaping @Sendable (Shot.Step) throws(CaptureError) -> ShotConditions) {
    state.withLock { $0.shotConditions = conditions }
  }

  /// Sets the function that a shot waits for before its turn comes. Until a test sets one, a shot does not wait.
  public func onShotTurn(_ body: @escaping @Sendable () async -> Void) { state.withLock { $0.shotTurn = body } }

  /// Sets the function that a shot waits for after it took the frames of every step. Until a test sets one, a shot does
  /// not wait.
  public func onShotFrames(_ body: @escaping @Sendable () async -> Void) { state.withLock { $0.shotFrames = body } }

  /// Cancels the step of a shot that is under way, as a session does when the camera cannot bring the frames of the
  /// step any more.
  public func endShotFrames() { state.withLock(\.taking)?.cancel() }

  /// Runs `take` for each step of `shot` in turn, as a session does, without setting a camera.
  ///
  /// - Parameters:
  ///   - isWanted: called when the shot's turn has come; false ends the shot before its first step.
  ///   - take: takes the frames of one step.
  /// - Returns: ``shotEnd``.
  /// - Throws: `CancellationError` when `isWanted` answered false; ``ShotFailure`` with the error of `take` or of the
  ///   function of ``onShot(_:)``.
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

  /// Records the call in ``tapped``. A test gives the output frames of these inputs by ``bring(_:of:configRevision:)``.
  public func tap(_ inputs: Set<String>, for tap: any FrameTap) {
    state.withLock { $0.tap = inputs.isEmpty ? nil : (inputs, tap) }
    tapped.append(inputs)
  }

  /// Gives a frame of an input to the output, if the output taps that input.
  public func bring(_ frame: Frame, of input: String, configRevision: UInt64 = 1) {
    guard let (inputs, tap) = state.withLock(\.tap), inputs.contains(input) else { return }
    tap.receive(CapturedFrame(frame: frame, input: input, configRevision: configRevision))
  }

  /// Records the call in ``sent``.
  public func didSend(_ frame: Frame, from output: String) { sent.append((frame.sequence, output)) }
}

/// A history that keeps frames in an array and searches all of them one after the other.
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
