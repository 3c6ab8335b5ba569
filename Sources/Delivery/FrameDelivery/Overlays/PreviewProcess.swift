public import CaptureCore
public import Imaging
public import OverlayDrawing

/// The part of a program in a preview: the program answers frames, and the preview shows the answers. Thread-safe. The
/// owner ends the part by ``end()``.
public final class PreviewProcess: Sendable {
  /// Why the preview ended the program's part: one error, then the end of the stream. After ``end()`` no error comes.
  public let endings: AsyncStream<CaptureError>
  private let ending: AsyncStream<CaptureError>.Continuation
  private let composer: PreviewComposer
  private let renderer = AnswerRenderer()

  init(_ composer: PreviewComposer) {
    self.composer = composer
    (endings, ending) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
  }

  /// Answers a frame. An answer that is too late is dropped and counted, also when only drawing the answer took too
  /// long.
  ///
  /// - Parameters:
  ///   - streamID: the stream of the frame.
  ///   - sequence: the driver's number of the frame in its stream.
  ///   - content: what the program made of the frame. Nil shows the frame as it is.
  /// - Throws: `invalidArgument` when `content` is a picture of another size than the camera's.
  public func answer(streamID: UInt64, sequence: UInt64, _ content: ProcessedContent?) throws(CaptureError) {
    let id = FrameID(streamID: streamID, sequence: sequence)
    if case .picture(let picture) = content, let wanted = composer.awaited(id, by: self)?.frame.layout.size,
      picture.layout.size != wanted
    {
      throw CaptureError(
        .invalidArgument,
        "The answer measures \(picture.layout.size), but the camera's picture measures \(wanted); answer in that "
          + "size, without turning it.",
        metadata: ["size": "\(picture.layout.size)", "wanted": "\(wanted)"], field: "answer.replacement")
    }
    put(.content(content), for: id)
  }

  /// Answers a frame with a copy of a picture. When no memory is left for the copy, the preview treats the frame
  /// as one without an answer.
  ///
  /// - Parameters:
  ///   - streamID: the stream of the frame.
  ///   - sequence: the driver's number of the frame in its stream.
  ///   - bytes: the picture, which is copied; an uncompressed one has no padding.
  ///   - format: JPEG or an uncompressed format.
  ///   - size: the size of the picture in pixels, which must be that of the camera's frames.
  ///   - frameLayout: the layout of the camera's frames, from which an uncompressed picture takes its range, matrix
  ///     and transfer function. Nil when the layout is not known.
  /// - Throws: `invalidArgument` when the bytes are not a picture of that format and size, or the picture is of
  ///   another size than the camera's.
  public func answer(
    streamID: UInt64, sequence: UInt64, _ bytes: some Collection<UInt8>, _ format: PixelFormat, _ size: Size,
    like frameLayout: FrameLayout?
  ) throws(CaptureError) {
    let picture: Picture
    do throws(CaptureError) { picture = try self.picture(bytes, format, size, like: frameLayout) } catch {
      guard error.reason == .outOfBuffers else { throw error }
      return reject(streamID: streamID, sequence: sequence)
    }
    try answer(streamID: streamID, sequence: sequence, .picture(picture))
  }

  /// Answers a frame with nothing, because no memory is left for what the program made of that frame. The preview
  /// treats the frame as one without an answer.
  ///
  /// - Parameters:
  ///   - streamID: the stream of the frame.
  ///   - sequence: the driver's number of the frame in its stream.
  public func reject(streamID: UInt64, sequence: UInt64) {
    put(.noRoom, for: FrameID(streamID: streamID, sequence: sequence))
  }

  private func put(_ answer: AnswerRenderer.Answer, for id: FrameID) {
    if let displaced = renderer.put(id, answer) { composer.reject(displaced, from: self) }
  }

