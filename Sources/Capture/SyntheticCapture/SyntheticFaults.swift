public import CaptureCore
internal import Locking
internal import SystemClocks

/// Makes synthetic cameras misbehave, for tests of everything that uses a camera. Thread-safe.
///
/// Faults belong to the device and not to a stream: a fault that a test injects while no stream runs acts on the next
/// stream. Every method throws `deviceNotFound` for a device that the provider never had.
public struct SyntheticFaults: Sendable {
  private let cameras: [SyntheticCamera]
  private let changed: Broadcast<DeviceChange>

  init(cameras: [SyntheticCamera], changed: Broadcast<DeviceChange>) {
    self.cameras = cameras
    self.changed = changed
  }

  /// Unplugs the device: the device leaves the list of devices, a running source ends with `deviceDisconnected`, and
  /// the provider announces the change. Has no effect on a device that is unplugged already.
  public func unplug(_ deviceID: String) throws(CaptureError) {
    let camera = try cameras.named(deviceID)
    if camera.setPlugged(false) { changed.tell(DeviceChange(.disconnected, camera.device)) }
  }

  /// Plugs the device in again, and has the provider announce the change. Sources that ended do not come back. Has no
  /// effect on a device that is plugged in.
  public func replug(_ deviceID: String) throws(CaptureError) {
    let camera = try cameras.named(deviceID)
    if camera.setPlugged(true) { changed.tell(DeviceChange(.connected, camera.device)) }
  }

  /// Stops the camera from publishing frames for `duration` from now. The sensor runs on, so that afterwards sequence
  /// numbers are missing, except those of the few frames that a driver would have queued. A stall that is long enough
  /// ends the stream with `deviceNotResponding`, and so ends every stream that begins during the stall.
  public func stall(_ deviceID: String, for duration: Duration) throws(CaptureError) {
    let end = MonotonicInstant.now() + duration.wholeNanoseconds
    try cameras.named(deviceID).inject { $0.stalledUntil = end }
  }

  /// Makes the camera publish every frame `delay` after its instant, until a call with zero. The times of the frames
  /// stay true.
  public func late(_ deviceID: String, by delay: Duration) throws(CaptureError) {
    try cameras.named(deviceID).inject { $0.lateNanoseconds = delay.wholeNanoseconds }
  }

  /// Makes the camera lose the next `frames` frames. Their sequence numbers are skipped, and the frames count as a
  /// discontinuity. A number below 0 counts as 0.
  public func drop(_ deviceID: String, frames: Int) throws(CaptureError) {
    try cameras.named(deviceID).inject { $0.framesToDrop = max(0, frames) }
  }

  /// Damages the next `frames` frames, as a driver does when it sets `V4L2_BUF_FLAG_ERROR`: the camera does not publish
  /// these frames and counts them as damaged. A number below 0 counts as 0.
  public func corrupt(_ deviceID: String, frames: Int = 1) throws(CaptureError) {
    try cameras.named(deviceID).inject { $0.framesToDamage = max(0, frames) }
  }

  /// Makes every start take `latency` from the opening of the device to its first exposure, until a call with zero.
  public func slowStart(_ deviceID: String, by latency: Duration) throws(CaptureError) {
    try cameras.named(deviceID).inject { $0.startLatency = latency }
  }

  /// Makes the preparation of each output take `delay` longer, in every session with this camera, until a call with
  /// zero.
  ///
  /// - Parameter output: the id of the only output that takes longer; nil for every output.
  public func slowOutputs(_ deviceID: String, by delay: Duration, output: String? = nil) throws(CaptureError) {
    try cameras.named(deviceID).inject { ($0.outputInitDelay, $0.slowOutput) = (delay, output) }
  }

  /// Makes the first `frames` frames of every stream too dark, until a call with 0. Each of these frames is a little
  /// brighter than the one before. The timecode board never becomes darker.
  public func settle(_ deviceID: String, over frames: Int) throws(CaptureError) {
    try cameras.named(deviceID).inject { $0.settlingFrames = max(0, frames) }
  }
}

extension Duration {
  /// The duration in nanoseconds; 0 for a negative duration.
  var wholeNanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    return self <= .zero ? 0 : UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }
}

/// How a camera misbehaves from now on. A value: the capture thread carries out what the plan decides.
struct FaultPlan: Hashable, Sendable {
  /// The fate of one frame. A dropped frame counts as a discontinuity; the sink gets neither dropped nor damaged
  /// frames.
  enum Fate: Hashable, Sendable { case delivered, dropped, damaged }

  /// How long after its usual time the camera publishes each frame, in nanoseconds.
  var lateNanoseconds: UInt64 = 0
  /// The camera publishes no frame before this instant; nil when it does not stall.
  var stalledUntil: MonotonicInstant?
  /// The number of frames that the camera still loses. The camera loses these frames before it damages any.
  var framesToDrop = 0
  /// The number of frames that the camera still damages.
  var framesToDamage = 0
  /// The time from the opening of the device to its first exposure.
  var startLatency: Duration = .zero
  /// How much longer the preparation of an output takes, in a session with this camera, than the output's own work.
  var outputInitDelay: Duration = .zero
  /// The id of the only output that ``outputInitDelay`` slows down; nil when it slows down every output.
  var slowOutput: String?
  /// How many frames at the beginning of each stream are too dark. Each of these frames is a little brighter than the
  /// one before.
  var settlingFrames = 0

  /// The brightness of the picture of a tick, above 0 and at most 1.
  func brightness(ofTick number: UInt64) -> Double {
    number < settlingFrames ? Double(number + 1) / Double(settlingFrames + 1) : 1
  }

  /// How much longer the preparation of the output `id` takes; zero for an output that the plan does not slow down.
  func initDelay(ofOutput id: String) -> Duration { slowOutput == nil || slowOutput == id ? outputInitDelay : .zero }

  /// The earliest time at which the camera may publish the frame that was exposed at `tick`.
  func publication(ofTick tick: MonotonicInstant) -> MonotonicInstant {
    max(tick + lateNanoseconds, stalledUntil ?? tick)
  }

  /// Decides about the next frame, and counts that frame off the frames still to be dropped or damaged.
  mutating func takeFate() -> Fate {
    if framesToDrop > 0 {
      framesToDrop -= 1
      return .dropped
    }
    if framesToDamage > 0 {
      framesToDamage -= 1
      return .damaged
    }
    return .delivered
  }
}
