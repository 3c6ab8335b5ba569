internal import CaptureCore

/// Three frames in a row that are equally bright, as a value.
struct SettlingWindow<Candidate> {
  private var recent: [(candidate: Candidate, luma: Double)] = []

  /// - Parameter luma: mean of the picture, 0 to 255.
  /// - Returns: the first of the last three, if these are equally bright.
  mutating func add(_ candidate: Candidate, luma: Double) -> Candidate? {
    recent.append((candidate, luma))
    if recent.count > 3 { recent.removeFirst() }
    guard recent.count == 3, Settling.isSettled(recent.map(\.luma)) else { return nil }
    return recent[0].candidate
  }
}
