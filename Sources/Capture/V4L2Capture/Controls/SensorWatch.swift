internal import CV4L2
internal import CaptureCore
internal import SystemClocks

/// Reads the exposure and the gain of a streaming camera four times a second. Belongs to the capture thread.
///
/// Most drivers answer from memory. For a USB camera with automatic exposure, the driver asks the camera over the bus,
/// which takes a millisecond. A camera that repeatedly takes so long that frames could be lost is never asked again.
struct SensorWatch {
  /// Nanoseconds between two readings.
  static let interval: UInt64 = 250_000_000
  /// The newest readings; empty before the first reading, and after the camera answered too slowly.
  private(set) var readings = SensorReadings()
  /// Which of the two controls the camera has. Nil before the first reading, which follows the first frame so that this
  /// frame does not wait for the answer.
  private var has: (exposure: Bool, gain: Bool)?
  /// The instant of the next reading; nil when the camera is not asked any more. The first reading is due at once.
  private var nextUpdate: MonotonicInstant? = .epoch
  private var patience = AnswerPatience()

  /// Reads exposure and gain when a reading is due. The capture thread calls this method after each frame.
  mutating func update(from node: VideoNode, now: MonotonicInstant) {
    guard let due = nextUpdate, now >= due else { return }
    nextUpdate = now + Self.interval
    let begin = MonotonicInstant.now()
    read(node)
    if patience.ends(after: MonotonicInstant.now().nanoseconds(since: begin)) {
      nextUpdate = nil
      readings = SensorReadings()
    }
  }

  /// The present exposure time in nanoseconds, if a long exposure can be the reason why no frame came for `silence`
  /// nanoseconds; else 0.
  ///
  /// The method asks the camera only when the maximum of the exposure control is longer than half of `silence`, which
  /// is rare. A camera that does not answer would block the capture thread for seconds.
  func exposure(of node: VideoNode, thatExplains silence: UInt64) -> UInt64 {
    guard let found = Self.find(CV4L2_CID_EXPOSURE_ABSOLUTE, node),
      Self.nanoseconds(found.control.range.maximum) ?? 0 > silence / 2
    else { return 0 }
    return Self.value(CV4L2_CID_EXPOSURE_ABSOLUTE, node).flatMap(Self.nanoseconds) ?? 0
  }

  /// Converts a value of the exposure control, which V4L2 counts in units of 100 µs. Nil when the value is not
  /// positive.
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

  /// The value of a control that is in effect now; nil when the driver does not tell that value.
  private static func value(_ id: UInt32, _ node: VideoNode) -> Int64? {
    guard let found = find(id, node), found.isReadable, found.control.flags.isValueInEffect else { return nil }
    return node.control(id).map(Int64.init)
  }

  private static func find(_ id: UInt32, _ node: VideoNode) -> DriverControl? {
    do { return try node.query(id) } catch { return nil }
  }
}

/// Counts the slow answers of a camera, and says when there were too many in a row. A value.
///
/// A single slow answer proves nothing: on a busy machine, the asking thread may have waited for a processor.
struct AnswerPatience {
  /// An answer that takes longer than this many nanoseconds is slow. The limit is below the shortest time in which a
  /// driver's buffers fill.
  static let limit: UInt64 = 20_000_000
  static let slowAnswers = 3

  private var slow = 0

  /// Counts an answer.
  ///
  /// - Parameter nanoseconds: how long the answer took.
  /// - Returns: whether the answer is at least the ``slowAnswers``-th slow one in a row.
  mutating func ends(after nanoseconds: UInt64) -> Bool {
    slow = nanoseconds > Self.limit ? slow + 1 : 0
    return slow >= Self.slowAnswers
  }
}
