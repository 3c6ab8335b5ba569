internal import CaptureCore
internal import Imaging
internal import OverlayDrawing

/// What a ``PreviewComposer`` keeps under its lock: which frame is drawn on what. A value.
struct ComposerState: Sendable {
  /// A frame, and what is to be made of it.
  struct Job: Sendable {
    var frame: CapturedFrame
    var overlay: Overlay
    /// A program's, over that.
    var layer: OverlayLayer?
    /// In place of the frame's own picture.
    var replacement: Picture?
    var orientation: Orientation
    /// See ``ComposerState/connectionChanges``. Once there was another, nobody is to see the frame, which is of a former
    /// revision.
    var connectionChanges: Int
    /// Lost before it, as it came.
    var lost: DropCounts
    /// It counts as lent meanwhile, so that waiting frames leave the camera its memory.
    var loan: FrameLoan
  }

  /// What a program answered, ready to be shown.
  enum Answer: Sendable {
    /// Nil: nothing of it shows.
    case layer(OverlayLayer?)
    case picture(Picture)
  }

  /// What has to be known of a frame to draw on it. Without its memory, which the camera needs more.
  struct Awaited: Sendable {
    var id: FrameID
    var layout: FrameLayout
    var wallNanoseconds: UInt64
  }

  /// A frame that waits for a program. It counts as lent, as in ``Job``.
  struct Waiting: Sendable {
    var frame: CapturedFrame
    var loan: FrameLoan
    var connectionChanges: Int
    var lost: DropCounts

    init(_ frame: CapturedFrame, _ connectionChanges: Int, lost: DropCounts) {
      self.frame = frame
      self.connectionChanges = connectionChanges
      self.lost = lost
      loan = FrameLoan(frame.frame.buffer)
    }
  }

  /// How long what an answer draws stays, nanoseconds.
  static let persistence: UInt64 = 1_000_000_000

  var overlay = Overlay()
  private(set) var connection = Connection()
  /// How often that changed, counted as ``PreviewState`` does.
  private(set) var connectionChanges = 0
  private(set) var queue: ProcessingQueue<Waiting, Answer?>?
  private(set) var process: PreviewProcess?
  /// Of the frames that came last, as many as may be answered.
  private var entered: [Awaited] = []
  private var lastAnswer: (layer: OverlayLayer?, time: UInt64)?
  /// Lost since the last frame that was shown, on the way.
  private var lost = DropCounts()
  /// Lost since the last frame that came, which may not have been shown yet.
  private var lostAtEntry = DropCounts()
  /// Jobs not done.
  var pending = 0
  /// What was shown last; nil when that was not what a reader is to see.
  var newest: CapturedFrame?
  var closed: CaptureError?

  /// Whether frames go this way: also until the last one of this way is through, or they would overtake each other.
  var isActive: Bool { closed == nil && (isComposing || pending > 0) }
  /// Whether there is anything to be made of frames.
  var isComposing: Bool { !overlay.elements.isEmpty || queue != nil }
  var counts: ProcessingCounts { queue?.counts ?? ProcessingCounts() }

  /// Whether the next frame is likely to be drawn on with `overlay` too.
  func isCurrent(_ overlay: Overlay) -> Bool { isComposing && overlay == self.overlay }

  /// Takes a frame of the camera's.
  mutating func enter(_ frame: CapturedFrame) -> [Job] {
    let (buffer, least) = (frame.frame.buffer, PreviewOutput.framesLeftToCamera)
    // Frames that wait for a program leave two more to readers: where memory is short, so is the wait.
    var exits = buffer.leavesRoom(for: least + 2) ? [] : queue?.leaveEarly() ?? []
    // Who leaves gives its memory back as soon as it is drawn.
    guard buffer.leavesRoom(for: least - exits.count) else {
      lostAtEntry += frame.frame.missing
      lostAtEntry += DropCounts(outOfBuffers: 1)
      return exits.map { job($0) }
    }
    let waiting = Waiting(frame, connectionChanges, lost: lostAtEntry)
    let id = FrameID(frame.frame)
    lostAtEntry = DropCounts()
    if entered.count > PreviewOutput.processingDeadlines.upperBound { entered.removeFirst() }
    entered.append(
      Awaited(id: id, layout: frame.frame.layout, wallNanoseconds: frame.frame.time.wallNanoseconds))
    exits += queue?.enter(id, waiting) ?? [.init(content: waiting, answer: nil)]
    return exits.map { job($0) }
  }

