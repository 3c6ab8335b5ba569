public import SystemClocks
internal import VideoCoding

/// Which recordings of a span become one movie. A value.
///
/// With a pre-roll, a recording has frames of the one before it, which may be in another container. A recording that
/// does not fit is therefore left out when the others have all its frames.
struct ExportChoice {
  /// A part of a recording in the span. Times are nanoseconds from the start of the span.
  struct Candidate {
    var start: Int64
    var end: Int64
    /// The average time from one frame to the next.
    var framePeriod: Int64
    var device: String
    /// Nil in a container without an index, of which no movie can be made.
    var form: MovieForm?
  }

  /// Why there is no movie of all frames, and the number of the candidate at which it would have to end.
  enum Obstacle: Error, Hashable {
    case difference(SharedForm.Difference, Int)
    case container(Int)
  }

  private let candidates: [Candidate]

  /// - Parameter candidates: in the order of their starts.
  init(_ candidates: [Candidate]) { self.candidates = candidates }

  /// Returns the numbers of candidates that fit into one movie, and that have all frames of all candidates.
  func chosen() throws(Obstacle) -> [Int] {
    var untried = Set(candidates.indices.filter { candidates[$0].form != nil })
    var obstacle: Obstacle?
    while let seed = untried.min() {
      let (fitting, others) = fitting(with: seed)
      guard let missing = others.first(where: { !isCovered($0.number, by: fitting) }) else { return fitting }
      obstacle = obstacle ?? missing.difference.map { .difference($0, missing.number) } ?? .container(missing.number)
      untried.subtract(fitting)
    }
    // Without a candidate that has an index, each of them is an obstacle.
    if let obstacle { throw obstacle }
    guard candidates.isEmpty else { throw .container(0) }
    return []
  }

  private typealias Other = (number: Int, difference: SharedForm.Difference?)

  private func fitting(with seed: Int) -> (fitting: [Int], others: [Other]) {
    var (shared, fitting, others) = (SharedForm(), [Int](), [Other]())
    _ = shared.take(candidates[seed].form, of: candidates[seed].device)
    for number in candidates.indices {
      guard let form = candidates[number].form else {
        others.append((number, nil))
        continue
      }
      if let difference = shared.take(form, of: candidates[number].device) {
        others.append((number, difference))
      } else {
        fitting.append(number)
      }
    }
    return (fitting, others)
  }

  /// Whether some candidates have all frames of another one. Where two of them follow one another, the end of the first
  /// is an estimate.
  private func isCovered(_ number: Int, by others: [Int]) -> Bool {
    let candidate = candidates[number]
    let slack = max(MovieIndex.tick, candidate.framePeriod / 2)
    var missing = candidate.start
    for other in others.lazy.map({ candidates[$0] }) where other.start <= missing + slack {
      missing = max(missing, other.end)
    }
    return missing + slack >= candidate.end
  }
}

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
