internal import CaptureCore
internal import Imaging
internal import OverlayDrawing
internal import SystemClocks

/// The state that a ``PreviewComposer`` keeps under its lock: which frames wait, and what is drawn over each. A value.
struct ComposerState: Sendable {
  /// A frame, and everything that the composer draws over it or shows in its place.
  struct Job: Sendable {
    var frame: CapturedFrame
    var overlay: Overlay
    /// The layer of a program's answer, which is drawn over `overlay`. Nil when no answer draws over this frame.
    var layer: OverlayLayer?
    /// The picture that a program answered with, shown in place of the frame's own. Nil shows the frame's own picture.
    var replacement: Picture?
    var orientation: Orientation
    /// The value of ``ComposerState/connectionChanges`` when the frame came. Once the connection has changed again, the
    /// frame belongs to a former revision and must not be shown.
    var connectionChanges: Int
    /// Frames that were lost before this frame, as counted when this frame entered the composer.
    var lost: DropCounts
    /// Counts the frame's memory as lent while the frame waits, so that waiting frames leave the camera its memory.
    var loan: FrameLoan
  }

  /// A program's answer after rendering, ready to be shown.
  enum Answer: Sendable {
    /// A layer to draw over the frame. Nil when nothing that the answer draws is visible.
    case layer(OverlayLayer?)
    case picture(Picture)
  }

  /// The facts about a frame that drawing over it needs. They do not hold the frame's memory, because the camera needs
  /// that memory more.
  struct Awaited: Sendable {
    var id: FrameID
    var layout: FrameLayout
    /// When the frame was captured.
    var time: WallInstant
  }

  /// A frame that waits for a program's answer. The frame's memory counts as lent, as in ``Job``.
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

  /// How long the layer of an answer stays over later frames that have no answer, nanoseconds.
  static let persistence: UInt64 = 1_000_000_000

  var overlay = Overlay()
  private(set) var connection = Connection()
  /// How often `connection` changed. ``PreviewState`` counts the same changes in the same way.
  private(set) var connectionChanges = 0
  private(set) var queue: ProcessingQueue<Waiting, Answer?>?
  private(set) var process: PreviewProcess?
  /// The frames that entered last, as many as a program may still answer.
  private var entered: [Awaited] = []
  private var lastAnswer: (layer: OverlayLayer?, time: MonotonicInstant)?
  /// Frames lost inside the composer since the last frame that was shown.
  private var lost = DropCounts()
  /// Frames lost at the entry since the last frame that entered, which may not have been shown yet.
  private var lostAtEntry = DropCounts()
  /// Jobs that the drawing thread has not finished.
  var pending = 0
  /// The frame that was shown last. Nil when a new reader must not see that frame.
  var newest: CapturedFrame?
  var closed: CaptureError?

  /// Whether new frames go through the composer. They do so until the last frame inside has left, because a new frame
  /// that skipped the composer would overtake the frames inside.
  var isActive: Bool { closed == nil && (isComposing || pending > 0) }
  /// Whether there is an overlay to draw or a program to ask.
  var isComposing: Bool { !overlay.elements.isEmpty || queue != nil }
  var counts: ProcessingCounts { queue?.counts ?? ProcessingCounts() }

  /// Whether the composer will probably draw `overlay` over the next frame too.
  func isCurrent(_ overlay: Overlay) -> Bool { isComposing && overlay == self.overlay }

  /// Takes a frame of the camera. A frame for which no memory is left counts as lost.
  ///
  /// - Returns: jobs for the frames that wait no longer, the oldest first.
  mutating func enter(_ frame: CapturedFrame) -> [Job] {
    let (buffer, least) = (frame.frame.buffer, PreviewOutput.framesLeftToCamera)
    // Frames that wait for a program leave two frames more than the camera needs, for readers. Where memory is short,
    // the oldest frame therefore leaves before its deadline.
    var exits = buffer.leavesRoom(for: least + 2) ? [] : queue?.leaveEarly() ?? []
    // A frame that leaves gives its memory back as soon as it is drawn, so that its memory counts as room.
    guard buffer.leavesRoom(for: least - exits.count) else {
      lostAtEntry += frame.frame.missing
      lostAtEntry += DropCounts(outOfBuffers: 1)
      return exits.map { job($0) }
    }
    let waiting = Waiting(frame, connectionChanges, lost: lostAtEntry)
    let id = FrameID(frame.frame)
    lostAtEntry = DropCounts()
    if entered.count > PreviewOutput.processingDeadlines.upperBound { entered.removeFirst() }
    entered.append(Awaited(id: id, layout: frame.frame.layout, time: frame.frame.time.wall))
    exits += queue?.enter(id, waiting) ?? [.init(content: waiting, answer: nil)]
    return exits.map { job($0) }
  }

