internal import CaptureCore
internal import Imaging
internal import OverlayDrawing
internal import Synchronization

/// Makes of a preview's frames what people see: draws over them, or shows what a program made of them. Thread-safe.
///
/// It stands between the camera and the preview, and only while there is something to make; drawing has a thread of its own.
final class PreviewComposer: Sendable {
  /// Jobs that wait at most: as many as a program that goes away leaves at once.
  static let depth = 10

  private let state = Mutex(ComposerState())
  private enum Work: Sendable {
    case compose(ComposerState.Job)
    /// What was drawn is not drawn again, and there may be no frame that says so.
    case forget
  }
  private let jobs = Mailbox<Work>(depth: depth)
  private let hasThread = Mutex(false)
  /// One answer is drawn at a time, whoever's: a program that came and went is not drawn for beside the next.
  private let rendering = Mutex(())
  /// Painted pictures: five of 4K. Allocated as needed.
  private let pool = FramePool(budget: 64 << 20)

  deinit { jobs.close() }

  /// Takes a frame, unless there is nothing to be made of it.
  ///
  /// - Returns: nil when it will come back by `show` of ``start(hasReaders:isOver:show:)``, in its turn; else the frame, to be
  ///   shown at once, with what was lost here before it.
  func pass(_ frame: CapturedFrame) -> CapturedFrame? {
    state.withLock { state in
      guard state.isActive else { return frame.counting(state.takeLost()) }
      put(state.enter(frame), &state)
      return nil
    }
  }

  func setOverlay(_ overlay: Overlay) {
    state.withLock { state in
      state.overlay = overlay
      forgetIfIdle(state)
    }
  }

  /// Frames like those of `layout`, as they come back: what is drawn on is planar, whatever the camera gives.
  func composed(_ layout: FrameLayout) -> FrameLayout? {
    state.withLock(\.isComposing) ? .packed(.yuv420, layout.size) : layout
  }

  func setConnection(_ connection: Connection) { state.withLock { $0.setConnection(connection) } }

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

  func awaited(
    _ id: FrameID, by process: PreviewProcess
  ) -> (frame: ComposerState.Awaited, orientation: Orientation)? {
    state.withLock { $0.awaited(id, by: process) }
  }

  /// Runs `body` when nothing else of this preview's is being drawn; blocks.
  func rendering<Result>(_ body: () -> Result) -> Result { rendering.withLock { _ in body() } }

  func answer(_ id: FrameID, _ answer: ComposerState.Answer?, from process: PreviewProcess) {
    state.withLock { state in put(state.answer(id, answer, from: process), &state) }
  }

  func reject(_ id: FrameID, from process: PreviewProcess) {
    state.withLock { state in put(state.reject(id, from: process), &state) }
  }

  func counts(of process: PreviewProcess) -> ProcessingCounts {
    state.withLock { $0.process === process ? $0.counts : ProcessingCounts() }
  }

  func end(_ process: PreviewProcess) {
    state.withLock { state in
      put(state.end(process), &state)
      if !state.isComposing { forgetIfIdle(state) }
    }
  }

  func close(_ error: CaptureError) {
    jobs.close()
    let process = state.withLock { state in
      state.closed = error
      return state.process
    }
    process?.finish(error)
  }

  // MARK: Drawing

