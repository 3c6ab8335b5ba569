public import CaptureCore
internal import Imaging
public import OverlayDrawing

/// A program's part in a preview: it answers frames, and the preview shows the answers. Thread-safe; ends by ``end()``.
public final class PreviewProcess: Sendable {
  /// Why it ended, if not by ``end()``: one element, then nothing.
  public let endings: AsyncStream<CaptureError>
  private let ending: AsyncStream<CaptureError>.Continuation
  private let composer: PreviewComposer
  private let renderer = AnswerRenderer()

  init(_ composer: PreviewComposer) {
    self.composer = composer
    (endings, ending) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
  }

  /// Answers a frame. An answer too late is dropped and counted, also when it is drawing it that takes too long.
  ///
  /// - Parameter content: nil shows the frame as it is.
  /// - Throws: `invalidArgument` for a picture of another size than the camera's.
  public func answer(streamID: UInt64, sequence: UInt64, _ content: ProcessedContent?) throws(CaptureError) {
    let id = FrameID(streamID: streamID, sequence: sequence)
    if case .picture(let picture) = content, let wanted = composer.awaited(id, by: self)?.frame.layout.size,
      picture.layout.size != wanted
    {
      throw CaptureError(
        .invalidArgument,
        "The answer is \(picture.layout.size), the camera's picture \(wanted); answer in that size, unturned.",
        metadata: ["size": "\(picture.layout.size)", "wanted": "\(wanted)"], field: "answer.replacement")
    }
    put(.content(content), for: id)
  }

  /// Answers a frame with a copy of a picture. When no memory is left for it the frame is shown without, as one that was not
  /// answered.
  ///
  /// - Parameters:
  ///   - format: JPEG or an uncompressed one.
  ///   - frameLayout: of the camera's frames, whose colours uncompressed pictures have; nil when not known.
  /// - Throws: `invalidArgument` when the bytes are not a picture of that format, or of another size than the camera's.
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

  /// Answers a frame with nothing, because there is no room for what the program made of it: the frame is shown as it is, as
  /// one that was not answered.
  public func reject(streamID: UInt64, sequence: UInt64) {
    put(.noRoom, for: FrameID(streamID: streamID, sequence: sequence))
  }

  private func put(_ answer: AnswerRenderer.Answer, for id: FrameID) {
    if let displaced = renderer.put(id, answer) { composer.reject(displaced, from: self) }
  }

  /// Copies a picture that is an answer.
  ///
  /// - Throws: `invalidArgument` when the bytes are not a picture of that format and size; `outOfBuffers`.
  func picture(
    _ bytes: some Collection<UInt8>, _ format: PixelFormat, _ size: Size, like frameLayout: FrameLayout?
  ) throws(CaptureError) -> Picture {
    let like = format.isJPEG ? nil : frameLayout
    guard
      // Before anything is multiplied.
      (1...32_768).contains(size.width), (1...32_768).contains(size.height),
      let layout = FrameLayout.packed(
        format, size, range: like?.range ?? .limited, matrix: like?.matrix ?? .bt601,
        transfer: like?.transfer ?? .standard),
      format.isJPEG ? !bytes.isEmpty : bytes.count == layout.byteCount
    else {
      throw CaptureError(
        .invalidArgument,
        "\(bytes.count) bytes are no \(size) picture in \(format); take JPEG, or a format without padding.",
        metadata: ["bytes": "\(bytes.count)", "size": "\(size)", "pixel_format": "\(format)"],
        field: "answer.replacement")
    }
    return try renderer.copy(bytes, layout)
  }

  /// What became of answers and frames so far.
  public var counts: ProcessingCounts { composer.counts(of: self) }

  /// Leaves the preview, which shows the camera's own again. Calling it twice is harmless.
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
  /// For how many newer frames a preview may wait for an answer.
  public static let processingDeadlines = 1...8

  /// - Throws: `invalidArgument` outside of ``processingDeadlines``.
  public static func validate(deadlineFrames: Int) throws(CaptureError) {
    guard processingDeadlines.contains(deadlineFrames) else {
      throw .outOfRange("deadline_frames", "\(deadlineFrames)", "1 to 8")
    }
  }

  /// Draws `overlay` over every frame from now on, in place of what was set before; without elements nothing.
  ///
  /// - Throws: `processingFailed` when the system gives no thread.
  public func setOverlay(_ overlay: Overlay) throws(CaptureError) {
    try startComposer()
    composer.setOverlay(overlay)
  }

  /// Shows what a program makes of the frames from now on. Another one that did is ended.
  ///
  /// - Parameter deadlineFrames: ``processingDeadlines``.
  /// - Throws: `invalidArgument`; `processingFailed` when the system gives no thread; once closed, the error of that.
  public func beginProcessing(deadlineFrames: Int) throws(CaptureError) -> PreviewProcess {
    try Self.validate(deadlineFrames: deadlineFrames)
    try startComposer()
    let process = PreviewProcess(composer)
    try process.start { [weak self] in self?.readerCount ?? 0 > 0 }
    try composer.begin(process, deadline: deadlineFrames)
    return process
  }

  private func startComposer() throws(CaptureError) {
    // Weak: the thread must not keep a preview alive that everyone has left.
    try composer.start(
      hasReaders: { [weak self] in self?.readerCount ?? 0 > 0 },
      isOver: { [weak self] frame in self?.context?.isOver(frame) ?? true },
      show: { [weak self] frame, changes in self?.take(frame, drawnAfter: changes) ?? true })
  }
}
