internal import CaptureCore

/// Finds out what a configuration means for a session, as the session and the cameras are now. Changes nothing.
struct ConfigurationProposer {
  let sessionID: String
  let devices: DeviceRegistry
  let committed: CommittedConfiguration
  let isStopped: Bool
  /// What the cameras that stream deliver, by their place among the inputs.
  let streaming: [Int: StreamFormat]

  nonisolated(nonsending) func propose(_ asked: SessionConfiguration) async -> ConfigurationProposal {
    let known = await devices.knownDevices()
    if ConfigurationResolver.resolve(committed.named(asked), devices: known).issues.isEmpty {
      let found = await propose(asked, on: known)
      guard found.issues.contains(where: { $0.reason == .formatNotSupported }) else { return found }
    }
    // The camera's formats may have changed without an event, as a capture card's do with its source.
    return await propose(asked, on: await devices.devices())
  }

  private nonisolated(nonsending) func propose(
    _ asked: SessionConfiguration, on present: [Device]
  ) async -> ConfigurationProposal {
    let (resolved, issues) = ConfigurationResolver.resolve(committed.named(asked), devices: present)
    var proposal = ConfigurationProposal(
      asked: asked, resolved: resolved, demand: CostDemand(resolved, devices: present), issues: issues)
    if proposal.issues.isEmpty { proposal.issues = issuesOfRunning(proposal) }
    guard proposal.issues.isEmpty else { return proposal }
    for index in resolved.inputs.indices {
      await ask(cameraAt: index, for: &proposal, on: present)
      guard proposal.issues.isEmpty else { return proposal }
    }
    return proposal
  }

  /// What stands against the configuration while the session runs or wants to.
  private func issuesOfRunning(_ proposal: ConfigurationProposal) -> [CaptureError] {
    guard !isStopped else { return [] }
    // An interrupted session counts too: without a camera it would wait for ever.
    guard !proposal.resolved.inputs.isEmpty, !proposal.resolved.outputs.isEmpty else {
      return [
        CaptureError(
          .notSupportedInConfiguration, "A running session needs a camera and an output; stop it first.",
          metadata: ["session": sessionID], field: "configuration")
      ]
    }
    return [devices.refusal(ofCost: proposal.demand, of: proposal.resolved)].compactMap { $0 }
  }

  private nonisolated(nonsending) func ask(
    cameraAt index: Int, for proposal: inout ConfigurationProposal, on present: [Device]
  ) async {
    let input = proposal.resolved.inputs[index]
    await findShotCapabilities(&proposal.resolved, of: input, present.first { $0.id == input.deviceID })
    if let issue = resolvePhotoSize(proposal.asked.photo?.maxSize, &proposal.resolved) {
      return proposal.issues.append(issue)
    }
    // A session that does not stream may name a camera that is in use: it takes it when it starts.
    if !streaming.isEmpty, var issue = devices.refusal(of: input.deviceID, to: sessionID) {
      issue.field = "configuration.inputs[\(index)].device"
      return proposal.issues.append(issue)
    }
    do throws(CaptureError) {
      var format = try await format(of: input, at: index, &proposal)
      // What the driver confirmed at the last start of the same is better than what it lists.
      if let former = committed.input(at: index), former.deviceID == input.deviceID, former.request == input.request {
        format.frameRate = former.frameRate
      }
      proposal.formats[index] = format
      proposal.resolved.take(format, at: index)
      proposal.demand = proposal.demand.flatMap { CostDemand(proposal.resolved, devices: [$0.device]) }
    } catch { proposal.issues.append(error) }
  }

  private nonisolated(nonsending) func format(
    of input: ResolvedConfiguration.Input, at index: Int, _ proposal: inout ConfigurationProposal
  ) async throws(CaptureError) -> StreamFormat {
    let former = committed.input(at: index)
    // The driver told already, and a streaming camera is not to be asked again.
    if let format = streaming[index], input.deviceID == former?.deviceID, input.request == former?.request {
      return format
    }
    let offered: StreamFormat
    do throws(CaptureError) { offered = try await devices.resolve(input.request, on: input.deviceID) } catch {
      var issue = error
      issue.field = "configuration.inputs[\(index)].format"
      throw issue
    }
    if let issue = refusal(of: offered.frameRate, to: proposal.asked, input, at: index) {
      proposal.issues.append(issue)
    }
    return offered
  }

  /// What stands against a rate that was asked for, where only the driver knows the rates of the size: `offered` is the
  /// nearest one that it has.
  private func refusal(
    of offered: Rational, to asked: SessionConfiguration, _ input: ResolvedConfiguration.Input, at index: Int
  ) -> CaptureError? {
    guard committed.named(asked).inputs[index].frameRate != nil, !input.request.frameRate.names(offered) else {
      return nil
    }
    var issue = CaptureError.rateNotOffered(
      input.request.frameRate, input.request, device: input.deviceID, .discrete([offered.reciprocal]))
    issue.field = "configuration.inputs[\(index)].frame_rate_override"
    return issue
  }

  /// What single captures can ask of the camera. A camera that does not answer can do nothing of that; whether it can stream
  /// is found out later.
  private nonisolated(nonsending) func findShotCapabilities(
    _ resolved: inout ResolvedConfiguration, of input: ResolvedConfiguration.Input, _ camera: Device?
  ) async {
    guard let photo = resolved.outputs.firstIndex(where: { $0.photo != nil }) else { return }
    if let controls = try? await devices.controls(of: input.deviceID) {
      resolved.outputs[photo].photo?.features.shots = ShotPlan(controls, deviceID: input.deviceID).capabilities
    } else if committed.resolved.inputs.contains(where: { $0.deviceID == input.deviceID }) {
      resolved.outputs[photo].photo?.features.shots =
        committed.resolved.outputs.lazy.compactMap(\.photo).first?.features.shots ?? ShotCapabilities()
    }
    resolved.outputs[photo].photo?.features.shots.sizes = camera?.photoSizes(of: input.request) ?? [input.request.size]
  }

  /// - Returns: what stands against the size.
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
    // The streamed size is what photos have anyway: naming it changes nothing.
    resolved.outputs[photo].photo?.features.maxSize = wanted == sizes.first ? nil : wanted
    return nil
  }
}

extension Device {
  /// What photos may measure while `request` streams: that, then what is larger each way in the same pixel format. Not
  /// where pixels are combined, which would give no more of the picture.
  fileprivate func photoSizes(of request: StreamRequest) -> [Size] {
    let larger = formats.filter { $0.pixelFormat == request.pixelFormat && $0.supportsHighestPhotoQuality }
      .map(\.largestSize)
      .filter { $0.width >= request.size.width && $0.height >= request.size.height && $0 != request.size }
    return [request.size] + Set(larger).sorted { $0.pixelCount < $1.pixelCount }
  }
}
