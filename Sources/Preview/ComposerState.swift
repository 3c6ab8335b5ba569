internal import CaptureCore
internal import Imaging
internal import Overlay

/// What a ``PreviewComposer`` keeps under its lock: which frame is drawn on what. A value.
struct ComposerState: Sendable {
  /// A frame, and what is to be made of it.
  struct Job: Sendable {
    var frame: CapturedFrame
    var overlay: Overlay
    /// In place of the frame's own picture.
    var replacement: Picture?
    /// Whom it was asked of.
    var process: PreviewProcess?
    var orientation: Orientation
    /// It counts as lent meanwhile, so that waiting frames leave the camera its memory.
    var loan: FrameLoan
  }

  /// A frame that waits for a program. It counts as lent, as in ``Job``.
  struct Waiting: Sendable {
    var frame: CapturedFrame
    var loan: FrameLoan

    init(_ frame: CapturedFrame) {
      self.frame = frame
      loan = FrameLoan(frame.frame.buffer)
    }
  }

  /// How long what an answer draws stays, nanoseconds.
  static let persistence: UInt64 = 1_000_000_000

  var overlay = Overlay()
  var orientation = Orientation.asCaptured
  private(set) var queue: ProcessingQueue<Waiting, ProcessedContent?>?
  private(set) var process: PreviewProcess?
  private var lastAnswer: (overlay: Overlay, time: UInt64)?
  /// Lost since the last frame that was shown.
  var lost = DropCounts()
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

  /// Takes a frame of the camera's.
  mutating func enter(_ frame: CapturedFrame) -> [Job] {
    guard frame.frame.buffer.leavesRoom(for: PreviewOutput.framesLeftToCamera) else {
      lose(frame, DropCounts(outOfBuffers: 1))
      return []
    }
    let waiting = Waiting(frame)
    let exits = queue?.enter(FrameID(frame.frame), waiting) ?? [.init(content: waiting, answer: nil)]
    return exits.map { job($0) }
  }

  /// Takes an answer of `process`.
  ///
  /// - Throws: `invalidArgument` for a picture of another size than the frame's.
  mutating func answer(
    _ id: FrameID, _ content: ProcessedContent?, from process: PreviewProcess
  ) throws(CaptureError) -> [Job] {
    guard self.process === process else { return [] }
    if case .picture(let picture) = content, let frame = queue?.content(of: id)?.frame.frame,
      picture.layout.size != frame.layout.size
    {
      throw CaptureError(
        .invalidArgument,
        "The answer is \(picture.layout.size), the camera's picture \(frame.layout.size); answer in that size, unturned.",
        metadata: ["size": "\(picture.layout.size)", "wanted": "\(frame.layout.size)"], field: "answer.frame")
    }
    return queue?.answer(id, content).map { job($0) } ?? []
  }

  /// A picture that `process` answered was damaged: the camera's was shown.
  mutating func reject(of process: PreviewProcess?) { if self.process === process { queue?.reject() } }

  /// Asks `process` from now on.
  ///
  /// - Returns: frames that waited for the former one, and that one.
  mutating func begin(_ process: PreviewProcess, deadline: Int) -> ([Job], PreviewProcess?) {
    let former = self.process
    let jobs = drain()
    self.process = process
    queue = ProcessingQueue(deadline: deadline)
    return (jobs, former)
  }

  /// Asks `process` no more; nothing when another took its place.
  mutating func end(_ process: PreviewProcess) -> [Job] {
    guard self.process === process else { return [] }
    defer { (self.process, queue, lastAnswer) = (nil, nil, nil) }
    return drain()
  }

  mutating func lose(_ frame: CapturedFrame, _ cause: DropCounts) {
    lost += frame.frame.missing
    lost += cause
  }

  /// What was lost since the last frame shown, counted from now on as before the next.
  mutating func takeLost() -> DropCounts {
    defer { lost = DropCounts() }
    return lost
  }

  private mutating func drain() -> [Job] { queue?.drain().map { job($0) } ?? [] }

  private mutating func job(_ exit: ProcessingQueue<Waiting, ProcessedContent?>.Exit) -> Job {
    let time = exit.content.frame.frame.time.monotonicNanoseconds
    var replacement: Picture?
    switch exit.answer {
    case .some(.some(.overlay(let overlay))): lastAnswer = (overlay, time)
    case .some(.some(.picture(let picture))):
      lastAnswer = nil
      replacement = picture
    case .some(.none): lastAnswer = nil
    case .none: if let last = lastAnswer, time > last.time + Self.persistence { lastAnswer = nil }
    }
    let drawn = Overlay(overlay.elements + (lastAnswer?.overlay.elements ?? []))
    return Job(
      frame: exit.content.frame, overlay: drawn, replacement: replacement, process: process,
      orientation: orientation, loan: exit.content.loan)
  }
}
