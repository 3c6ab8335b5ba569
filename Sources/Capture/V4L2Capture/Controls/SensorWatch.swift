internal import CV4L2
internal import CaptureCore

/// Asks a streaming camera four times a second what it takes pictures with. Belongs to the capture thread.
///
/// Most drivers answer from memory. A USB camera whose exposure is automatic is asked over the bus, which takes a
/// millisecond; one that keeps taking so long that frames could be lost is never asked again.
struct SensorWatch {
  /// Nanoseconds between two questions.
  static let interval: UInt64 = 250_000_000
  private(set) var readings = SensorReadings()
  /// Which of them the camera has; nil until it was asked, after the first frame, which must not wait for that.
  private var has: (exposure: Bool, gain: Bool)?
  private var nextUpdate: UInt64? = 0
  private var patience = AnswerPatience()

  /// Call it after each frame.
  ///
  /// - Parameter now: CLOCK_MONOTONIC, nanoseconds.
  mutating func update(from node: VideoNode, now: UInt64) {
    guard let due = nextUpdate, now >= due else { return }
    nextUpdate = now + Self.interval
    let begin = SystemClock.monotonicNanoseconds()
    read(node)
    if patience.ends(after: SystemClock.monotonicNanoseconds() - begin) {
      nextUpdate = nil
      readings = SensorReadings()
    }
  }

  /// How long the camera exposes a picture now, nanoseconds, if that can be the reason for a silence of `silence`; else 0.
  ///
  /// Asks the camera only if its exposures can be that long, which those of most cameras cannot: one that does not answer
  /// would keep this thread waiting for seconds.
  func exposure(of node: VideoNode, thatExplains silence: UInt64) -> UInt64 {
    guard let found = Self.find(CV4L2_CID_EXPOSURE_ABSOLUTE, node),
      Self.nanoseconds(found.control.maximum) ?? 0 > silence / 2
    else { return 0 }
    return Self.value(CV4L2_CID_EXPOSURE_ABSOLUTE, node).flatMap(Self.nanoseconds) ?? 0
  }

  /// V4L2 counts absolute exposure in units of 100 µs.
  private static func nanoseconds(_ exposure: Int64) -> UInt64? {
    exposure > 0 ? UInt64(min(exposure, Int64(Int32.max))) * 100_000 : nil
  }

  private mutating func read(_ node: VideoNode) {
    let has =
      has
      ?? (
        Self.find(CV4L2_CID_EXPOSURE_ABSOLUTE, node) != nil, Self.find(CV4L2_CID_GAIN, node) != nil
      )
    self.has = has
    if !has.exposure, !has.gain { return nextUpdate = nil }
    let exposure = has.exposure ? Self.value(CV4L2_CID_EXPOSURE_ABSOLUTE, node) : nil
    readings.exposureNanoseconds = exposure.flatMap(Self.nanoseconds)
    readings.gain = has.gain ? Self.value(CV4L2_CID_GAIN, node) : nil
  }

  /// Nil where the driver does not tell what acts now: an inactive control only keeps what somebody set once, unless the
  /// driver says that it follows the hardware.
  private static func value(_ id: UInt32, _ node: VideoNode) -> Int64? {
    guard let found = find(id, node), found.isReadable, !found.control.isInactive || found.control.isVolatile else {
      return nil
    }
    return node.control(id).map(Int64.init)
  }

  private static func find(_ id: UInt32, _ node: VideoNode) -> DriverControl? {
    do { return try node.query(id) } catch { return nil }
  }
}
