public import FrameDelivery

/// What a reader of chunks gets.
public enum ChunkEvent: Sendable {
  /// The status of the preview now. Its token is empty.
  case status(PreviewStatus)
  /// A part of a chunk.
  case part(ChunkPart)
}

/// At most ``largest`` bytes of a chunk.
public struct ChunkPart: Sendable {
  /// The most bytes of a part.
  public static let largest = 1 << 20

  /// The chunk and its number. Nil for all parts but the first one.
  public var chunk: (number: UInt64, facts: DelayedChunk)?
  /// Where the bytes lie in the file.
  public var offset: Int
  /// Whether no part of the chunk follows.
  public var isLast: Bool
  /// The bytes.
  public var bytes: [UInt8]
}
