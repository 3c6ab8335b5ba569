public import SystemClocks

/// The frames that a client wants in one movie: those of an output that were captured in a span of time.
public struct ExportSpan: Hashable, Sendable {
  /// The longest span, in nanoseconds. A sample of MP4 lasts at most 6.6 hours, and a gap belongs to the sample before.
  public static let maximumDuration: UInt64 = 6 * 3600 * 1_000_000_000
  /// The most frames of one movie. At 30 frames a second they are 4.6 hours.
  public static let maximumFrames = 500_000

  /// The most packets of sound of one movie. They are 3 hours of a microphone in AAC. With as many frames, a movie
  /// takes 280 MB while it is made.
  static let maximumPackets = 500_000

  /// The id of the session.
  public var session: String
  /// The id of the session's output. Nil for the only one that recorded in the span.
  public var output: String?
  /// The span begins with frames that were captured at this time.
  public var start: WallInstant
  /// How long the span is, in nanoseconds. A frame at its end does not belong to it.
  public var duration: UInt64

  /// Whether the file holds nothing from outside the span. Otherwise it may begin with pictures before the span, which
  /// only players that know edit lists hide.
  public var isExact: Bool

  /// Creates a span.
  public init(
    session: String, output: String? = nil, start: WallInstant, duration: UInt64, isExact: Bool = true
  ) {
    self.isExact = isExact
    self.session = session
    self.output = output
    self.start = start
    self.duration = duration
  }

  var times: Range<WallInstant> { start..<max(start, WallInstant(nanoseconds: start.nanoseconds &+ duration)) }
}
