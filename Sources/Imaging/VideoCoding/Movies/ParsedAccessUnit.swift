internal import CVideoCoding
public import CaptureCore

/// What libavcodec's parser finds in a sample of H.264. A value.
public struct ParsedAccessUnit: Hashable, Sendable {
  /// The size of the picture as it is shown. Nil when the sample has no picture, or none that its parameter sets allow.
  public let size: Size?
  /// Whether the sample has more than one access unit.
  public let hasAnother: Bool

  /// Parses a sample in Annex B, without decoding it.
  ///
  /// - Parameters:
  ///   - bytes: the sample.
  ///   - parameterSets: those of earlier samples, in Annex B.
  /// - Throws: `processingFailed` when libavcodec cannot be used.
  public init(_ bytes: UnsafeRawBufferPointer, after parameterSets: [UInt8]) throws(CaptureError) {
    var unit = cvideo_access_unit()
    let result = parameterSets.withUnsafeBufferPointer { sets in
      cvideo_parse_access_unit(
        sets.baseAddress, sets.count, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count, &unit)
    }
    guard result == CVIDEO_OK else {
      throw CaptureError(
        .processingFailed, "libavcodec cannot parse H.264: it is not installed, or memory is short.",
        metadata: ["cause": "libavcodec"])
    }
    size = unit.width > 0 && unit.height > 0 ? Size(width: Int(unit.width), height: Int(unit.height)) : nil
    hasAnother = unit.has_another
  }
}
