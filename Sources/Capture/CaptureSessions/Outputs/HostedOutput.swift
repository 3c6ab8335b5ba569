internal import CaptureCore
internal import Locking
internal import SystemClocks

/// An output with the facts that its session knows about it. One object serves for the output's whole life: when an
/// output is prepared during a commit, the object that the commit keeps is marked as prepared.
final class HostedOutput {
  var configuration: ResolvedConfiguration.Output
  /// The kind that the output was made for. The configuration of a commit that keeps the output may name the same
  /// format in another way.
  let kind: ResolvedConfiguration.Kind
  let output: any CaptureOutput
  /// The output's view of its session.
  let view: CameraOutputContext
  private var conditions = OutputConditions()
  var isPrepared = false
  /// The task that prepares the output now; nil when none does. Callers that need the output meanwhile wait for this
  /// task.
  var preparation: Task<Result<Void, CaptureError>, Never>?

  init(_ configuration: ResolvedConfiguration.Output, _ output: any CaptureOutput, _ view: CameraOutputContext) {
    self.configuration = configuration
    self.view = view
    kind = configuration.kind
    self.output = output
  }

  /// Changes the output's conditions, and passes the changed conditions on to the output.
  func update(_ change: (inout OutputConditions) -> Void) {
    change(&conditions)
    output.update(conditions)
  }
}

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
