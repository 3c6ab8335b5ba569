/// How long captures wait for frames: a camera that stalls says nothing, and a slow one is not stalled.
enum FramePatience {
  static let shortest: UInt64 = 5_000_000_000

  /// Forty periods, where those are longer.
  static func nanoseconds(at rate: Double) -> UInt64 { max(shortest, UInt64(40_000_000_000 / max(rate, 0.1))) }
}
