internal import CaptureCore
internal import Locking
internal import VideoCoding

/// What a movie output does with its frames: a ``ContinuousRecorder`` records them by itself, a ``PreRoll`` keeps them
/// for recordings that begin before their request, and ``RequestedMovies`` waits for clients. Thread-safe.
///
/// The output calls what changes the mode under its own lock, so that a recording that starts has the newest
/// conditions, and no change from before ends it.
protocol MovieMode: AnyObject, Sendable {
  /// Why clients can start nothing. Nil when they can.
  var refusal: CaptureError? { get }
  /// Whether recordings may begin before their request.
  var keepsFrames: Bool { get }
  /// Whether frames are being recorded, or given to a writer.
  var isRecording: Bool { get }

  /// Takes frames from the next one on.
  ///
  /// - Parameters:
  ///   - frameRate: the nominal rate of the camera's frames; nil when nobody knows.
  ///   - audioTracks: the sound that comes from now on.
  func goOn(frameRate: Rational?, orientation: Orientation, audioTracks: [AudioConnection])

  /// Ends what is recorded with this reason, and records nothing until
  /// ``goOn(frameRate:orientation:audioTracks:)``.
  ///
  /// - Returns: what the caller has to end with this reason when it holds no lock, because a writer calls back.
  func pause(_ error: CaptureError) -> (any MovieTarget)?

  /// As ``pause(_:)``, and nothing is recorded any more.
  func close(_ error: CaptureError) -> (any MovieTarget)?

  /// Takes a frame, on the capture thread.
  func receive(_ frame: CapturedFrame)

  /// Takes sound of an input, on the thread that captures it.
  func receive(_ block: AudioBlock, of input: String)

  /// Starts a recording for a client.
  ///
  /// - Throws: ``refusal``; `processingFailed` when the system cannot create a thread, or the encoder does not answer.
  func record(to destination: MovieDestination, _ settings: RecordingSettings) throws(CaptureError) -> MovieRecorder

  /// Lets a writer have the next frames, which are of this camera. Only an output that neither refuses recordings nor
  /// keeps frames takes writers.
  func attach(_ writer: some MovieTarget, of device: String)

  /// Lets go of a writer that takes no more frames, and of its memory. Called without a lock.
  func letGo()
}

extension MovieMode {
  var refusal: CaptureError? { nil }
  var keepsFrames: Bool { false }

  func close(_ error: CaptureError) -> (any MovieTarget)? { pause(error) }
  func attach(_: some MovieTarget, of _: String) {}
  func letGo() {}
}

/// What frames are given to: a recorder, a run, or a writer.
protocol MovieTarget: AnyObject, Sendable {
  /// Whether the target takes no more frames.
  var isEnding: Bool { get }

  /// Takes a frame, on the capture thread.
  func receive(_ frame: CapturedFrame)

  /// Takes sound of an input, on the thread that captures it.
  func receive(_ block: AudioBlock, of input: String)

  /// Learns that no frames of the stream will come any more.
  func end(_ reason: RecordingEnd)
}

extension MovieRecorder: MovieTarget {
  func receive(_ block: AudioBlock, of input: String) { receive(block, of: input, from: .microphone) }
}

/// Gives frames to what a client starts, from the next frame on: a recording, which has an encoder of its own, or a
/// writer.
final class RequestedMovies: MovieMode {
  private struct State {
    /// The newest recording, or the writer that is attached. Either may have ended.
    var target: (any MovieTarget)?
    /// What the target's frames show.
    var subject = MovieSubject(of: "")
    var frameRate: Rational?
  }

  private let counters: RecordingCounters
  private let state = Locked(State())

  /// - Parameter counters: count what the recordings write and lose.
  init(_ counters: RecordingCounters) { self.counters = counters }

  var isRecording: Bool { state.withLock { $0.target.map { !$0.isEnding } ?? false } }

  func goOn(frameRate: Rational?, orientation: Orientation, audioTracks: [AudioConnection]) {
    state.withLock { $0.frameRate = frameRate }
  }

  func pause(_: CaptureError) -> (any MovieTarget)? { state.withLock(\.target) }

  func receive(_ captured: CapturedFrame) {
    let found: (target: any MovieTarget, obstacle: CaptureError?)? = state.withLock { state in
      guard let target = state.target else { return nil }
      return (target, state.subject.obstacle(toTaking: captured))
    }
    guard let (target, obstacle) = found else { return }
    if let obstacle { target.end(.session(obstacle)) } else { target.receive(captured) }
  }

  func receive(_ block: AudioBlock, of input: String) { state.withLock(\.target)?.receive(block, of: input) }

  func record(to destination: MovieDestination, _ settings: RecordingSettings) throws(CaptureError) -> MovieRecorder {
    let recorder = MovieRecorder(
      to: destination, settings: settings, frameRate: state.withLock(\.frameRate) ?? Rational(30, 1),
      counters: counters)
    try recorder.start()
    attach(recorder, of: settings.device)
    return recorder
  }

  func attach(_ target: some MovieTarget, of device: String) {
    state.withLock { ($0.target, $0.subject) = (target, MovieSubject(of: device)) }
  }

  func letGo() {
    let ended: (any MovieTarget)? = state.withLock { state in
      guard let target = state.target, target.isEnding else { return nil }
      state.target = nil
      return target
    }
    // It is freed without the lock.
    withExtendedLifetime(ended) {}
  }
}
