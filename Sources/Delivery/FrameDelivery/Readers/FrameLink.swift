internal import Synchronization

/// The place of a coded picture among the pictures of its encoder. A picture that is no key frame needs the picture
/// before it.
struct FrameLink: Hashable, Sendable {
  /// Names the encoder: no other encoder has this number.
  var chain: UInt64
  /// The picture's number among the frames that the encoder was given, from 1.
  var number: UInt64
  var isKeyFrame: Bool

  private static let chains = Atomic<UInt64>(0)

  /// A number for a chain that no other encoder has.
  static func makeChain() -> UInt64 { chains.add(1, ordering: .relaxed).newValue }
}
