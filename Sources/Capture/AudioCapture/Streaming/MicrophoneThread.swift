internal import CaptureCore
internal import Locking
internal import SystemClocks

/// A running microphone. Its thread opens the microphone, takes every sample and closes the microphone. The thread runs
/// until the owner stops the source; releasing the source does not end it.
final class MicrophoneThread: AudioSource {
  /// The stream to start, and whom to tell.
  struct Assignment: Sendable {
    var deviceID: String
    var format: AudioFormat
    var patience = StallPatience()
    var sink: any AudioSink
    /// Opens and starts the microphone. Called on the thread.
    var open: @Sendable () throws(CaptureError) -> any PCM
    /// Called once after the microphone is closed, on the thread, or in place of a thread that could not start.
    var didClose: @Sendable () -> Void
  }

  private struct State {
    var pcm: (any PCM)?
    var stopRequested = false
    var drift: Double?
  }

  /// Nanoseconds between two attempts to start a suspended card.
  private static let suspendedPause: UInt64 = 100_000_000

  private let assignment: Assignment
  private let state = Locked(State())
  private let ended = Event<Void>()

  var deviceID: String { assignment.deviceID }
  var format: AudioFormat { assignment.format }
  var drift: Double? { state.withLock { $0.drift } }

  private init(_ assignment: Assignment) { self.assignment = assignment }

  /// Starts a capture thread, and returns when the microphone captures. Cancelling the task has no effect.
  ///
  /// - Throws: the error of opening the microphone; `processingFailed` when the system cannot create a thread.
  static func start(_ assignment: Assignment) async throws(CaptureError) -> MicrophoneThread {
    let source = MicrophoneThread(assignment)
    let failure: CaptureError? = await withCheckedContinuation { continuation in
      do throws(CaptureError) {
        try WorkerThread.start(name: assignment.deviceID) { source.main(continuation) }
      } catch {
        assignment.didClose()
        continuation.resume(returning: error)
      }
    }
    if let failure { throw failure }
    return source
  }

  func stop() async {
    state.withLock { state in
      state.stopRequested = true
      state.pcm?.wake()
    }
    await ended.wait()
  }

  // MARK: - On the thread

  private func main(_ started: CheckedContinuation<CaptureError?, Never>) {
    var failure: CaptureError?
    do throws(CaptureError) {
      let pcm = try assignment.open()
      state.withLock { $0.pcm = pcm }
      started.resume(returning: nil)
      do throws(CaptureError) { try capture(pcm) } catch { failure = error }
      // Nobody wakes a microphone that is closed.
      state.withLock { $0.pcm = nil }
      pcm.close()
      assignment.didClose()
    } catch {
      assignment.didClose()
      started.resume(returning: error)
    }
    // The microphone is closed before anybody learns of the end, so that the receiver may start it again.
    if let failure, !stopRequested { assignment.sink.sourceDidEnd(failure) }
    ended.happen()
  }

  private var stopRequested: Bool { state.withLock { $0.stopRequested } }

  /// Gives the sound to the sink until the owner asks the thread to stop.
  ///
  /// - Throws: why the microphone gives no more sound.
  private func capture(_ pcm: any PCM) throws(CaptureError) {
    var grid = DriftCompensation(format)
    var newest = MonotonicInstant.now()
    var patience = max(assignment.patience.firstFrame, assignment.patience.betweenFrames)
    while !stopRequested {
      do throws(PCMError) {
        if try pcm.wait(until: newest + patience) {
          while !stopRequested, let reading = try pcm.read() {
            newest = .now()
            patience = assignment.patience.betweenFrames
            pass(grid.take(reading))
          }
          let drift = grid.drift
          state.withLock { $0.drift = drift }
        }
      } catch {
        guard let loss = error.loss else { throw error.error(device: deviceID) }
        grid.lose(loss)
        try restart(pcm, until: newest + patience)
      }
      let silence = MonotonicInstant.now().nanoseconds(since: newest)
      if silence >= patience { throw .silent(microphone: deviceID, for: silence) }
    }
  }

  /// Starts the microphone again. A card that is still suspended says so at once, so it is asked ten times a second.
  private func restart(_ pcm: any PCM, until deadline: MonotonicInstant) throws(CaptureError) {
    while !stopRequested {
      do throws(PCMError) { return try pcm.restart() } catch {
        let now = MonotonicInstant.now()
        guard error.loss == .suspended, now < deadline else { throw error.error(device: deviceID) }
        pcm.rest(until: now + Self.suspendedPause)
      }
    }
  }

  private func pass(_ events: [DriftCompensation.Event]) {
    for event in events where !stopRequested {
      switch event {
      case .loss(let loss): assignment.sink.soundWasLost(loss)
      case .block(let block): assignment.sink.receive(block)
      }
    }
  }
}
