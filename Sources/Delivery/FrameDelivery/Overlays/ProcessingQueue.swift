/// The frames of a preview that wait for a program's answers. Frames leave in order, each once. A frame waits for at
/// most ``deadline`` newer frames, and for fewer where memory is short. A value.
struct ProcessingQueue<Content: Sendable, Answer: Sendable>: Sendable {
  /// A frame that does not wait any more.
  struct Exit: Sendable {
    var content: Content
    /// The program's answer. Nil when none came in time.
    var answer: Answer?
  }

  /// After this many frames in a row without an answer in time, frames do not wait any more, until an answer comes that
  /// would have been in time.
  static var patience: Int { 30 }

  let deadline: Int
  private(set) var counts = ProcessingCounts()
  private var waiting: [(id: FrameID, content: Content)] = []
  private var misses = 0
  /// The newest frames that came and did not wait, at most ``deadline`` of them.
  private var recent: [FrameID] = []

  init(deadline: Int) { self.deadline = deadline }

  /// Whether an answer to the frame of `id` would change anything: the frame waits, or would wait if ``patience`` were
  /// not used up.
  func expects(_ id: FrameID) -> Bool { waiting.contains { $0.id == id } || recent.contains(id) }

  /// Takes the newest frame.
  ///
  /// - Returns: the frames that wait no longer, the oldest first.
  mutating func enter(_ id: FrameID, _ content: Content) -> [Exit] {
    // The frame begins another stream. The program cannot answer frames of the former stream any more, so the
    // frames of that stream leave.
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

  /// Lets the oldest frame leave before its deadline, as a frame without an answer in time, because its memory is
  /// needed.
  mutating func leaveEarly() -> [Exit] {
    guard !waiting.isEmpty else { return [] }
    misses += 1
    return [leave()]
  }

  /// Takes an answer to the frame of `id`. The frames that came before leave together with that frame, but without an
  /// answer.
  mutating func answer(_ id: FrameID, _ answer: Answer) -> [Exit] {
    guard let place = waiting.firstIndex(where: { $0.id == id }) else {
      counts.late += 1
      // Only an answer that would have been in time makes frames wait again. Waiting for a program that is always late
      // would delay every frame for nothing.
      if recent.contains(id) { (misses, recent) = (0, []) }
      return []
    }
    misses = 0
    var exits = (0..<place).map { _ in leave() }
    exits.append(Exit(content: waiting.removeFirst().content, answer: answer))
    counts.shown += 1
    return exits
  }

  /// Lets all waiting frames leave without an answer.
  mutating func drain() -> [Exit] { waiting.indices.map { _ in leave() } }

  /// Takes note that the answer to the frame of `id` cannot be shown. That frame and the frames before it leave without
  /// an answer, but the program counts as one that keeps up.
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

/// What became of a program's answers, and of the frames that the program was asked about.
public struct ProcessingCounts: Hashable, Sendable {
  /// Answers that came in time.
  public var shown: UInt64 = 0
  /// Answers that came too late, or that name a frame which does not wait.
  public var late: UInt64 = 0
  /// Frames that left without an answer.
  public var unanswered: UInt64 = 0
}
