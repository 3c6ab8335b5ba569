internal import CaptureCore
internal import Locking
internal import SystemClocks

/// An output's view of its session, and of the camera that the output has now. Thread-safe.
final class CameraOutputContext: OutputContext {
  /// The cameras that are connected to the output, and who gets their frames.
  private struct Taps: Sendable {
    var cameras: [String: FrameFanOut] = [:]
    var wanted: Set<String> = []
    var tap: (any FrameTap)?
  }

  private let shared: SessionOutputContext
  private let camera: Locked<FrameFanOut>
  private let taps = Locked(Taps())

  init(_ shared: SessionOutputContext) {
    self.shared = shared
    camera = Locked(shared.frames)
  }

  /// The frames of the output's camera. A commit may give the output another camera.
  var frames: FrameFanOut {
    get { camera.withLock { $0 } }
    set { camera.withLock { $0 = newValue } }
  }

  /// Names the cameras that are connected to a photo output that has several, by the ids of their inputs.
  func connect(_ cameras: [String: FrameFanOut]) { changeTaps { $0.cameras = cameras } }

  func tap(_ inputs: Set<String>, for tap: any FrameTap) {
    changeTaps { taps in
      taps.wanted = inputs
      taps.tap = inputs.isEmpty ? nil : tap
    }
  }

  /// Changes the taps, and what the cameras know of them. A camera that stays tapped loses no frame.
  private func changeTaps(_ change: (inout Taps) -> Void) {
    taps.withLock { taps in
      let former = taps
      change(&taps)
      let before = former.cameras.filter { former.wanted.contains($0.key) }.values
      let after = taps.cameras.filter { taps.wanted.contains($0.key) }.values
      if let tap = former.tap {
        for frames in before where tap !== taps.tap || !after.contains(where: { $0 === frames }) {
          frames.setTap(tap, isOn: false)
        }
      }
      guard let tap = taps.tap else { return }
      for frames in after where tap !== former.tap || !before.contains(where: { $0 === frames }) {
        frames.setTap(tap, isOn: true)
      }
    }
  }

  var sessionID: String { shared.sessionID }

  var history: any FrameHistory { frames.ring }

  /// How long captures wait for frames, nanoseconds. It depends on the rate at which the output gets frames.
  var framePatienceNanoseconds: UInt64 { frames.patienceNanoseconds }

  func runDeferredStartIfNeeded(opensCameras: Bool) async throws(CaptureError) {
    try await shared.runDeferredStartIfNeeded(opensCameras: opensCameras)
  }

  func didSend(_ frame: Frame, from output: String) { shared.didSend(frame, from: output) }

  func shoot(
    _ shot: Shot, while isWanted: @escaping @Sendable () -> Bool,
    _ take: @escaping @Sendable (_ step: Int, _ conditions: ShotConditions) async throws -> Void
  ) async throws -> MonotonicInstant {
    guard let session = shared.session else { throw CancellationError() }
    return try await session.shoot(shot, while: isWanted, take)
  }
}
