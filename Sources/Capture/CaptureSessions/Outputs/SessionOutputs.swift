internal import CaptureCore
internal import SystemClocks

/// The outputs of a session. Makes and prepares them, connects them to the pipelines, and tells them the session's
/// conditions.
///
/// Belongs to the session's actor.
final class SessionOutputs {
  let context: SessionOutputContext
  let derivedInputs: DerivedInputs
  private let makeOutput: OutputFactory
  private let devices: DeviceRegistry
  private let clock: any Clock<Duration>
  private let port: SessionPort
  private(set) var hosted: [String: HostedOutput] = [:]

  init(
    context: SessionOutputContext, devices: DeviceRegistry, derivedInputs: DerivedInputs,
    clock: any Clock<Duration>, port: SessionPort, makeOutput: @escaping OutputFactory
  ) {
    self.context = context
    self.devices = devices
    self.derivedInputs = derivedInputs
    self.clock = clock
    self.port = port
    self.makeOutput = makeOutput
  }

  /// Returns the outputs that the session will have after a commit: the kept outputs, and new ones that this method
  /// makes.
  func next(by plan: CommitPlan) -> [String: HostedOutput] {
    var next = hosted.filter { plan.kept.contains($0.key) }
    for output in plan.added {
      let view = CameraOutputContext(context)
      next[output.id] = HostedOutput(output, makeOutput(output, view), view)
    }
    return next
  }

  /// Replaces the session's outputs with those of a commit.
  func replace(with next: [String: HostedOutput], by resolved: ResolvedConfiguration) {
    hosted = next
    for output in resolved.outputs { next[output.id]?.configuration = output }
    forgetOthers()
  }

  /// Removes outputs that the session no longer has from the launch timeline, where they would accumulate.
  func forgetOthers() { port.timeline.record { [ids = Set(hosted.keys)] in $0.keepOutputs(ids) } }

  /// Ends every output with `error`.
  func close(_ error: CaptureError) {
    for output in hosted.values { output.output.close(error) }
    hosted = [:]
  }

  /// Changes the conditions of every output, or only of those with these ids.
  func update(only ids: Set<String>? = nil, _ change: (inout OutputConditions) -> Void) {
    for (id, output) in hosted where ids?.contains(id) ?? true { output.update(change) }
  }

  /// Changes the conditions of the outputs of one camera.
  func update(
    of pipeline: CameraPipeline, by committed: CommittedConfiguration, _ change: (inout OutputConditions) -> Void
  ) {
    for output in hosted.values where committed.pipeline(of: output.configuration) == pipeline.index {
      output.update(change)
    }
  }

  /// Tells outputs the state of a camera: its own outputs, and photo outputs that it is connected to beside others.
  func setStatus(_ status: SessionStatus, of pipeline: CameraPipeline, by committed: CommittedConfiguration) {
    update(of: pipeline, by: committed) { conditions in
      conditions.status = status
      conditions.isSettling = pipeline.isSettling
    }
    guard let input = committed.input(at: pipeline.index)?.id else { return }
    for output in hosted.values where output.configuration.constituents.contains(where: { $0.input == input }) {
      output.update { $0.setStatus(status, ofConstituent: input) }
    }
  }

  /// Tells the photo outputs of a camera whether its exposure still settles.
  func setSettling(of pipeline: CameraPipeline, by committed: CommittedConfiguration) {
    for output in hosted.values
    where output.configuration.photo != nil && committed.pipeline(of: output.configuration) == pipeline.index {
      output.update { $0.isSettling = pipeline.isSettling }
    }
  }

  /// Changes the conditions of the outputs that get no frames while a camera brings none: its own, and those of the
  /// derived inputs whose first layer it is.
  func update(
    clockedBy pipeline: CameraPipeline, by committed: CommittedConfiguration,
    _ change: (inout OutputConditions) -> Void
  ) {
    for output in hosted.values
    where committed.slots.slot(of: committed.resolved.clock(of: output.configuration.camera)) == pipeline.index {
      output.update(change)
    }
  }

  /// Tells the outputs in `next` their connections, and then lets the pipelines send frames to the connected ones.
  ///
  /// The order matters: outputs know the connections of `revision` before its first frame comes, and a disabled output
  /// gets none of its frames. An output leaves its former camera before another one sends it frames.
  ///
  /// - Parameter isProvisional: whether the commit may still fail. Derived inputs then get no frames of these
  ///   pipelines: one that runs has the former layers, and its outputs get its frames under the former revision. Inputs
  ///   that the commit removes keep their counts.
  func connect(
    _ next: [String: HostedOutput], by resolved: ResolvedConfiguration, _ slots: CameraSlots, revision: UInt64,
    to pipelines: [CameraPipeline], isProvisional: Bool = false
  ) {
    func showing(_ pipeline: CameraPipeline) -> [any CaptureOutput] {
      isProvisional ? [] : derivedInputs.showing(slots.place(at: pipeline.index), by: resolved)
    }
    for pipeline in pipelines {
      let staying =
        resolved.outputs.filter { pipeline.index == slots.slot(of: $0.camera) ?? 0 }
        .compactMap { next[$0.id]?.output } + showing(pipeline)
      pipeline.frames.leave(except: Set(staying.map { ObjectIdentifier($0) }))
    }
    for pipeline in pipelines {
      let input = slots.place(at: pipeline.index).map { resolved.inputs[$0] }
      var (others, previews, movies): ([any CaptureOutput], [any CaptureOutput], [any CaptureOutput]) = ([], [], [])
      for configuration in resolved.outputs {
        guard pipeline.index == slots.slot(of: configuration.camera) ?? 0, let output = next[configuration.id] else {
          continue
        }
        output.view.frames = pipeline.frames
        let connection = configuration.connection ?? Connection(isEnabled: false)
        output.update { conditions in
          conditions.connection = connection
          conditions.revision = revision
          conditions.audio = resolved.audio(of: configuration)
          conditions.limits = pipeline.adaptation.pictures
          if let photo = configuration.photo { conditions.photoFeatures = photo.features }
          if !isProvisional {
            conditions.device = input?.sourceID ?? ""
            conditions.connect(configuration.constituents)
          }
        }
        guard connection.isEnabled else { continue }
        switch configuration.kind {
        case .preview: previews.append(output.output)
        case .movie: movies.append(output.output)
        case .photo, .videoData: others.append(output.output)
        }
      }
      // A derived input needs every frame, as a movie does.
      movies += showing(pipeline)
      pipeline.frames.configure(
        outputs: others, previews: previews, movies: movies, input: input?.id ?? "",
        camera: input?.deviceName ?? "", device: input?.sourceID ?? "", revision: revision, isProvisional: isProvisional
      )
    }
  }

