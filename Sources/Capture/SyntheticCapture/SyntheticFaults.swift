public import CaptureCore

/// Makes synthetic cameras misbehave, for tests of everything that uses a camera. Thread-safe.
///
/// Faults belong to the device, not to a stream: what is injected while nobody streams meets the next stream.
/// Every method throws `deviceNotFound` for a device the provider never had.
public struct SyntheticFaults: Sendable {
  private let cameras: [SyntheticCamera]
  private let announcer: ChangeAnnouncer

  init(cameras: [SyntheticCamera], announcer: ChangeAnnouncer) {
    self.cameras = cameras
    self.announcer = announcer
  }

  /// Takes the device away: it leaves the list, a running source ends with `deviceDisconnected`, the change is told.
  /// Harmless when it is away already.
  public func unplug(_ deviceID: String) throws(CaptureError) {
    let camera = try cameras.named(deviceID)
    if camera.setPlugged(false) { announcer.announce(DeviceChange(.disconnected, camera.device)) }
  }

  /// Brings the device back and tells the change. Sources that ended do not come back. Harmless when it is there.
  public func replug(_ deviceID: String) throws(CaptureError) {
    let camera = try cameras.named(deviceID)
    if camera.setPlugged(true) { announcer.announce(DeviceChange(.connected, camera.device)) }
  }

  /// Publishes nothing for `duration` from now. The sensor runs on: afterwards sequence numbers are missing, except for
  /// the few frames that a driver would have queued. A stall that is long enough ends the stream with
  /// `deviceNotResponding`, and so does every stream that begins meanwhile.
  public func stall(_ deviceID: String, for duration: Duration) throws(CaptureError) {
    let end = SystemClock.monotonicNanoseconds() + duration.wholeNanoseconds
    try cameras.named(deviceID).inject { $0.stalledUntil = end }
  }

  /// Publishes every frame `delay` after its instant, until called with zero. Time stamps stay true.
  public func late(_ deviceID: String, by delay: Duration) throws(CaptureError) {
    try cameras.named(deviceID).inject { $0.lateNanoseconds = delay.wholeNanoseconds }
  }

  /// Loses the next `frames` frames: their sequence numbers are skipped and counted as discontinuity.
  public func drop(_ deviceID: String, frames: Int) throws(CaptureError) {
    try cameras.named(deviceID).inject { $0.framesToDrop = max(0, frames) }
  }

  /// Damages the next `frames` frames, as a driver does that sets `V4L2_BUF_FLAG_ERROR`: they are not published, and
  /// counted as damaged.
  public func corrupt(_ deviceID: String, frames: Int = 1) throws(CaptureError) {
    try cameras.named(deviceID).inject { $0.framesToDamage = max(0, frames) }
  }

  /// Makes every start take so long, from opening the device to its first exposure, until called with zero.
  public func slowStart(_ deviceID: String, by latency: Duration) throws(CaptureError) {
    try cameras.named(deviceID).inject { $0.startLatency = latency }
  }

  /// Makes the preparation of each output of a session with this camera take so much longer, until called with zero.
  ///
  /// - Parameter output: the only output that does; nil for each.
  public func slowOutputs(_ deviceID: String, by delay: Duration, output: String? = nil) throws(CaptureError) {
    try cameras.named(deviceID).inject { ($0.outputInitDelay, $0.slowOutput) = (delay, output) }
  }

  /// Makes the first `frames` frames of every stream too dark, each a little less than the one before, until called with
  /// 0. The timecode board is never darkened.
  public func settle(_ deviceID: String, over frames: Int) throws(CaptureError) {
    try cameras.named(deviceID).inject { $0.settlingFrames = max(0, frames) }
  }
}

extension Duration {
  /// 0 for negative ones.
  var wholeNanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    return self <= .zero ? 0 : UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }
}
