public import SystemClocks
public import VideoCoding

/// A movie of a span of time that is nowhere on the disk: its beginning is in memory, and its samples are bytes of the
/// recordings' files.
public struct MovieExport: Sendable {
  /// A file of a recording, in which the samples lie where the movie expects them.
  struct Source: Hashable {
    /// The id of the recording.
    var recording: String
    /// Whether this is the file that a recording gets when it finishes, in which the samples lie elsewhere.
    var isOptimizedForNetworkUse: Bool
  }

  /// The format of the movie.
  public let container: MovieContainer
  /// When the camera captured the first frame that the movie shows.
  public let startTime: WallInstant
  /// How long the movie is shown, in nanoseconds.
  public let duration: UInt64
  /// The time of the last frame in the movie, in nanoseconds.
  public let lastFrameTime: UInt64
  /// How long before ``startTime`` the first frame was captured that the file holds, in nanoseconds. Players that know
  /// edit lists do not show what was captured before ``startTime``. 0 for an exact span.
  public let hiddenDuration: UInt64
  /// The number of bytes.
  public let size: UInt64
  /// A name for exactly these bytes: 16 hexadecimal digits.
  public let tag: String
  let header: [UInt8]
  let sources: [Source]
  /// The pictures that were encoded anew.
  let group: ExportGroup?
  private let extents: [ExportPlan.Extent]
  /// Where in the movie each extent begins.
  private let starts: [UInt64]

  init(
    _ plan: ExportPlan, header: [UInt8], container: MovieContainer, startTime: WallInstant, sources: [Source],
    group: ExportGroup?, tag: String
  ) {
    self.container = container
    self.startTime = startTime
    self.header = header
    self.sources = sources
    self.group = group
    self.tag = tag
    hiddenDuration = UInt64(max(0, -(plan.samples.first?.time ?? 0)))
    duration = UInt64(plan.endTime)
    lastFrameTime = UInt64(max(0, plan.samples.last?.time ?? 0))
    extents = plan.extents
    var offset = UInt64(header.count)
    starts = plan.extents.map { extent in
      defer { offset += extent.count }
      return offset
    }
    size = offset
  }

  /// The number of bytes that were encoded anew.
  var recodedCount: Int { group?.recoded.bytes.count ?? 0 }

  /// Where the bytes from an offset on come from, up to the end of an extent. `offset` is behind the header and before
  /// the end of the movie.
  func source(at offset: UInt64) -> (number: Int, offset: UInt64, count: UInt64) {
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    let skipped = offset - starts[low]
    return (extents[low].part, extents[low].offset + skipped, extents[low].count - skipped)
  }
}
