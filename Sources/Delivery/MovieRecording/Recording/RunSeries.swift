internal import CaptureCore
internal import Locking
internal import Logging
internal import SystemClocks

/// What an output records or keeps by one encoder, from a first frame until the session stops, the camera or the format
/// changes, or something fails.
protocol FrameRun: MovieTarget {
  /// Whether a failure ended the run.
  var hasFailed: Bool { get }
  /// Whether there is no room for another frame now. The encoder may make room before the next one comes.
  var isBusy: Bool { get }

  /// Why a frame cannot follow the ones before. Nil when it can.
  func obstacle(for frame: CapturedFrame) -> CaptureError?
}

/// What a run knows of its output when it begins.
struct RunConditions: Sendable {
  /// The nominal rate of the camera's frames.
  var frameRate = Rational(30, 1)
  var orientation = Orientation.asCaptured
  var audioTracks: [AudioConnection] = []
}

/// The runs of an output, which follow each other, as a value: which of them takes a frame, and when the next one may
/// begin. After a failure the next one begins by itself, at first after a second and then ever more rarely.
struct RunSeries<Run: FrameRun>: Sendable {
  /// What is to be done with a frame.
  enum Step: Sendable {
    case leaveOut
    case give(to: Run)
    /// No run could begin. The failure may be the first one in a row.
    case report(CaptureError, isFirst: Bool)
  }

  private let slots: RunSlots
  /// The run that takes frames. It has failed only until that is noted.
  private(set) var run: Run?
  /// The run that began last, also when it takes no more frames.
  private var newest: ObjectIdentifier?
  private var retry = RetryDelay()
  private(set) var conditions = RunConditions()
  /// Whether frames are taken.
  private(set) var isOn = false

  /// - Parameter slots: has a place for each run that is not over.
  init(_ slots: RunSlots) { self.slots = slots }

  /// Whether there is a run that takes frames.
  var isTaking: Bool { run.map { !$0.isEnding } ?? false }

  /// Takes frames from the next one on. Without a frame rate the last one stays.
  mutating func goOn(frameRate: Rational?, orientation: Orientation, audioTracks: [AudioConnection]) {
    conditions = RunConditions(
      frameRate: frameRate ?? conditions.frameRate, orientation: orientation, audioTracks: audioTracks)
    isOn = true
  }

  /// Ends the present run with this reason, and takes no frames until ``goOn(frameRate:orientation:audioTracks:)``.
  mutating func pause(_ error: CaptureError) {
    isOn = false
    end(error)
  }

  private mutating func end(_ error: CaptureError) {
    // The delay after a failure begins when the failure is noted.
    guard let run, !run.hasFailed else { return }
    run.end(.session(error))
    self.run = nil
  }

  /// Finds the run that takes a frame. A frame of another camera or format ends the present run.
  ///
  /// - Parameter make: makes and starts a run, if another one may begin.
  mutating func take(_ captured: CapturedFrame, _ make: (RunConditions) throws(CaptureError) -> Run) -> Step {
    guard isOn else { return .leaveOut }
    if let run {
      if run.hasFailed { return .leaveOut }
      guard let obstacle = run.obstacle(for: captured) else { return .give(to: run) }
      end(obstacle)
    }
    guard retry.allowsStart(at: captured.frame.time.monotonic) else { return .leaveOut }
    do throws(CaptureError) {
      guard let next = try begin(make) else { return .leaveOut }
      return .give(to: next)
    } catch {
      return .report(error, isFirst: retry.noteFailure())
    }
  }

  /// Begins a run, whether or not a delay is over. Nil when too many are not over.
  ///
  /// - Throws: what `make` throws.
  mutating func begin(_ make: (RunConditions) throws(CaptureError) -> Run) throws(CaptureError) -> Run? {
    guard slots.take() else { return nil }
    let next: Run
    do throws(CaptureError) { next = try make(conditions) } catch {
      slots.giveBack()
      throw error
    }
    (run, newest) = (next, ObjectIdentifier(next))
    retry.endDelay()
    return next
  }

