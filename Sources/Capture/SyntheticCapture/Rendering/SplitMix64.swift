/// The random number generator SplitMix64 by Sebastiano Vigna. It is small and fast, and its outputs are well mixed
/// although its state only counts.
struct SplitMix64 {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    return Self.mix(state)
  }

  /// Maps a value to a well-mixed value: the first output of a generator whose state is `value`.
  static func hash(_ value: UInt64) -> UInt64 { mix(value &+ 0x9e37_79b9_7f4a_7c15) }

  private static func mix(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
