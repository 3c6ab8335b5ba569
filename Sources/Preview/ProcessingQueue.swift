/// What became of a program's answers, and of the frames it was asked about.
public struct ProcessingCounts: Hashable, Sendable {
  /// Answers in time.
  public var shown: UInt64 = 0
  /// Answers too late, or to no frame.
  public var late: UInt64 = 0
  /// Frames shown without an answer.
  public var unanswered: UInt64 = 0
}

/// Frames of a preview that wait for what a program makes of them. They leave in order, each once, and none waits for more
/// than ``deadline`` newer ones. A value.
struct ProcessingQueue<Content: Sendable, Answer: Sendable>: Sendable {
  /// A frame that waits no longer.
  struct Exit: Sendable {
    var content: Content
    /// Nil: none came in time.
    var answer: Answer?
  }

  /// After so many frames without an answer in time none waits, until one comes.
  static var patience: Int { 30 }

  let deadline: Int
  private(set) var counts = ProcessingCounts()
  private var waiting: [(id: FrameID, content: Content)] = []
  private var misses = 0

  init(deadline: Int) { self.deadline = deadline }

  /// The frame that waits for an answer under this id.
  func content(of id: FrameID) -> Content? { waiting.first { $0.id == id }?.content }

  /// Takes the newest frame.
  ///
  /// - Returns: those that wait no longer, the oldest first.
  mutating func enter(_ id: FrameID, _ content: Content) -> [Exit] {
    // Of another stream: nobody can answer for the former any more.
    var exits = waiting.first.map { $0.id.streamID != id.streamID } == true ? drain() : []
    waiting.append((id, content))
    if misses >= Self.patience { return exits + drain() }
    if waiting.count > deadline {
      exits.append(leave())
      misses += 1
    }
    return exits
  }

  /// Takes an answer to the frame of `id`. Frames before it are not waited for any longer.
  mutating func answer(_ id: FrameID, _ answer: Answer) -> [Exit] {
    misses = 0
    guard let place = waiting.firstIndex(where: { $0.id == id }) else {
      counts.late += 1
      return []
    }
    var exits = (0..<place).map { _ in leave() }
    exits.append(Exit(content: waiting.removeFirst().content, answer: answer))
    counts.shown += 1
    return exits
  }

  /// Lets all go that wait.
  mutating func drain() -> [Exit] { waiting.indices.map { _ in leave() } }

  /// An answer that came in time could not be shown.
  mutating func reject() {
    guard counts.shown > 0 else { return }
    counts.shown -= 1
    counts.unanswered += 1
  }

  private mutating func leave() -> Exit {
    counts.unanswered += 1
    return Exit(content: waiting.removeFirst().content, answer: nil)
  }
}
