internal import CaptureCore

/// Resolves a configuration for a session, given the present state of the session and of the cameras. Changes nothing.
struct ConfigurationProposer {
  private let sessionID: String
  private let devices: DeviceRegistry
  private let registry: MicrophoneRegistry
  private let declaredMicrophones: Set<String>
  private let committed: CommittedConfiguration
  private let isStopped: Bool
  private let isRunning: Bool
  /// The formats that the streaming inputs deliver, by source id.
  private let streaming: [String: StreamFormat]

  init(in session: isolated CaptureSession) {
    sessionID = session.id
    devices = session.devices
    registry = session.microphones.registry
    declaredMicrophones = session.declaredMicrophones
    committed = session.committed
    isStopped = session.status.state == .stopped
    isRunning = session.status.state == .running
    let streaming = session.pipelines.compactMap(\.running).map { ($0.sourceID, $0.source.format) }
    self.streaming = Dictionary(streaming) { first, _ in first }
  }

  nonisolated(nonsending) func propose(_ asked: SessionConfiguration) async -> ConfigurationProposal {
    let known = committed.withThoseAway(await devices.knownDevices(), isOn: !isStopped)
    let microphones = await knownMicrophones(of: asked, besides: known)
    let named = committed.named(asked)
    let wanted = ConfigurationResolver.resolve(named, devices: known, microphones: microphones)
    if wanted.issues.isEmpty {
      let found = await propose(asked, wanted, on: known)
      guard found.issues.contains(where: { $0.reason == .formatNotSupported }) else { return found }
    }
    // Ask the cameras themselves, since their formats may have changed without an event: those of a capture card change
    // with its source.
    let present = committed.withThoseAway(await devices.devices(), isOn: !isStopped)
    return await propose(
      asked, ConfigurationResolver.resolve(named, devices: present, microphones: microphones), on: present)
  }

  /// Whether the session is on with several cameras, of which some may be away.
  private var isOnWithSeveral: Bool { !isStopped && committed.resolved.inputs.count > 1 }

  /// Returns the format of an input that the commit leaves as it is, so that nothing has to be asked of the camera; nil
  /// when the camera has to be asked.
  private func keptFormat(of input: ResolvedConfiguration.Input) -> StreamFormat? {
    guard isOnWithSeveral, committed.input(on: input.sourceID)?.request == input.request else { return nil }
    // A derived input that does not stream takes the colours and the rate that its first layer has now.
    return streaming[input.sourceID] ?? (input.isDerived ? nil : committed.formats[input.sourceID])
  }

  /// The microphones that are present, and those of the committed configuration, which may be away for a while.
  nonisolated(nonsending) static func microphones(
    in registry: MicrophoneRegistry, usedBy committed: CommittedConfiguration
  ) async -> [Microphone] {
    let present = await registry.microphones()
    let away = committed.resolved.microphones.filter { used in !present.contains { $0.id == used.deviceID } }
    return present + away.map { absent($0.deviceID, $0.format) }
  }

  /// The microphones that a configuration may name: also those that the operator declared and that are not there. One
  /// that is there and cannot be used as declared counts as one that is not: it must not keep the camera from running.
  private nonisolated(nonsending) func knownMicrophones(
    of asked: SessionConfiguration, besides cameras: [Device]
  ) async -> [Microphone] {
    let known = await Self.microphones(in: registry, usedBy: committed)
    let declared = asked.inputs.filter { input in
      declaredMicrophones.contains(input.deviceID) && !cameras.contains { $0.id == input.deviceID }
        && !known.contains { $0.id == input.deviceID && Self.delivers($0, input.audioFormat) }
    }
    return known.filter { microphone in !declared.contains { $0.deviceID == microphone.id } }
      + declared.map { input in
        Self.absent(
          input.deviceID,
          AudioFormat(
            sampleRate: input.audioFormat?.sampleRate ?? Microphone.usualSampleRate,
            channelCount: input.audioFormat?.channelCount ?? Microphone.usualChannelCount))
      }
  }

  private static func delivers(_ microphone: Microphone, _ asked: SessionConfiguration.PartialAudioFormat?) -> Bool {
    guard microphone.unavailable == nil else { return false }
    if microphone.mayDeliverMore { return true }
    return asked?.sampleRate.map(microphone.sampleRates.contains) ?? true
      && asked?.channelCount.map(microphone.channelCounts.contains) ?? true
  }

