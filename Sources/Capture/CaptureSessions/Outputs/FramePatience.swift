/// How long captures wait for frames. The wait is generous, because a camera may be slow without having stalled, and a
/// camera that has stalled does not say so.
enum FramePatience {
  static let shortest: UInt64 = 5_000_000_000

  /// Returns the wait at a rate in frames per second: the duration of forty frames, and at least ``shortest``.
  static func nanoseconds(at rate: Double) -> UInt64 { max(shortest, UInt64(40_000_000_000 / max(rate, 0.1))) }
}
