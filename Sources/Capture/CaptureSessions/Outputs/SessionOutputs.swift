internal import CaptureCore

/// The outputs of a session: made, prepared, connected and told of the session's conditions.
///
/// Belongs to the session's actor.
final class SessionOutputs {
  let context: SessionOutputContext
  private let makeOutput: OutputFactory
  private let devices: DeviceRegistry
  private let clock: any Clock<Duration>
  private let port: SessionPort
  private(set) var hosted: [String: HostedOutput] = [:]

  init(
    context: SessionOutputContext, devices: DeviceRegistry, clock: any Clock<Duration>, port: SessionPort,
    makeOutput: @escaping OutputFactory
  ) {
    self.context = context
    self.devices = devices
    self.clock = clock
    self.port = port
    self.makeOutput = makeOutput
  }

  /// The outputs that a commit will have: those that stay, and those that are made for it.
  func next(by plan: CommitPlan) -> [String: HostedOutput] {
    var next = hosted.filter { plan.kept.contains($0.key) }
    for output in plan.added { next[output.id] = HostedOutput(output, makeOutput(output, context)) }
    return next
  }

  /// Has the outputs that a commit made for the session.
  func replace(with next: [String: HostedOutput], by resolved: ResolvedConfiguration) {
    hosted = next
    for output in resolved.outputs { next[output.id]?.configuration = output }
    forgetOthers()
  }

  /// Removes outputs that the session does not have from the launch timeline, where they would pile up.
  func forgetOthers() { port.timeline.record { [ids = Set(hosted.keys)] in $0.keepOutputs(ids) } }

  /// Ends every output with `error`.
  func close(_ error: CaptureError) {
    for output in hosted.values { output.output.close(error) }
    hosted = [:]
  }

  /// Changes the conditions of every output.
  func update(_ change: (inout OutputConditions) -> Void) {
    for output in hosted.values { output.update(change) }
  }

  /// Tells `next` how they are connected, and has the pipelines send them frames, or not.
  ///
  /// In this order, so that every frame of `revision` is given as that says, and none to an output that says no.
  func connect(
    _ next: [String: HostedOutput], by resolved: ResolvedConfiguration, revision: UInt64, to pipelines: [CameraPipeline]
  ) {
    for pipeline in pipelines {
      var (others, previews): ([any CaptureOutput], [any CaptureOutput]) = ([], [])
      for configuration in resolved.outputs {
        guard let output = next[configuration.id] else { continue }
        let connection = configuration.connection ?? Connection(isEnabled: false)
        output.update { conditions in
          conditions.connection = connection
          conditions.limits = pipeline.adaptation.pictures
          if let photo = configuration.photo { conditions.photoFeatures = photo.features }
        }
        guard connection.isEnabled else { continue }
        if configuration.isPreview { previews.append(output.output) } else { others.append(output.output) }
      }
      let input = resolved.inputs.indices.contains(pipeline.index) ? resolved.inputs[pipeline.index] : nil
      pipeline.frames.configure(
        outputs: others, previews: previews, input: input?.id ?? "", camera: input?.deviceName ?? "",
        revision: revision)
    }
  }

  /// Sends the frames of `pipeline` to the photo output alone.
  func connectPhotos(of resolved: ResolvedConfiguration, revision: UInt64, to pipeline: CameraPipeline) {
    let photos = resolved.outputs.filter { $0.photo != nil }.compactMap { hosted[$0.id]?.output }
    let input = resolved.inputs[pipeline.index]
    pipeline.frames.configure(outputs: photos, input: input.id, camera: input.deviceName, revision: revision)
  }

  // MARK: Who reads

  /// Waits for the first frame sent by each output that streams to readers.
  func expectFirstFrames(by resolved: ResolvedConfiguration, notOf formerStream: UInt64? = nil) {
    let streaming = resolved.outputs.filter(\.streamsToReaders).map(\.id)
    context.awaitFirstSend(of: Set(streaming), notOf: formerStream)
  }

  /// The outputs that somebody reads now.
  var read: Set<String> { Set(hosted.filter { $0.value.output.counts.map { $0.readers > 0 } ?? false }.keys) }

  // MARK: Preparing

  /// Prepares what a start needs: all outputs that are not deferred.
  func prepareUndeferred(
    of resolved: ResolvedConfiguration, on device: String, in session: isolated CaptureSession
  ) async throws(CaptureError) {
    let deferred = resolved.deferredOutputs
    let wanted = resolved.outputs.compactMap { deferred.contains($0.id) ? nil : hosted[$0.id] }
    if wanted.contains(where: { !$0.isPrepared }) { try await prepare(wanted, on: device, in: session) }
  }

  /// Prepares outputs side by side, those that are not prepared; waits for those that are being prepared already.
  ///
  /// - Parameter device: the camera that they are for.
  /// - Throws: when all have ended, why the first that failed did.
  func prepare(
    _ wanted: [HostedOutput], on device: String?, in session: isolated CaptureSession
  ) async throws(CaptureError) {
    // Each begins before the first is waited for.
    let preparations = wanted.filter { !$0.isPrepared }.map { output in
      output.preparation ?? begin(output, on: device, in: session)
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
    port.timeline.record { $0.outputs[id] = .init(begin: SystemClock.monotonicNanoseconds()) }
    let task = Task { [port] () -> Result<Void, CaptureError> in
      // Keeps the task on the session's actor.
      _ = session
      defer { output.preparation = nil }
      // A preview makes its encoders when a reader comes: there is nothing in its preparation to be slow.
      if let device, !output.configuration.isPreview { await delay(id, on: device) }
      do throws(CaptureError) { try await output.output.prepare() } catch { return .failure(error) }
      output.isPrepared = true
      port.timeline.record { $0.outputs[id]?.end = SystemClock.monotonicNanoseconds() }
      return .success(())
    }
    output.preparation = task
    return task
  }

  /// Lets the time pass that a synthetic camera declares for preparing an output.
  private nonisolated(nonsending) func delay(_ output: String, on device: String) async {
    let delay = await devices.initDelay(ofOutput: output, on: device)
    if delay > .zero { try? await clock.sleep(for: delay) }
  }
}
