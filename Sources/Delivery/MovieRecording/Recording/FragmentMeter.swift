/// Finds where the fragments of a file end, by the samples in them, as a value. Times are in nanoseconds.
///
/// libavformat keeps a fragment in memory until it ends, and a fragment can end only before a key frame. So a fragment
/// with too many bytes ends early, before a key frame that the encoder is asked for.
struct FragmentMeter: Sendable {
  /// The bytes from which on a fragment ends before the next key frame.
  static let maximumBytes = 32 << 20

  /// How long a fragment lasts at least, unless it has too many bytes.
  let interval: UInt64
  let maximumBytes: Int
  /// When the present fragment began. Nil before the first one.
  private var start: UInt64?
  /// The bytes of the samples of the present fragment.
  private(set) var bytes = 0
  private var isDemanded = false

  init(every interval: UInt64, maximumBytes: Int = maximumBytes) {
    self.interval = interval
    self.maximumBytes = maximumBytes
  }

  /// Adds a sample.
  ///
  /// - Returns: whether a fragment ends before the sample.
  mutating func add(_ count: Int, at time: UInt64, lasting duration: UInt64, isKeyFrame: Bool) -> Bool {
    defer { bytes += count }
    guard let start else {
      self.start = time
      return false
    }
    // The time stamps of a steady rate vary by microseconds.
    let isLong = time + duration / 2 >= start + interval
    guard isKeyFrame, isLong || bytes >= maximumBytes else { return false }
    (self.start, bytes, isDemanded) = (time, 0, false)
    return true
  }

  /// Adds the bytes of sound, which belong to the present fragment and end none.
  mutating func add(sound count: Int) {
    if start != nil { bytes += count }
  }

  /// Whether the fragment has too many bytes and no key frame was demanded that can end it.
  var needsKeyFrame: Bool { bytes >= maximumBytes && !isDemanded }

  /// Notes that the encoder was asked for a key frame, which it may return some samples later.
  mutating func demandedKeyFrame() { isDemanded = true }
}
