internal import CaptureCore
internal import Synchronization
internal import SystemClocks

/// An output's view of its session, and of the camera that the output has now. Thread-safe.
final class CameraOutputContext: OutputContext {
  private let session: SessionOutputContext
  private let camera: Mutex<FrameFanOut>

  init(_ session: SessionOutputContext) {
    self.session = session
    camera = Mutex(session.frames)
  }

  /// The frames of the output's camera. A commit may give the output another camera.
  var frames: FrameFanOut {
    get { camera.withLock { $0 } }
    set { camera.withLock { $0 = newValue } }
  }

  var sessionID: String { session.sessionID }

  var history: any FrameHistory { frames.ring }

  /// How long captures wait for frames, nanoseconds. It depends on the rate at which the output gets frames.
  var framePatienceNanoseconds: UInt64 { frames.patienceNanoseconds }

  func runDeferredStartIfNeeded() async throws(CaptureError) { try await session.runDeferredStartIfNeeded() }

  func didSend(_ frame: Frame, from output: String) { session.didSend(frame, from: output) }

  func shoot(
    _ shot: Shot, while isWanted: @escaping @Sendable () -> Bool,
    _ take: @escaping @Sendable (_ step: Int, _ conditions: ShotConditions) async throws -> Void
  ) async throws -> MonotonicInstant {
    try await session.shoot(shot, while: isWanted, take)
  }
}
