/// Frames of a preview that wait for what a program makes of them. They leave in order, each once, and none waits for more
/// than ``deadline`` newer ones, or for so many where memory is short. A value.
struct ProcessingQueue<Content: Sendable, Answer: Sendable>: Sendable {
  /// A frame that waits no longer.
  struct Exit: Sendable {
    var content: Content
    /// Nil: none came in time.
    var answer: Answer?
  }

  /// After so many frames without an answer in time none waits, until an answer comes that would have been in time.
  static var patience: Int { 30 }

  let deadline: Int
  private(set) var counts = ProcessingCounts()
  private var waiting: [(id: FrameID, content: Content)] = []
  private var misses = 0
  /// Those that came last and did not wait, ``deadline`` at most.
  private var recent: [FrameID] = []

  init(deadline: Int) { self.deadline = deadline }

  /// Whether an answer to the frame of `id` would change anything: it waits, or would if anybody were waited for.
  func expects(_ id: FrameID) -> Bool { waiting.contains { $0.id == id } || recent.contains(id) }

  /// Takes the newest frame.
  ///
  /// - Returns: those that wait no longer, the oldest first.
  mutating func enter(_ id: FrameID, _ content: Content) -> [Exit] {
    // Of another stream: nobody can answer for the former any more.
    var exits = waiting.first.map { $0.id.streamID != id.streamID } == true ? drain() : []
    waiting.append((id, content))
    if misses >= Self.patience {
      if recent.count == deadline { recent.removeFirst() }
      recent.append(id)
      return exits + drain()
    }
    if waiting.count > deadline {
      exits.append(leave())
      misses += 1
    }
    return exits
  }

  /// Lets the oldest go before its time, as one that was not answered in time: its memory is needed.
  mutating func leaveEarly() -> [Exit] {
    guard !waiting.isEmpty else { return [] }
    misses += 1
    return [leave()]
  }

  /// Takes an answer to the frame of `id`. Frames before it are not waited for any longer.
  mutating func answer(_ id: FrameID, _ answer: Answer) -> [Exit] {
    guard let place = waiting.firstIndex(where: { $0.id == id }) else {
      counts.late += 1
      // Only who keeps up is waited for again: whoever is always late would delay every frame for nothing.
      if recent.contains(id) { (misses, recent) = (0, []) }
      return []
    }
    misses = 0
    var exits = (0..<place).map { _ in leave() }
    exits.append(Exit(content: waiting.removeFirst().content, answer: answer))
    counts.shown += 1
    return exits
  }

  /// Lets all go that wait.
  mutating func drain() -> [Exit] { waiting.indices.map { _ in leave() } }

  /// Takes an answer that cannot be shown, in the place of one.
  mutating func reject(_ id: FrameID) -> [Exit] {
    guard let place = waiting.firstIndex(where: { $0.id == id }) else {
      counts.late += 1
      return []
    }
    misses = 0
    return (0...place).map { _ in leave() }
  }

  private mutating func leave() -> Exit {
    counts.unanswered += 1
    return Exit(content: waiting.removeFirst().content, answer: nil)
  }
}
