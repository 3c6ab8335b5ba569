internal import CaptureCore
internal import Imaging
internal import Overlay
internal import Synchronization

/// Makes of a preview's frames what people see: draws over them, or shows what a program made of them. Thread-safe.
///
/// It stands between the camera and the preview, and only while there is something to make; drawing has a thread of its own.
final class PreviewComposer: Sendable {
  /// Jobs that wait at most: as many as a program that goes away leaves at once.
  static let depth = 10

  private let state = Mutex(ComposerState())
  private let jobs = Mailbox<ComposerState.Job>(depth: depth)
  private let hasThread = Mutex(false)
  /// Painted pictures: five of 4K. Allocated as needed.
  private let pool = FramePool(budget: 64 << 20)
  /// Programs' pictures.
  private let answers = FramePool(budget: 64 << 20)

  deinit { jobs.close() }

  /// Takes a frame, unless there is nothing to be made of it.
  ///
  /// - Returns: whether it will come back by `show` of ``start(hasReaders:isOver:show:)``, in its turn.
  func takes(_ frame: CapturedFrame) -> Bool {
    state.withLock { state in
      guard state.isActive else { return false }
      put(state.enter(frame), &state)
      return true
    }
  }

  func setOverlay(_ overlay: Overlay) { state.withLock { $0.overlay = overlay } }

  func setOrientation(_ orientation: Orientation) { state.withLock { $0.orientation = orientation } }

  /// What a new reader is shown at once: nil while frames do not go this way.
  var shown: (isActive: Bool, newest: CapturedFrame?) { state.withLock { ($0.isActive, $0.newest) } }

  // MARK: Programs

  func begin(_ process: PreviewProcess, deadline: Int) throws(CaptureError) {
    let former = try state.withLock { state throws(CaptureError) in
      if let closed = state.closed { throw closed }
      let (jobs, former) = state.begin(process, deadline: deadline)
      put(jobs, &state)
      return former
    }
    former?.finish(
      CaptureError(.operationInterrupted, "Another program processes this preview's frames now; one at a time does."))
  }

  func answer(
    _ id: FrameID, _ content: ProcessedContent?, from process: PreviewProcess
  ) throws(CaptureError) -> ProcessingCounts {
    try state.withLock { state throws(CaptureError) in
      put(try state.answer(id, content, from: process), &state)
      return state.counts
    }
  }

  func counts(of process: PreviewProcess) -> ProcessingCounts {
    state.withLock { $0.process === process ? $0.counts : ProcessingCounts() }
  }

  func end(_ process: PreviewProcess) { state.withLock { put($0.end(process), &$0) } }

  func close(_ error: CaptureError) {
    jobs.close()
    let process = state.withLock { state in
      state.closed = error
      return state.process
    }
    process?.finish(error)
  }

  /// Memory for a program's picture.
  func copy(_ bytes: some Collection<UInt8>, _ layout: FrameLayout) throws(CaptureError) -> Picture {
    guard let memory = answers.take(bytes.count) else {
      throw CaptureError(.outOfBuffers, "No \(bytes.count) bytes are left for answers; answer fewer at once.")
    }
    memory.bytes.copyBytes(from: bytes)
    return Picture(layout: layout, buffer: memory.freeze(count: bytes.count))
  }

  // MARK: Drawing

  /// Starts the thread that draws, once.
  ///
  /// - Parameters:
  ///   - hasReaders: whether anybody sees what is drawn.
  ///   - isOver: whether a frame's stream is.
  ///   - show: called with each frame, in order, on the thread.
  func start(
    hasReaders: @escaping @Sendable () -> Bool, isOver: @escaping @Sendable (Frame) -> Bool,
    show: @escaping @Sendable (CapturedFrame) -> Void
  ) throws(CaptureError) {
    try hasThread.withLock { hasThread throws(CaptureError) in
      guard !hasThread else { return }
      try WorkerThread.start(name: "preview-overlay") { [weak self, jobs, pool] in
        let painter = OverlayPainter(pool: pool)
        while let job = jobs.take() {
          guard let self else { return }
          if isOver(job.frame.frame) {
            state.withLock { $0.lose(job.frame, DropCounts(discontinuity: 1)) }
          } else if let composed = compose(job, painter, isSeen: hasReaders()) {
            show(composed)
          }
          state.withLock { $0.pending -= 1 }
        }
      }
      hasThread = true
    }
  }

  /// Jobs stay in order because the state's lock is held.
  private func put(_ new: [ComposerState.Job], _ state: inout ComposerState) {
    for job in new {
      if let displaced = jobs.put(job) {
        state.lose(displaced.frame, DropCounts(late: 1))
      } else {
        state.pending += 1
      }
    }
  }

  /// Nil when the frame is lost.
  private func compose(_ job: ComposerState.Job, _ painter: OverlayPainter, isSeen: Bool) -> CapturedFrame? {
    guard isSeen, state.withLock({ $0.isComposing }) else {
      return shown(job.frame, job.frame.frame.picture, isSeen: isSeen)
    }
    let frame = job.frame.frame
    func paint(over picture: Picture) throws(CaptureError) -> Picture {
      // The same range for every picture, whoever made it: raw previews do not tell it.
      try painter.paint(
        job.overlay, over: picture, range: frame.layout.pixelFormat.isJPEG ? .full : frame.layout.range,
        orientation: job.orientation, wallNanoseconds: frame.time.wallNanoseconds)
    }
    do throws(CaptureError) {
      if let replacement = job.replacement {
        do throws(CaptureError) {
          return shown(job.frame, try paint(over: replacement), isSeen: true)
        } catch {
          if error.reason == .outOfBuffers { throw error }
          state.withLock { $0.reject(of: job.process) }
        }
      }
      return shown(job.frame, try paint(over: frame.picture), isSeen: true)
    } catch {
      // What cannot be read cannot be drawn on, and is shown as far as it can be.
      if error.reason == .formatNotSupported { return shown(job.frame, frame.picture, isSeen: true) }
      let cause = error.reason == .outOfBuffers ? DropCounts(outOfBuffers: 1) : DropCounts(discontinuity: 1)
      state.withLock { $0.lose(job.frame, cause) }
      return nil
    }
  }

  /// The frame with `picture`, and with what was lost before it.
  private func shown(_ captured: CapturedFrame, _ picture: Picture, isSeen: Bool) -> CapturedFrame {
    let frame = captured.frame
    return state.withLock { state in
      var missing = frame.missing
      missing += state.takeLost()
      var result = captured
      result.frame = Frame(
        streamID: frame.streamID, sequence: frame.sequence, time: frame.time, layout: picture.layout,
        buffer: picture.buffer, missing: missing, sensor: frame.sensor)
      state.newest = isSeen ? result : nil
      return result
    }
  }
}