  /// The frame that an answer of `process` under this id is for, and how it will be turned; nil when the answer would change
  /// nothing. After ``ProcessingQueue/patience`` it is asked for too: whether it is in time shows when it is drawn.
  func awaited(_ id: FrameID, by process: PreviewProcess) -> (frame: Awaited, orientation: Orientation)? {
    guard self.process === process, queue?.expects(id) == true, let frame = entered.last(where: { $0.id == id }) else {
      return nil
    }
    return (frame, connection.orientation)
  }

  /// Takes an answer of `process`; nil shows the frame as it is.
  mutating func answer(_ id: FrameID, _ answer: Answer?, from process: PreviewProcess) -> [Job] {
    guard self.process === process else { return [] }
    return queue?.answer(id, answer).map { job($0) } ?? []
  }

  /// Takes an answer of `process` that cannot be shown.
  mutating func reject(_ id: FrameID, from process: PreviewProcess) -> [Job] {
    guard self.process === process else { return [] }
    return queue?.reject(id).map { job($0) } ?? []
  }

  /// Asks `process` from now on.
  ///
  /// - Returns: frames that waited for the former one, and that one.
  mutating func begin(_ process: PreviewProcess, deadline: Int) -> ([Job], PreviewProcess?) {
    let former = self.process
    let jobs = drain()
    self.process = process
    lastAnswer = nil
    queue = ProcessingQueue(deadline: deadline)
    return (jobs, former)
  }

  /// Asks `process` no more; nothing when another took its place.
  mutating func end(_ process: PreviewProcess) -> [Job] {
    guard self.process === process else { return [] }
    defer { (self.process, queue, lastAnswer) = (nil, nil, nil) }
    return drain()
  }

  /// Takes how frames come from now on. What waits came otherwise, and so did what was shown last.
  mutating func setConnection(_ connection: Connection) {
    guard self.connection != connection else { return }
    self.connection = connection
    connectionChanges += 1
    newest = nil
  }

  /// Counts a frame that is not shown, as lost before the next one that is.
  mutating func lose(_ job: Job, _ cause: DropCounts) {
    lost += job.lost
    lost += job.frame.frame.missing
    lost += cause
  }

  /// Counts a frame that was composed, with what it says was lost before it, and then not shown.
  mutating func lose(_ composed: CapturedFrame, _ cause: DropCounts) {
    lost += composed.frame.missing
    lost += cause
  }

  /// What was lost since the last frame shown and before `job`, counted from now on as before the next.
  mutating func takeLost(before job: Job) -> DropCounts {
    defer { lost = DropCounts() }
    var all = lost
    all += job.lost
    return all
  }

  /// What nobody was told when frames do not come this way any more.
  mutating func takeLost() -> DropCounts {
    defer { (lost, lostAtEntry) = (DropCounts(), DropCounts()) }
    var all = lost
    all += lostAtEntry
    return all
  }

  private mutating func drain() -> [Job] { queue?.drain().map { job($0) } ?? [] }

  private mutating func job(_ exit: ProcessingQueue<Waiting, Answer?>.Exit) -> Job {
    let time = exit.content.frame.frame.time.monotonicNanoseconds
    var replacement: Picture?
    switch exit.answer {
    case .some(.some(.layer(let layer))): lastAnswer = (layer, time)
    case .some(.some(.picture(let picture))):
      lastAnswer = nil
      replacement = picture
    case .some(.none): lastAnswer = nil
    case .none: if let last = lastAnswer, time > last.time + Self.persistence { lastAnswer = nil }
    }
    return Job(
      frame: exit.content.frame, overlay: overlay, layer: lastAnswer?.layer, replacement: replacement,
      orientation: connection.orientation, connectionChanges: exit.content.connectionChanges, lost: exit.content.lost,
      loan: exit.content.loan)
  }
}