  /// Lets the next run begin without a delay.
  mutating func endDelay() { retry.endDelay() }

  /// Notes that a run has failed. That of a run which had ended already says nothing of the present one.
  ///
  /// - Returns: whether it is the first failure in a row.
  mutating func noteFailure(of failed: Run) -> Bool {
    guard run === failed else { return false }
    run = nil
    return retry.noteFailure()
  }

  /// Notes that no run can begin. Returns whether it is the first failure in a row, and when to try again, in
  /// nanoseconds.
  mutating func noteFailure() -> (isFirst: Bool, delay: UInt64) { (retry.noteFailure(), retry.delay) }

  /// Notes that a run goes on without a failure. A run that another one has followed says nothing of that one.
  ///
  /// - Returns: how many failures in a row came before it.
  mutating func noteSuccess(of run: Run) -> Int { newest == ObjectIdentifier(run) ? retry.noteSuccess() : 0 }
}

/// Counts the failures of runs, and logs the first one in a row and that they are over.
struct RunReport: Sendable {
  /// The id of the session.
  let session: String
  let logger: Logger
  /// What the log says.
  let failed, resumed: Logger.Message
  let count: @Sendable () -> Void

  func noteFailure(_ cause: String, isFirst: Bool) {
    count()
    guard isFirst else { return }
    logger.warning(failed, metadata: ["session.id": "\(session)", "error.message": "\(cause)"])
  }

  /// - Parameter failures: how many failures in a row are over.
  func noteSuccess(after failures: Int) {
    guard failures > 0 else { return }
    logger.notice(resumed, metadata: ["session.id": "\(session)", "run.failures": "\(failures)"])
  }
}

/// Bounds the runs of a session whose files are not complete. While a disk hangs, no more of them begin, also when a
/// new configuration of the session brings another output. Thread-safe.
final class RunSlots: Sendable {
  /// The most runs at a time.
  static let count = 2

  private let taken = Locked(0)

  /// Takes a slot for a run. Returns false when there is none.
  func take() -> Bool {
    taken.withLock { taken in
      guard taken < Self.count else { return false }
      taken += 1
      return true
    }
  }

  /// Gives back the slot of a run whose files are complete.
  func giveBack() { taken.withLock { $0 -= 1 } }
}

/// When a continuous recording or the encoder of a pre-roll tries again after a failure, as a value. It counts in the
/// time of the camera's frames.
struct RetryDelay: Sendable {
  /// The delay after the first failure and the longest one, in nanoseconds. Each failure in a row doubles the delay.
  static let bounds: ClosedRange<UInt64> = 1_000_000_000...32_000_000_000

  /// How much of a run must be on the storage, or coded for a pre-roll, until the next failure counts as the first one,
  /// in nanoseconds.
  static let steadyDuration: UInt64 = 60_000_000_000

  /// The number of failures since the last success.
  private(set) var failures = 0
  private var waitsSince: MonotonicInstant?
  private var isWaiting = false

  /// The delay after the newest failure, in nanoseconds.
  var delay: UInt64 { min(Self.bounds.upperBound, Self.bounds.lowerBound << UInt64(min(max(failures - 1, 0), 5))) }

  /// Whether the recording may begin with a frame of this time stamp. The delay begins with the first frame after the
  /// failure.
  mutating func allowsStart(at stamp: MonotonicInstant) -> Bool {
    guard isWaiting else { return true }
    let start = waitsSince ?? stamp
    waitsSince = start
    if stamp < start + delay { return false }
    isWaiting = false
    return true
  }

  /// Notes a failure, and returns whether it is the first one in a row.
  @discardableResult
  mutating func noteFailure() -> Bool {
    failures += 1
    (isWaiting, waitsSince) = (true, nil)
    return failures == 1
  }

  /// Lets the recording begin with the next frame.
  mutating func endDelay() { isWaiting = false }

  /// Notes that a recording goes on without a failure, so that the next one may begin at once. Returns how many
  /// failures in a row came before it.
  mutating func noteSuccess() -> Int {
    defer { (failures, isWaiting) = (0, false) }
    return failures
  }
}
