/// Decides what a viewfinder sends next: an event if one waits, else a picture. Among the previews that have a picture,
/// the one that was served longest ago comes first.
///
/// A value without threads: ``ViewfinderStream`` holds it under a lock. `Event` is what waits in the queue. Each source
/// of events waits until its event is taken, so the queue holds at most one event for each source.
struct ViewfinderQueue<Event: Sendable>: Sendable {
  /// What the viewfinder sends next.
  enum Next: Sendable {
    case event(Event)
    /// The next event of this preview's reader.
    case preview(Int)
  }

  private struct Preview {
    var isReady = false
    /// Grows with each picture that was served.
    var served: UInt64 = 0
  }

  private var events: [(part: Int, event: Event)] = []
  private var previews: [Int: Preview] = [:]
  private var served: UInt64 = 0

  /// The previews that have not said that they have an event.
  var unready: [Int] { previews.filter { !$0.value.isReady }.map(\.key) }

  /// Adds a preview, which comes before the previews that were served already.
  mutating func add(preview part: Int) { previews[part] = Preview() }

  /// Takes note that the reader of a preview has an event.
  mutating func noteReady(_ part: Int) { previews[part]?.isReady = true }

  /// Puts an event behind the events that wait.
  mutating func enqueue(_ event: Event, from part: Int) { events.append((part, event)) }

  /// Puts an event in the place of the one of the same part that waits, or behind all events when none does.
  mutating func replace(_ event: Event, from part: Int) {
    guard let index = events.firstIndex(where: { $0.part == part }) else { return enqueue(event, from: part) }
    events[index].event = event
  }

  /// Forgets a part.
  ///
  /// - Returns: the events of the part that waited.
  mutating func remove(_ part: Int) -> [Event] {
    previews[part] = nil
    defer { events.removeAll { $0.part == part } }
    return events.filter { $0.part == part }.map(\.event)
  }

  /// Forgets all parts.
  ///
  /// - Returns: the events that waited.
  mutating func removeAll() -> [Event] {
    defer { self = Self() }
    return events.map(\.event)
  }

  /// Returns what comes next. Nil when nothing waits.
  mutating func next() -> Next? {
    if !events.isEmpty { return .event(events.removeFirst().event) }
    guard let part = previews.filter({ $0.value.isReady }).min(by: { $0.value.served < $1.value.served })?.key else {
      return nil
    }
    served += 1
    previews[part] = Preview(isReady: false, served: served)
    return .preview(part)
  }
}
