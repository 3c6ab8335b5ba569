internal import CaptureCore

/// What a session does with several cameras.
extension CaptureSession {
  /// The pipelines of the session's cameras, in the order of the configuration; at least one.
  var cameras: [CameraPipeline] { committed.pipelines.map { pipelines[$0] } }

  /// The pipeline of the camera that the photo output has.
  var photoCamera: CameraPipeline {
    let photo = committed.resolved.outputs.first { $0.photo != nil }
    return pipelines[photo.map(committed.pipeline) ?? committed.pipelines[0]]
  }

  /// The ids of the devices without which the configuration that was asked for cannot be resolved. Declared microphones
  /// are not among them.
  var awaitedCameras: [String] {
    let devices = committed.asked.inputs.filter { !$0.isDerived }.map(\.deviceID)
    return devices.filter { $0 == devices.first || !declaredMicrophones.contains($0) }
  }

  /// Whether an output takes the frames of a camera.
  func isUsed(_ pipeline: CameraPipeline) -> Bool {
    committed.slots.place(at: pipeline.index).map(committed.resolved.isUsed) ?? true
  }

  /// Whether a start leaves a camera closed, because no output takes its frames or deferred start is to open it.
  func staysClosed(_ pipeline: CameraPipeline) -> Bool { !isUsed(pipeline) || isDeferred(pipeline) }

  /// Whether a camera opens with deferred start, and not at the start.
  func isDeferred(_ pipeline: CameraPipeline) -> Bool {
    committed.slots.place(at: pipeline.index).map {
      committed.resolved.isUsed(at: $0) && committed.resolved.isDeferred(at: $0)
    }
      ?? false
  }

  /// The status of a camera for the readers of its outputs.
  func shownStatus(of pipeline: CameraPipeline) -> SessionStatus {
    pipeline.shownStatus(awaitsDeferredStart: isDeferred(pipeline))
  }

  /// Runs `body` for several cameras side by side.
  ///
  /// - Returns: the result of each, in the order of `pipelines`.
  func atOnce<R: Sendable>(
    _ pipelines: [CameraPipeline], _ body: @escaping (isolated CaptureSession, CameraPipeline) async -> R
  ) async -> [(CameraPipeline, R)] {
    // One camera needs no task of its own.
    if pipelines.count == 1 { return [(pipelines[0], await body(self, pipelines[0]))] }
    let tasks = pipelines.map { pipeline in Task { await body(self, pipeline) } }
    var results: [(CameraPipeline, R)] = []
    for (pipeline, task) in zip(pipelines, tasks) { results.append((pipeline, await task.value)) }
    return results
  }

  /// Stops every camera, all side by side, and returns when they are closed.
  func stopCameras() async {
    let parked = cameras.filter(\.isParked)
    for pipeline in parked { pipeline.unpark() }
    _ = await atOnce(cameras) { session, pipeline in await session.apply(.stopRequested, to: pipeline) }
    for pipeline in parked { outputs.setStatus(pipeline.status, of: pipeline, by: committed) }
    tellStatus()
  }

  /// Opens the cameras that wait for deferred start. One that cannot be opened and may be later is interrupted. The
  /// other cameras may be interrupted by now, which keeps no camera closed.
  func openDeferredCameras() async {
    guard status.state != .stopped else { return }
    let deferred = cameras.filter { $0.isParked && isDeferred($0) }
    outputs.derivedInputs.beginWaiting(deferred.compactMap { committed.input(at: $0.index) })
    defer { outputs.derivedInputs.endWaiting() }
    _ = await atOnce(deferred) { session, pipeline in
      pipeline.unpark()
      if let rest = session.rest(of: pipeline) { return await session.apply(.startAwaited(rest), to: pipeline) }
      pipeline.startError = nil
      await session.apply(.startRequested, to: pipeline)
      guard let error = pipeline.startError, InterruptionReason(ofRetry: error) != nil else { return }
      await session.apply(.startAwaited(error), to: pipeline)
    }
  }

  /// Opens the cameras again that an error stopped while others of the session run.
  ///
  /// - Throws: why one of them cannot be opened. The others go on.
  func reopenCameras() async throws(CaptureError) {
    for pipeline in cameras where pipeline.status.state == .stopped && !pipeline.isParked {
      pipeline.schedule = RetrySchedule()
      pipeline.startError = nil
      if let rest = rest(of: pipeline) {
        await apply(.startAwaited(rest), to: pipeline)
        continue
      }
      await apply(.startRequested, to: pipeline)
      if let error = pipeline.startError { throw error }
    }
  }

  // MARK: The status

  /// Releases what a stopped session does not need, if the session has stopped and watchers do not know it yet.
  ///
  /// - Returns: whether the status is another one than watchers were told last.
  func noteStatus() -> Bool {
    let now = status
    guard now != toldStatus else { return false }
    if now.state == .stopped {
      // An error may have stopped the last camera that was open.
      for pipeline in cameras where pipeline.isParked {
        pipeline.unpark()
        outputs.setStatus(pipeline.status, of: pipeline, by: committed)
      }
      // Their cameras are stopped, so they would wait for ever.
      if cameras.contains(where: { committed.isDerived(at: $0.index) && $0.status.state != .stopped }) {
        enqueue { await $0.stopDerivedInputs() }
      }
      launch.end()
      deferredStart.sessionStopped()
      devices.release(from: id)
    }
    return true
  }

  /// Tells watchers the status of the session, if it is another one than they were told last.
  func tellStatus() {
    guard noteStatus() else { return }
    toldStatus = status
    port.tell(.stateChanged(toldStatus))
  }

  /// Tells each output what is known of the frames of its camera.
  func expectConfirmedFormats() {
    for output in outputs.hosted.values { output.update { $0.expect(committed, by: output.configuration) } }
  }
}

extension SessionStatus {
  /// Derives the status of a session from its cameras. A camera that runs decides, then one that is starting or
  /// stopping, then one that is interrupted. A session all of whose cameras are parked runs, and without any of these
  /// it is stopped. Allocates nothing, because a launch asks for the status again and again.
  ///
  /// - Parameter cameras: the status of each camera, and whether it is parked.
  init(of cameras: some Sequence<(status: SessionStatus, isParked: Bool)>) {
    self.init(.stopped)
    var (highest, isAnyStopped) = (0, false)
    for camera in cameras {
      if !camera.isParked, camera.status.state == .stopped { isAnyStopped = true }
      let precedence = camera.isParked ? 1 : camera.status.state.precedence
      guard precedence > highest else { continue }
      highest = precedence
      self = camera.isParked ? SessionStatus(.running) : camera.status
    }
    // A parked camera brings no frame, so it does not make up for one that an error stopped.
    if highest == 1, isAnyStopped { self.init(.stopped) }
  }
}

extension SessionState {
  fileprivate var precedence: Int {
    switch self {
    case .stopped: 0
    case .interrupted: 2
    case .stopping: 3
    case .starting: 4
    case .running: 5
    }
  }
}
