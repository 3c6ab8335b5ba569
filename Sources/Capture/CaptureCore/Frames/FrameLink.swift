internal import Synchronization

/// The place of a coded picture among the pictures of its encoder. A picture that is no key frame needs the picture
/// before it.
public struct FrameLink: Hashable, Sendable {
  /// Names the encoder: no other encoder has this number.
  public var chain: UInt64
  /// The picture's number among the frames that the encoder was given, from 1.
  public var number: UInt64
  /// Whether a decoder can begin with the picture.
  public var isKeyFrame: Bool

  /// Creates a place.
  public init(chain: UInt64, number: UInt64, isKeyFrame: Bool) {
    self.chain = chain
    self.number = number
    self.isKeyFrame = isKeyFrame
  }

  private static let chains = Atomic<UInt64>(0)

  /// A number for a chain that no other encoder has.
  public static func makeChain() -> UInt64 { chains.add(1, ordering: .relaxed).newValue }

  /// Whether a decoder that has decoded the picture at `former` can go on with this one. Nil for a decoder that has
  /// decoded nothing.
  public func continues(_ former: FrameLink?) -> Bool {
    isKeyFrame || former.map { $0.chain == chain && $0.number + 1 == number } ?? false
  }
}
