internal import CaptureCore
internal import Imaging
internal import Overlay

/// Makes of a program's answers what is shown, in order, on a thread of its own. A frame waits for that no longer than for the
/// answer: one that is heavy to draw or to decode is a late one, and delays no other frame.
final class AnswerRenderer: Sendable {
  /// As many as a program may have on the way.
  static let depth = PreviewOutput.processingDeadlines.upperBound

  private struct Answer: Sendable {
    var id: FrameID
    var content: ProcessedContent?
  }

  private let answers = Mailbox<Answer>(depth: depth)
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
      let drawer = OverlayDrawer()
      let converter = PictureConverter(pool: FramePool(budget: 64 << 20))
      while let answer = answers.take() {
        guard let process else { return }
        // Also what is late goes to the composer, which counts it.
        guard let (frame, orientation) = composer.awaited(answer.id, by: process), hasReaders() else {
          drawer.forget()
          composer.answer(answer.id, nil, from: process)
          continue
        }
        do throws(CaptureError) {
          let rendered = try answer.content.map { content throws(CaptureError) in
            try Self.render(content, over: frame, orientation, drawer, converter)
          }
          composer.answer(answer.id, rendered, from: process)
        } catch {
          composer.reject(answer.id, from: process)
        }
      }
    }
  }

  /// Puts an answer at the end.
  ///
  /// - Returns: the frame of the oldest, where that had to make room: it will not be rendered.
  func put(_ id: FrameID, _ content: ProcessedContent?) -> FrameID? {
    answers.put(Answer(id: id, content: content))?.id
  }

  /// Memory for an answer.
  func copy(_ bytes: some Collection<UInt8>, _ layout: FrameLayout) throws(CaptureError) -> Picture {
    guard let memory = received.take(bytes.count) else {
      throw CaptureError(.outOfBuffers, "No \(bytes.count) bytes are left for answers; answer fewer at once.")
    }
    memory.bytes.copyBytes(from: bytes)
    return Picture(layout: layout, buffer: memory.freeze(count: bytes.count))
  }

  private static func render(
    _ content: ProcessedContent, over frame: Frame, _ orientation: Orientation, _ drawer: OverlayDrawer,
    _ converter: PictureConverter
  ) throws(CaptureError) -> ComposerState.Answer {
    let range = frame.layout.shownRange
    switch content {
    case .picture(let picture):
      return .picture(try converter.convert(picture, to: .yuv420, range: range, mapsTones: true))
    case .overlay(let overlay):
      guard let layout = OverlayPainter.painted(frame.layout, range: range) else { return .layer(nil) }
      let layer = drawer.layer(overlay, over: layout, orientation, wallNanoseconds: frame.time.wallNanoseconds)
      // The next answer brings images of its own, and others may need the memory of these.
      if overlay.hasImages { drawer.forget() }
      return .layer(layer)
    }
  }
}