  /// Tells the photo output which cameras it has beside its own, once all of them run.
  func connectConstituents(by committed: CommittedConfiguration, _ pipelines: [CameraPipeline]) {
    for output in hosted.values where output.configuration.photo != nil {
      let cameras = output.configuration.constituents.compactMap { constituent in
        committed.slots.slot(of: constituent.camera).map { (constituent.input, pipelines[$0]) }
      }
      output.view.connect(Dictionary(cameras.map { ($0.0, $0.1.frames) }) { first, _ in first })
      output.update { conditions in
        for (input, pipeline) in cameras {
          conditions.setStatus(pipeline.shownStatus(awaitsDeferredStart: false), ofConstituent: input)
        }
      }
    }
  }

  /// Sends the frames of `pipeline` to the photo output alone.
  func connectPhotos(of committed: CommittedConfiguration, to pipeline: CameraPipeline) {
    let photos = committed.resolved.outputs.filter { $0.photo != nil }.compactMap { hosted[$0.id]?.output }
    guard let input = committed.input(at: pipeline.index) else { return }
    pipeline.frames.configure(
      outputs: photos, input: input.id, camera: input.deviceName, device: input.sourceID, revision: committed.revision)
  }

  // MARK: Who reads

  /// Begins to await the first frame that each streaming output sends to a reader.
  func expectFirstFrames(by resolved: ResolvedConfiguration) {
    let streaming = resolved.outputs.filter(\.streamsToReaders).map(\.id)
    context.awaitFirstSend(of: Set(streaming), notOf: nil, only: true)
  }

  /// Begins to await the first frame that each streaming output of a camera sends to a reader, except frames of the
  /// stream that the camera had before.
  func expectFirstFrames(of pipeline: CameraPipeline, by committed: CommittedConfiguration) {
    let streaming = committed.resolved.outputs.filter {
      $0.streamsToReaders && committed.pipeline(of: $0) == pipeline.index
    }
    context.awaitFirstSend(of: Set(streaming.map(\.id)), notOf: pipeline.frames.newestStream)
  }

  /// The ids of the outputs that have readers now.
  var read: Set<String> { Set(hosted.filter { $0.value.output.counts.map { $0.readers > 0 } ?? false }.keys) }

  // MARK: Preparing

  /// Prepares what the start of a camera needs: all its outputs that are not deferred.
  func prepareUndeferred(
    of pipeline: CameraPipeline, by committed: CommittedConfiguration, in session: isolated CaptureSession
  ) async throws(CaptureError) {
    let deferred = committed.resolved.deferredOutputs
    let wanted = committed.resolved.outputs.compactMap {
      deferred.contains($0.id) || committed.pipeline(of: $0) != pipeline.index ? nil : hosted[$0.id]
    }
    if wanted.contains(where: { !$0.isPrepared }) { try await prepare(wanted, of: committed.resolved, in: session) }
  }

  /// Prepares several outputs at the same time. Skips prepared outputs, and waits for those that are being prepared
  /// already.
  ///
  /// - Throws: the error of the first failed output in the order of `wanted`, after all preparations have ended.
  func prepare(
    _ wanted: [HostedOutput], of resolved: ResolvedConfiguration, in session: isolated CaptureSession
  ) async throws(CaptureError) {
    // All preparations begin before the method waits for the first one.
    let preparations = wanted.filter { !$0.isPrepared }.map { output in
      output.preparation ?? begin(output, on: resolved.camera(of: output.configuration)?.sourceID, in: session)
    }
    var failure: CaptureError?
    for preparation in preparations {
      if case .failure(let error) = await preparation.value, failure == nil { failure = error }
    }
    if let failure { throw failure }
  }

  private func begin(
    _ output: HostedOutput, on device: String?, in session: isolated CaptureSession
  ) -> Task<Result<Void, CaptureError>, Never> {
    let id = output.configuration.id
    port.timeline.record { $0.outputs[id] = .init(begin: .now()) }
    let task = Task { [port] () -> Result<Void, CaptureError> in
      // The capture of `session` keeps the task on the session's actor.
      _ = session
      defer { output.preparation = nil }
      // A preview makes its encoders only when a reader comes, so its preparation has no slow part to delay.
      if let device, !output.configuration.isPreview { await delay(id, on: device) }
      do throws(CaptureError) { try await output.output.prepare() } catch { return .failure(error) }
      output.isPrepared = true
      port.timeline.record { $0.outputs[id]?.end = .now() }
      return .success(())
    }
    output.preparation = task
    return task
  }

  /// Waits for the time that a synthetic camera declares for preparing an output.
  private nonisolated(nonsending) func delay(_ output: String, on device: String) async {
    let delay = await devices.initDelay(ofOutput: output, on: device)
    if delay > .zero { try? await clock.sleep(for: delay) }
  }
}