  /// Copies a picture that the program answered with.
  ///
  /// - Throws: `invalidArgument` when the bytes are not a picture of that format and size; `outOfBuffers` when no
  ///   memory is left for answers.
  func picture(
    _ bytes: some Collection<UInt8>, _ format: PixelFormat, _ size: Size, like frameLayout: FrameLayout?
  ) throws(CaptureError) -> Picture {
    let like = format.isJPEG ? nil : frameLayout
    guard
      // The sides come from a client: the guard checks them before `packed` multiplies them.
      (1...32_768).contains(size.width), (1...32_768).contains(size.height),
      let layout = FrameLayout.packed(
        format, size, range: like?.range ?? .limited, matrix: like?.matrix ?? .bt601,
        transfer: like?.transfer ?? .standard),
      format.isJPEG ? !bytes.isEmpty : bytes.count == layout.byteCount
    else {
      throw CaptureError(
        .invalidArgument,
        "\(bytes.count) bytes are not a \(size) picture in \(format); use JPEG, or a format without padding.",
        metadata: ["bytes": "\(bytes.count)", "size": "\(size)", "pixel_format": "\(format)"],
        field: "answer.replacement")
    }
    return try renderer.copy(bytes, layout)
  }

  /// What became of the program's answers, and of the frames that it was asked about, so far. All 0 once the preview
  /// does not ask this program any more.
  public var counts: ProcessingCounts { composer.counts(of: self) }

  /// Leaves the preview, which then shows the camera's own frames again. Further calls do nothing.
  public func end() {
    renderer.close()
    composer.end(self)
    ending.finish()
  }

  func start(hasReaders: @escaping @Sendable () -> Bool) throws(CaptureError) {
    try renderer.start(for: self, composer, hasReaders: hasReaders)
  }

  func finish(_ error: CaptureError) {
    renderer.close()
    ending.yield(error)
    ending.finish()
  }
}

extension PreviewOutput {
  /// The deadlines that a program may ask for: how many newer frames may come while a frame waits for an answer.
  public static let processingDeadlines = 1...8

  /// Checks a deadline before processing begins.
  ///
  /// - Parameter deadlineFrames: for how many newer frames a frame waits for an answer.
  /// - Throws: `invalidArgument` for a deadline outside of ``processingDeadlines``.
  public static func validate(deadlineFrames: Int) throws(CaptureError) {
    guard processingDeadlines.contains(deadlineFrames) else {
      throw .outOfRange("deadline_frames", "\(deadlineFrames)", "1 to 8")
    }
  }

  /// Draws `overlay` over every frame from now on, in place of the former overlay. An overlay without elements draws
  /// nothing.
  ///
  /// - Throws: `processingFailed` when the system cannot create a thread.
  public func setOverlay(_ overlay: Overlay) throws(CaptureError) {
    try startComposer()
    composer.setOverlay(overlay)
  }

  /// Shows what a program makes of the frames from now on. The preview ends the part of a former program with
  /// `operationInterrupted`.
  ///
  /// - Parameter deadlineFrames: for how many newer frames a frame waits for an answer; one of
  ///   ``processingDeadlines``.
  /// - Throws: `invalidArgument` for another deadline; `processingFailed` when the system cannot create a thread; once
  ///   the output is closed, the error that ``close(_:)`` was given.
  public func beginProcessing(deadlineFrames: Int) throws(CaptureError) -> PreviewProcess {
    try Self.validate(deadlineFrames: deadlineFrames)
    try startComposer()
    let process = PreviewProcess(composer)
    try process.start { [weak self] in self?.readerCount ?? 0 > 0 }
    try composer.begin(process, deadline: deadlineFrames)
    return process
  }

  private func startComposer() throws(CaptureError) {
    // The thread holds the preview weakly, so that it does not keep a preview alive that everyone has left.
    try composer.start(
      hasReaders: { [weak self] in self?.readerCount ?? 0 > 0 },
      isOver: { [weak self] frame in self?.context?.isOver(frame) ?? true },
      show: { [weak self] frame, changes in self?.take(frame, drawnAfter: changes) ?? true })
  }
}

/// What a program makes of a frame.
public enum ProcessedContent: Sendable {
  /// Elements that the preview draws over the frame.
  case overlay(Overlay)
  /// A picture that the preview shows in place of the frame's own.
  case picture(Picture)
}
