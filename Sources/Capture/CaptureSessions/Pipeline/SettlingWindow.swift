internal import CaptureCore

/// Recognises three frames in a row that are equally bright. A value.
struct SettlingWindow<Candidate> {
  private var recent: [(candidate: Candidate, luma: Double)] = []

  /// Adds the next frame.
  ///
  /// - Parameter luma: the mean luma of the picture, 0 to 255.
  /// - Returns: the first of the last three frames if they are equally bright; else nil.
  mutating func add(_ candidate: Candidate, luma: Double) -> Candidate? {
    recent.append((candidate, luma))
    if recent.count > 3 { recent.removeFirst() }
    guard recent.count == 3, Settling.isSettled(recent.map(\.luma)) else { return nil }
    return recent[0].candidate
  }
}
