internal import Locking
internal import Logging

/// What the operator was told about ages in this run of the daemon. A value.
struct RetentionNews: Sendable {
  private var deleted: Set<String> = []
  private var undated: Set<String> = []

  /// Whether this is the first segment of a session that goes because of its age.
  mutating func isFirstDeletion(of session: String) -> Bool { deleted.insert(session).inserted }

  /// Whether these are the first segments of a session of which no clock tells the age.
  mutating func isFirstWithoutDate(of session: String) -> Bool { undated.insert(session).inserted }
}

extension SegmentKeeper {
  /// Says once that a session's segments go because of their age, because nobody else sees it.
  func logDeletion(of segment: Retention.Segment, _ retention: Retention, of session: String) {
    guard segment.age > retention.maximumAge ?? .max, news.withLock({ $0.isFirstDeletion(of: session) }) else { return }
    catalog.logger.info(
      "The daemon deletes the segments of the session that are older than max-age. It does not log the next ones.",
      metadata: [
        "session": "\(session)", "recording": "\(segment.id)", "age": "\(segment.age / 1_000_000_000)",
        "max-age": "\((retention.maximumAge ?? 0) / 1_000_000_000)",
      ])
  }

  /// Says once that a session has segments of which no clock tells the age.
  func logUndated(_ count: Int, of session: String) {
    guard count > 0, news.withLock({ $0.isFirstWithoutDate(of: session) }) else { return }
    catalog.logger.warning(
      "The daemon keeps segments as long as later ones, because the clock was wrong and tells no age.",
      metadata: ["session": "\(session)", "segments": "\(count)"])
  }
}
