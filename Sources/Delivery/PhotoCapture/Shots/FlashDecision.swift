/// Whether automatic flash fires, and which captures wait to know. A value.
struct FlashDecision: Sendable {
  /// A scene whose mean luma is below this is dark: automatic exposure keeps other scenes well above it.
  private static let darkLuma = 40.0

  private var waiting: [AsyncStream<Bool>.Continuation] = []
  private var isDark = false

  /// Adds a capture that waits.
  ///
  /// - Returns: whether it is the first one, for which a frame has to be looked at. The others get the same answer.
  mutating func wait(_ answer: AsyncStream<Bool>.Continuation) -> Bool {
    waiting.append(answer)
    return waiting.count == 1
  }

  /// Decides for all captures that wait, and forgets them.
  ///
  /// - Parameter luma: the mean luma of the scene; nil when it could not be measured, so that the last decision holds.
  mutating func decide(luma: Double?) -> (waiting: [AsyncStream<Bool>.Continuation], isDark: Bool) {
    if let luma { isDark = luma < Self.darkLuma }
    defer { waiting = [] }
    return (waiting, isDark)
  }
}
