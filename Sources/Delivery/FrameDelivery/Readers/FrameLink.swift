internal import Synchronization

/// The place of a coded picture among those of its encoder: one that is no key frame needs the one before it.
struct FrameLink: Hashable, Sendable {
  /// Which encoder's.
  var chain: UInt64
  var number: UInt64
  var isKeyFrame: Bool

  private static let chains = Atomic<UInt64>(0)

  /// A number no other encoder has.
  static func makeChain() -> UInt64 { chains.add(1, ordering: .relaxed).newValue }
}
