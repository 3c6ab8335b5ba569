internal import CaptureCore
internal import Imaging
internal import Locking
internal import OverlayDrawing
internal import VideoCoding

/// Makes the pictures that a preview shows: draws over the camera's frames, or shows what a program made of them.
/// Thread-safe.
///
/// The composer stands between the camera and the preview. Frames go through the composer only while there is something
/// to make of them. A thread of its own draws.
final class PreviewComposer: Sendable {
  /// The most jobs that wait: room for all the frames that a program leaves at once when it goes away.
  static let depth = 10

  private let state = Locked(ComposerState())
  private enum Work: Sendable {
    case compose(ComposerState.Job)
    /// Lets the thread forget the overlay that it drew last. That overlay is not drawn again, and perhaps no frame
    /// comes by which the thread would notice.
    case forget
  }
  private let jobs = Mailbox<Work>(depth: depth)
  private let hasThread = Locked(false)
  /// Lets one answer be drawn at a time, across programs: the answers of a program that has come and gone are not drawn
  /// beside the answers of the next program.
  private let rendering = Turns()
  /// Memory of painted pictures, enough for five of 4K. The pool allocates memory only as needed.
  private let pool = FramePool(budget: 64 << 20)

  deinit { jobs.close() }

  /// Takes a frame while there is an overlay to draw or a program to ask, or frames inside that it must not overtake.
  ///
  /// - Returns: nil when the composer took the frame: `show` of ``start(hasReaders:isOver:show:)`` gets it in its
  ///   turn. Else the frame, to be shown at once, which then reports what was lost in the composer before it.
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

  /// The layout in which frames of `layout` leave the composer. A frame that is drawn on is planar 4:2:0, whatever
  /// format the camera gives.
  func composed(_ layout: FrameLayout) -> FrameLayout? {
    state.withLock(\.isComposing) ? .packed(.yuv420, layout.size) : layout
  }

  func setConnection(_ connection: Connection) { state.withLock { $0.setConnection(connection) } }

  /// Whether frames go through the composer, and the frame that a new reader is shown at once while they do. The frame
  /// is nil when a new reader must not see the last one.
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
      CaptureError(
        .operationInterrupted, "Another program has begun to process this preview's frames, and only one at a time can."
      ))
  }

  func awaited(
    _ id: FrameID, by process: PreviewProcess
  ) -> (frame: ComposerState.Awaited, orientation: Orientation)? {
    state.withLock { $0.awaited(id, by: process) }
  }

  /// Runs `body` while no other answer of this preview is being drawn. Blocks until then.
  func rendering<Result>(_ body: () -> Result) -> Result { rendering.take(body) }

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

  /// Starts the drawing thread. Further calls do nothing.
  ///
  /// - Parameters:
  ///   - hasReaders: whether the preview has readers. Without readers the thread draws nothing.
  ///   - isOver: whether the stream of a frame is over.
  ///   - show: called on the drawing thread with each frame, in order, and with the number of changes of the
  ///     connection before the frame came. Returns false when the connection has changed since and the frame was not
  ///     shown.
  /// - Throws: `processingFailed` when the system cannot create a thread.
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
              // Drawing takes milliseconds. Meanwhile the stream may have ended, and readers may expect another stream.
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
            // The painter keeps the overlay's images in memory, which the overlays of others may need.
            if !isSeen || !isCurrent { painter.forget() }
          }
        }
      }
      hasThread = true
    }
  }

  /// Lets the drawing thread forget the overlay when no job waits. A thread with jobs notices by itself.
  private func forgetIfIdle(_ state: ComposerState) {
    if state.pending == 0 { jobs.put(.forget) }
  }

  /// Queues jobs for the drawing thread. The caller holds the state's lock, which keeps the jobs in order.
  private func put(_ new: [ComposerState.Job], _ state: inout ComposerState) {
    for job in new {
      state.pending += 1
      if case .compose(let displaced)? = jobs.put(.compose(job)) {
        state.lose(displaced, DropCounts(late: 1))
        state.pending -= 1
      }
    }
  }

  /// Draws over the job's frame. Nil when the frame is lost.
  private func compose(_ job: ComposerState.Job, _ painter: OverlayPainter, isSeen: Bool) -> CapturedFrame? {
    guard isSeen, state.withLock({ $0.isComposing }) else {
      return shown(job, nil, isSeen: isSeen)
    }
    let frame = job.frame.frame
    do throws(CaptureError) {
      let picture = if let replacement = job.replacement { replacement } else { try frame.decodedPicture() }
      let painted = try painter.paint(
        job.overlay, job.layer, over: picture, range: frame.layout.shownRange, orientation: job.orientation,
        time: frame.time.wall)
      return shown(job, painted, isSeen: true)
    } catch {
      // A format that the painter cannot read cannot be drawn on. The preview shows such a frame as far as it can.
      if error.reason == .formatNotSupported { return shown(job, nil, isSeen: true) }
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

  /// The job's frame with `picture` in place of its own if one is given, and with the losses before it. The composer
  /// keeps this frame for new readers, unless the preview has no readers or the connection has changed since the frame
  /// came.
  private func shown(_ job: ComposerState.Job, _ picture: Picture?, isSeen: Bool) -> CapturedFrame {
    state.withLock { state in
      let result = job.frame.counting(state.takeLost(before: job), as: picture)
      state.newest = isSeen && state.connectionChanges == job.connectionChanges ? result : nil
      return result
    }
  }
}

extension FrameLayout {
  /// The range of luma and chroma in every picture that is shown for a frame of this layout, whether the picture is the
  /// camera's or a program's: raw previews do not tell their readers the range.
  var shownRange: Range { pixelFormat.isJPEG ? .full : range }
}

extension CapturedFrame {
  /// The frame with `lost` added to its missing frames, and with `picture` in place of its own if one is given.
  fileprivate func counting(_ lost: DropCounts, as picture: Picture? = nil) -> CapturedFrame {
    guard picture != nil || lost.total > 0 else { return self }
    var missing = frame.missing
    missing += lost
    guard let picture else { return with(frame.with(missing: missing)) }
    return with(
      Frame(
        streamID: frame.streamID, sequence: frame.sequence, time: frame.time, layout: picture.layout,
        buffer: picture.buffer, missing: missing, sensor: frame.sensor, layers: frame.layers))
  }
}