  /// The frame that an answer of `process` with this id is for, and how the frame's picture will be turned.
  ///
  /// Once ``ProcessingQueue/patience`` is used up, frames do not wait, but the newest of them are still found here: the
  /// queue can only tell whether an answer would have been in time after the answer is drawn.
  ///
  /// - Returns: nil when the answer would change nothing.
  func awaited(_ id: FrameID, by process: PreviewProcess) -> (frame: Awaited, orientation: Orientation)? {
    guard self.process === process, queue?.expects(id) == true, let frame = entered.last(where: { $0.id == id }) else {
      return nil
    }
    return (frame, connection.orientation)
  }

  /// Takes a rendered answer of `process`; nil shows the frame as it is. Ignores a program that is not asked any more.
  ///
  /// - Returns: jobs for the frames that wait no longer, the oldest first.
  mutating func answer(_ id: FrameID, _ answer: Answer?, from process: PreviewProcess) -> [Job] {
    guard self.process === process else { return [] }
    return queue?.answer(id, answer).map { job($0) } ?? []
  }

  /// Takes note that an answer of `process` cannot be shown. Ignores a program that is not asked any more.
  ///
  /// - Returns: jobs for the frames that wait no longer, the oldest first.
  mutating func reject(_ id: FrameID, from process: PreviewProcess) -> [Job] {
    guard self.process === process else { return [] }
    return queue?.reject(id).map { job($0) } ?? []
  }

  /// Asks `process` for answers from now on.
  ///
  /// - Parameter deadline: for how many newer frames a frame waits; see ``PreviewOutput/processingDeadlines``.
  /// - Returns: jobs for the frames that waited for the former program, and the former program, or nil without one.
  mutating func begin(_ process: PreviewProcess, deadline: Int) -> ([Job], PreviewProcess?) {
    let former = self.process
    let jobs = drain()
    self.process = process
    lastAnswer = nil
    queue = ProcessingQueue(deadline: deadline)
    return (jobs, former)
  }

  /// Stops asking `process`. Changes nothing when another program has taken its place.
  ///
  /// - Returns: jobs for the frames that waited for `process`.
  mutating func end(_ process: PreviewProcess) -> [Job] {
    guard self.process === process else { return [] }
    defer { (self.process, queue, lastAnswer) = (nil, nil, nil) }
    return drain()
  }

  /// Takes the connection of the frames that come from now on. The frame that was shown last came over the former
  /// connection, so that new readers must not see it; waiting frames are dropped when their turn comes.
  mutating func setConnection(_ connection: Connection) {
    guard self.connection != connection else { return }
    self.connection = connection
    connectionChanges += 1
    newest = nil
  }

  /// Counts a frame that is not shown, and the losses before that frame. The next frame that is shown reports them.
  mutating func lose(_ job: Job, _ cause: DropCounts) {
    lost += job.lost
    lost += job.frame.frame.missing
    lost += cause
  }

  /// Counts a frame that was composed and then not shown, and the losses that the composed frame would have reported.
  mutating func lose(_ composed: CapturedFrame, _ cause: DropCounts) {
    lost += composed.frame.missing
    lost += cause
  }

  /// The losses since the last frame that was shown and before `job`. Counting begins anew for the next frame.
  mutating func takeLost(before job: Job) -> DropCounts {
    defer { lost = DropCounts() }
    var all = lost
    all += job.lost
    return all
  }

  /// The losses that no shown frame has reported, for the first frame that no longer goes through the composer.
  /// Counting begins anew.
  mutating func takeLost() -> DropCounts {
    defer { (lost, lostAtEntry) = (DropCounts(), DropCounts()) }
    var all = lost
    all += lostAtEntry
    return all
  }

  private mutating func drain() -> [Job] { queue?.drain().map { job($0) } ?? [] }

  private mutating func job(_ exit: ProcessingQueue<Waiting, Answer?>.Exit) -> Job {
    let time = exit.content.frame.frame.time.monotonic
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
