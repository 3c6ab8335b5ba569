internal import CaptureCore
internal import Imaging
internal import OverlayDrawing

/// Makes of a program's answers what is shown, in order, on a thread of its own. A frame waits for that no longer than for the
/// answer: one that is heavy to draw or to decode is a late one, and delays no other frame.
final class AnswerRenderer: Sendable {
  /// As many as a program may have on the way.
  static let depth = PreviewOutput.processingDeadlines.upperBound

  /// What came for a frame.
  enum Answer: Sendable {
    /// Nil shows the frame as it is.
    case content(ProcessedContent?)
    /// There was no room for what it makes of it.
    case noRoom
  }

  private let answers = Mailbox<(id: FrameID, answer: Answer)>(depth: depth)
  /// Answers as they came.
  private let received = FramePool(budget: 64 << 20)

  deinit { close() }

  func close() { answers.close() }

  /// Starts the thread, once.
  ///
  /// - Parameters:
  ///   - process: whose answers they are; not kept.
  ///   - hasReaders: whether anybody sees what is drawn.
  func start(
    for process: PreviewProcess, _ composer: PreviewComposer, hasReaders: @escaping @Sendable () -> Bool
  ) throws(CaptureError) {
    try WorkerThread.start(name: "preview-answers") { [answers, weak process] in
      let workshop = Workshop()
      while let (id, answer) = answers.take() {
        guard let process else { return }
        composer.rendering {
          switch answer {
          case .noRoom: composer.reject(id, from: process)
          case .content(let content):
            // Also what is late goes to the composer, which counts it.
            guard let (frame, orientation) = composer.awaited(id, by: process), hasReaders() else {
              workshop.drawer.forget()
              return composer.answer(id, nil, from: process)
            }
            do throws(CaptureError) {
              composer.answer(id, try workshop.make(content, for: frame, orientation), from: process)
            } catch {
              composer.reject(id, from: process)
            }
          }
        }
      }
    }
  }

  /// Puts an answer at the end.
  ///
  /// - Returns: the frame of the oldest, where that had to make room: it will not be rendered.
  func put(_ id: FrameID, _ answer: Answer) -> FrameID? { answers.put((id, answer))?.id }

  /// Memory for an answer.
  func copy(_ bytes: some Collection<UInt8>, _ layout: FrameLayout) throws(CaptureError) -> Picture {
    guard let memory = received.take(bytes.count) else {
      throw CaptureError(.outOfBuffers, "No \(bytes.count) bytes are left for answers; answer fewer at once.")
    }
    memory.bytes.copyBytes(from: bytes)
    return Picture(layout: layout, buffer: memory.freeze(count: bytes.count))
  }
}

/// What the thread works with. Thread-bound.
private final class Workshop {
  /// Six layers over the whole of a 4K picture.
  let drawer = OverlayDrawer(budget: ImageMemory(budget: 128 << 20))
  private let converter = PictureConverter(pool: FramePool(budget: 64 << 20))

  /// - Throws: `invalidArgument` for a picture of another size than the frame's, before anything is made of it; what drawing
  ///   and converting throw.
  func make(
    _ content: ProcessedContent?, for frame: ComposerState.Awaited, _ orientation: Orientation
  ) throws(CaptureError) -> ComposerState.Answer? {
    let range = frame.layout.shownRange
    switch content {
    case nil: return nil
    case .picture(let picture):
      guard picture.layout.size == frame.layout.size else {
        throw CaptureError(.invalidArgument, "The answer is \(picture.layout.size), the picture \(frame.layout.size).")
      }
      return .picture(try converter.convert(picture, to: .yuv420, range: range, mapsTones: true))
    case .overlay(let overlay):
      guard let layout = OverlayPainter.painted(frame.layout, range: range) else { return .layer(nil) }
      let layer = try drawer.layer(overlay, over: layout, orientation, wallNanoseconds: frame.wallNanoseconds)
      // The next answer brings images of its own, and others may need the memory of these.
      if overlay.hasImages { drawer.forget() }
      return .layer(layer)
    }
  }
}
