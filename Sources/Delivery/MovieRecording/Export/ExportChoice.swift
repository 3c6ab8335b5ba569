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
