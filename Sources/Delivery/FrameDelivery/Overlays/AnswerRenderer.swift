internal import CaptureCore
internal import Imaging
internal import OverlayDrawing

/// Renders the answers of one program, in the order in which they came, on a thread of its own.
///
/// A frame waits no longer for a rendered answer than it would for the answer alone. An answer that takes too long to
/// draw or to decode is therefore late, and delays no other frame.
final class AnswerRenderer: Sendable {
  /// The most answers that wait to be rendered: a program may have as many frames on the way.
  static let depth = PreviewOutput.processingDeadlines.upperBound

  /// An answer to a frame, before the answer is rendered.
  enum Answer: Sendable {
    /// What the program made of the frame. Nil shows the frame as it is.
    case content(ProcessedContent?)
    /// No memory was left for what the program made of the frame.
    case noRoom
  }

  private let answers = Mailbox<(id: FrameID, answer: Answer)>(depth: depth)
  /// Memory for copies of the pictures that the program answered with.
  private let received = FramePool(budget: 64 << 20)

  deinit { close() }

  func close() { answers.close() }

  /// Starts the rendering thread. Call this once.
  ///
  /// - Parameters:
  ///   - process: the program whose answers the thread renders. The thread keeps no strong reference to it.
  ///   - composer: gets each answer, rendered or rejected.
  ///   - hasReaders: whether the preview has readers. Without readers the thread draws nothing.
  /// - Throws: `processingFailed` when the system cannot create a thread.
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
            // The composer also gets an answer that is late or that no reader would see, because the composer counts
            // answers.
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

  /// Puts an answer behind the answers that wait.
  ///
  /// - Returns: the frame whose answer will not be rendered: the frame of the oldest answer when that answer had to
  ///   make room, or `id` itself once the renderer is closed. Nil when no answer was displaced.
  func put(_ id: FrameID, _ answer: Answer) -> FrameID? { answers.put((id, answer))?.id }

  /// Copies a picture that the program answered with into the renderer's memory.
  ///
  /// - Throws: `outOfBuffers` when no memory is left for answers.
  func copy(_ bytes: some Collection<UInt8>, _ layout: FrameLayout) throws(CaptureError) -> Picture {
    guard let memory = received.take(bytes.count) else {
      throw CaptureError(
        .outOfBuffers, "The memory for answers has no \(bytes.count) bytes left; answer fewer frames at once.")
    }
    memory.bytes.copyBytes(from: bytes)
    return Picture(layout: layout, buffer: memory.freeze(count: bytes.count))
  }
}

/// The tools with which the rendering thread works. Thread-bound.
private final class Workshop {
  /// Draws layers. Its budget holds six layers that each cover a whole 4K picture.
  let drawer = OverlayDrawer(budget: ImageMemory(budget: 128 << 20))
  private let converter = PictureConverter(pool: FramePool(budget: 64 << 20))

  /// Renders `content` for `frame`. Nil shows the frame as it is.
  ///
  /// - Throws: `invalidArgument` when a picture is not of the frame's size, before anything is made of the picture;
  ///   also what drawing and converting throw.
  func make(
    _ content: ProcessedContent?, for frame: ComposerState.Awaited, _ orientation: Orientation
  ) throws(CaptureError) -> ComposerState.Answer? {
    let range = frame.layout.shownRange
    switch content {
    case nil: return nil
    case .picture(let picture):
      guard picture.layout.size == frame.layout.size else {
        throw CaptureError(
          .invalidArgument, "The answer measures \(picture.layout.size), but the picture measures \(frame.layout.size)."
        )
      }
      return .picture(try converter.convert(picture, to: .yuv420, range: range, mapsTones: true))
    case .overlay(let overlay):
      guard let layout = OverlayPainter.painted(frame.layout, range: range) else { return .layer(nil) }
      let layer = try drawer.layer(overlay, over: layout, orientation, time: frame.time)
      // The next answer brings images of its own, and other overlays may need the memory of these images.
      if overlay.hasImages { drawer.forget() }
      return .layer(layer)
    }
  }
}