  /// Starts the thread that draws, once.
  ///
  /// - Parameters:
  ///   - hasReaders: whether anybody sees what is drawn.
  ///   - isOver: whether a frame's stream is.
  ///   - show: called with each frame, in order, on the thread, and with how many changes of the connection came before it;
  ///     returns false when there was another since.
  func start(
    hasReaders: @escaping @Sendable () -> Bool, isOver: @escaping @Sendable (Frame) -> Bool,
    show: @escaping @Sendable (CapturedFrame, _ connectionChanges: Int) -> Bool
  ) throws(CaptureError) {
    try hasThread.withLock { hasThread throws(CaptureError) in
      guard !hasThread else { return }
      try WorkerThread.start(name: "preview-overlay") { [weak self, jobs, pool] in
        let painter = OverlayPainter(pool: pool)
        while let work = jobs.take() {
          guard let self else { return }
          switch work {
          case .forget: painter.forget()
          case .compose(let job):
            let isSeen = hasReaders()
            if isOver(job.frame.frame) {
              state.withLock { $0.lose(job, DropCounts(discontinuity: 1)) }
            } else if job.connectionChanges != state.withLock(\.connectionChanges) {
              state.withLock { $0.lose(job, DropCounts(late: 1)) }
            } else if let composed = compose(job, painter, isSeen: isSeen) {
              // Drawing takes milliseconds: by now the stream may be over, and another expected.
              if isOver(job.frame.frame) {
                state.withLock { $0.lose(composed, DropCounts(discontinuity: 1)) }
              } else if !show(composed, job.connectionChanges) {
                state.withLock { $0.lose(composed, DropCounts(late: 1)) }
              }
            }
            let isCurrent = state.withLock { state in
              state.pending -= 1
              return state.isCurrent(job.overlay)
            }
            // Its pictures are memory that others' overlays may need.
            if !isSeen || !isCurrent { painter.forget() }
          }
        }
      }
      hasThread = true
    }
  }

  /// With jobs to do the thread notices by itself.
  private func forgetIfIdle(_ state: ComposerState) {
    if state.pending == 0 { jobs.put(.forget) }
  }

  /// Jobs stay in order because the state's lock is held.
  private func put(_ new: [ComposerState.Job], _ state: inout ComposerState) {
    for job in new {
      state.pending += 1
      if case .compose(let displaced)? = jobs.put(.compose(job)) {
        state.lose(displaced, DropCounts(late: 1))
        state.pending -= 1
      }
    }
  }

  /// Nil when the frame is lost.
  private func compose(_ job: ComposerState.Job, _ painter: OverlayPainter, isSeen: Bool) -> CapturedFrame? {
    guard isSeen, state.withLock({ $0.isComposing }) else {
      return shown(job, job.frame.frame.picture, isSeen: isSeen)
    }
    let frame = job.frame.frame
    do throws(CaptureError) {
      let painted = try painter.paint(
        job.overlay, job.layer, over: job.replacement ?? frame.picture, range: frame.layout.shownRange,
        orientation: job.orientation, wallNanoseconds: frame.time.wallNanoseconds)
      return shown(job, painted, isSeen: true)
    } catch {
      // What cannot be read cannot be drawn on, and is shown as far as it can be.
      if error.reason == .formatNotSupported { return shown(job, frame.picture, isSeen: true) }
      let cause =
        switch error.reason {
        case .outOfBuffers: DropCounts(outOfBuffers: 1)
        case .frameDamaged: DropCounts(damaged: 1)
        default: DropCounts(discontinuity: 1)
        }
      state.withLock { $0.lose(job, cause) }
      return nil
    }
  }

  /// The frame with `picture`, and with what was lost before it.
  private func shown(_ job: ComposerState.Job, _ picture: Picture, isSeen: Bool) -> CapturedFrame {
    state.withLock { state in
      let result = job.frame.counting(state.takeLost(before: job), as: picture)
      state.newest = isSeen && state.connectionChanges == job.connectionChanges ? result : nil
      return result
    }
  }
}

extension FrameLayout {
  /// Of every picture shown for such a frame, whoever made it: raw previews do not tell it.
  var shownRange: Range { pixelFormat.isJPEG ? .full : range }
}

extension CapturedFrame {
  /// The frame with what was lost before it besides, and as another picture if one is given.
  fileprivate func counting(_ lost: DropCounts, as picture: Picture? = nil) -> CapturedFrame {
    guard picture != nil || lost.total > 0 else { return self }
    var missing = frame.missing
    missing += lost
    return with(
      Frame(
        streamID: frame.streamID, sequence: frame.sequence, time: frame.time, layout: picture?.layout ?? frame.layout,
        buffer: picture?.buffer ?? frame.buffer, missing: missing, sensor: frame.sensor))
  }
}