  /// A microphone that is not there, and will be asked for this form of sound when it is.
  private static func absent(_ id: String, _ format: AudioFormat) -> Microphone {
    Microphone(
      id: id, displayName: "", type: .microphone, driver: "", location: "", sampleRates: [format.sampleRate],
      channelCounts: [format.channelCount])
  }

  private nonisolated(nonsending) func propose(
    _ asked: SessionConfiguration, _ wanted: ConfigurationResolver.Resolution, on present: [Device]
  ) async -> ConfigurationProposal {
    let resolved = wanted.resolved
    var proposal = ConfigurationProposal(
      asked: asked, resolved: resolved, demand: CostDemand(resolved, devices: present), issues: wanted.issues)
    if proposal.issues.isEmpty { proposal.issues = issuesOfRunning(proposal) }
    guard proposal.issues.isEmpty else { return proposal }
    for index in resolved.inputs.indices {
      await ask(cameraAt: index, for: &proposal, on: present)
      guard proposal.issues.isEmpty else { return proposal }
    }
    return proposal
  }

  /// Returns the issues that apply only to a session that is not stopped.
  private func issuesOfRunning(_ proposal: ConfigurationProposal) -> [CaptureError] {
    guard !isStopped else { return [] }
    // An interrupted session needs a camera as well, because it would otherwise wait forever.
    guard !proposal.resolved.inputs.isEmpty, !proposal.resolved.outputs.isEmpty else {
      return [
        CaptureError(
          .notSupportedInConfiguration, "A running session needs a camera and an output; stop it first.",
          metadata: ["session": sessionID], field: "configuration")
      ]
    }
    return [devices.refusal(ofCost: proposal.demand, of: proposal.resolved, in: sessionID)].compactMap { $0 }
  }

  private nonisolated(nonsending) func ask(
    cameraAt index: Int, for proposal: inout ConfigurationProposal, on present: [Device]
  ) async {
    let input = proposal.resolved.inputs[index]
    if index == proposal.resolved.photoCamera {
      await findShotCapabilities(&proposal.resolved, of: input, present.first { $0.id == input.deviceID })
      if let issue = resolvePhotoSize(proposal.asked.photo?.maxSize, &proposal.resolved) {
        return proposal.issues.append(issue)
      }
    }
    let kept = keptFormat(of: input)
    if kept == nil, let device = input.deviceID, isOnWithSeveral {
      do throws(CaptureError) { try await devices.checkPresence(of: device) } catch {
        var issue = error
        issue.field = "configuration.inputs[\(index)].device"
        return proposal.issues.append(issue)
      }
    }
    // A session that does not run may name a camera that another session uses. It claims the camera when it starts.
    if kept == nil, let device = input.deviceID, isRunning || !streaming.isEmpty,
      var issue = devices.refusal(of: device, to: sessionID)
    {
      issue.field = "configuration.inputs[\(index)].device"
      return proposal.issues.append(issue)
    }
    do throws(CaptureError) {
      var format: StreamFormat
      if let kept { format = kept } else { format = try await self.format(of: input, at: index, &proposal) }
      // The rate that the driver confirmed when this request last started is more reliable than the rates that the
      // driver lists.
      if let device = input.deviceID, let former = committed.input(on: device), former.request == input.request {
        format.frameRate = former.frameRate
      }
      // The rate of a derived input follows from the present first layer, also while it streams.
      if let pace = proposal.resolved.pace(of: input) { format.frameRate = pace.rate }
      proposal.formats[input.sourceID] = format
      proposal.resolved.take(format, at: index)
      proposal.demand = proposal.demand.flatMap { CostDemand(proposal.resolved, devices: $0.devices) }
    } catch { proposal.issues.append(error) }
  }

  private nonisolated(nonsending) func format(
    of input: ResolvedConfiguration.Input, at index: Int, _ proposal: inout ConfigurationProposal
  ) async throws(CaptureError) -> StreamFormat {
    // The driver of a streaming camera has confirmed the format already, and must not be asked again while it streams.
    if let format = streaming[input.sourceID], input.request == committed.input(on: input.sourceID)?.request {
      return format
    }
    switch input.source {
    case .composed(let layout):
      let first = proposal.resolved.firstLayer(of: input).flatMap { proposal.formats[$0.sourceID] }
      guard let first else { throw .noFirstLayer(of: input) }
      return layout.format(withFirstLayer: first)
    case .device(let device):
      let offered: StreamFormat
      do throws(CaptureError) { offered = try await devices.resolve(input.request, on: device) } catch {
        var issue = error
        issue.field = "configuration.inputs[\(index)].format"
        throw issue
      }
      if let issue = refusal(of: offered.frameRate, to: proposal.asked, input, at: index) {
        proposal.issues.append(issue)
      }
      return offered
    }
  }

  /// Returns why the camera cannot deliver the rate that the client asked for; nil when it can, or when the client
  /// named no rate. Needed for sizes whose rates only the driver knows.
  ///
  /// - Parameter offered: the nearest rate that the driver has.
  private func refusal(
    of offered: Rational, to asked: SessionConfiguration, _ input: ResolvedConfiguration.Input, at index: Int
  ) -> CaptureError? {
    // Cameras come before microphones, so the places are the same.
    guard committed.named(asked).inputs[index].frameRate != nil, !input.request.frameRate.names(offered) else {
      return nil
    }
    var issue = CaptureError.rateNotOffered(
      input.request.frameRate, input.request, device: input.sourceID, .discrete([offered.reciprocal]))
    issue.field = "configuration.inputs[\(index)].frame_rate_override"
    return issue
  }

  /// Finds what a shot can ask of the camera. When the camera does not answer, the capabilities are those of the
  /// committed configuration if it names the same camera, and else none apart from the sizes. Whether such a camera can
  /// stream shows later. A shot can ask nothing of a derived input, which has no controls.
  private nonisolated(nonsending) func findShotCapabilities(
    _ resolved: inout ResolvedConfiguration, of input: ResolvedConfiguration.Input, _ camera: Device?
  ) async {
    guard let photo = resolved.outputs.firstIndex(where: { $0.photo != nil }) else { return }
    if let device = input.deviceID {
      if let controls = try? await devices.controls(of: device) {
        resolved.outputs[photo].photo?.features.shots = ShotPlan(controls, deviceID: device).capabilities
      } else if committed.input(on: device) != nil {
        resolved.outputs[photo].photo?.features.shots =
          committed.resolved.outputs.lazy.compactMap(\.photo).first?.features.shots ?? ShotCapabilities()
      }
    } else {
      resolved.outputs[photo].photo?.features.shots = ShotCapabilities()
    }
    resolved.outputs[photo].photo?.features.shots.sizes = camera?.photoSizes(of: input.request) ?? [input.request.size]
  }

  /// Takes the largest size of photos that the client asked for.
  ///
  /// - Returns: an issue when photos cannot have that size; else nil.
  private func resolvePhotoSize(_ wanted: Size?, _ resolved: inout ResolvedConfiguration) -> CaptureError? {
    guard let wanted, let photo = resolved.outputs.firstIndex(where: { $0.photo != nil }) else { return nil }
    let sizes = resolved.outputs[photo].photo?.features.shots.sizes ?? []
    guard sizes.contains(wanted) else {
      let supported = sizes.map { "\($0)" }.joined(separator: ", ")
      return CaptureError(
        .notSupportedInConfiguration,
        "Photos of this format measure \(supported); \(wanted) was asked for. Take one of those, or leave "
          + "max_photo_dimensions unset.",
        metadata: ["value": "\(wanted)", "supported": supported], field: "configuration.photo.max_photo_dimensions")
    }
    // Photos have the streamed size anyway, so a client that names it changes nothing.
    resolved.outputs[photo].photo?.features.maxSize = wanted == sizes.first ? nil : wanted
    return nil
  }
}

extension Device {
  /// Returns the sizes that photos may have while `request` streams. The streamed size comes first. The largest size of
  /// each format with the same pixel format follows if it is at least as large in width and height, smaller ones before
  /// larger ones. Formats that combine pixels are left out, because their pictures would show no more detail.
  fileprivate func photoSizes(of request: StreamRequest) -> [Size] {
    let larger = formats.filter { $0.pixelFormat == request.pixelFormat && $0.supportsHighestPhotoQuality }
      .map(\.largestSize)
      .filter { $0.width >= request.size.width && $0.height >= request.size.height && $0 != request.size }
    return [request.size] + Set(larger).sorted { $0.pixelCount < $1.pixelCount }
  }
}
