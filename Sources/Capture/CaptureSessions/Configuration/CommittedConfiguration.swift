internal import CaptureCore

/// The configuration that a session has now. A commit replaces it as a whole.
struct CommittedConfiguration: Sendable {
  /// The configuration that the client asked for.
  private(set) var asked = SessionConfiguration()
  /// ``asked`` with every default filled in and with the values that the cameras' drivers confirmed.
  private(set) var resolved = ResolvedConfiguration.empty
  /// The format that each source delivers, by source id. A camera whose driver has not been asked has no entry.
  private(set) var formats: [String: StreamFormat] = [:]
  /// Which pipeline each camera has.
  private(set) var slots = CameraSlots()
  /// How much of the hardware the configuration takes; nil without a camera.
  private(set) var demand: CostDemand?
  /// The number of commits so far.
  private(set) var revision: UInt64 = 0
  /// Makes the etags differ from those of earlier sessions with the same id.
  private let salt = UInt32.random(in: .min ... .max)

  /// Names the configuration that the client asked for. Clients send the etag back to show which configuration they
  /// know.
  var etag: String { String(salt, radix: 16) + "-" + String(revision) }

  mutating func replace(with proposal: ConfigurationProposal) {
    slots = slots.following(from: resolved.inputs, to: proposal.resolved.inputs)
    (asked, resolved) = (proposal.asked, proposal.resolved)
    (formats, demand) = (proposal.formats, proposal.demand)
    revision += 1
  }

  /// Checks that the client knows the present configuration.
  ///
  /// - Throws: `etagMismatch` unless `etag` is empty or names this configuration.
  func check(etag: String, of session: String) throws(CaptureError) {
    guard etag.isEmpty || etag == self.etag else {
      throw CaptureError(
        .etagMismatch,
        "Session \(session) was configured by another client; read its configuration again and repeat the change.",
        metadata: ["session": session, "etag": etag, "current_etag": self.etag], field: "etag")
    }
  }

  /// Returns the input of the pipeline at `index`. Nil when the configuration has no such input, or when the input's
  /// camera has been absent since the session was configured.
  func input(at index: Int) -> ResolvedConfiguration.Input? { slots.place(at: index).map { resolved.inputs[$0] } }

  /// Returns the input with this source; nil when the configuration does not have the source.
  func input(on source: String) -> ResolvedConfiguration.Input? { resolved.inputs.first { $0.sourceID == source } }

  /// Replaces those of the session's cameras that are absent or refused now by what they were when the configuration
  /// was committed. One of several cameras that is away for a while does not keep a client from changing the others.
  ///
  /// - Parameter isOn: whether the session runs or waits until it can.
  func withThoseAway(_ present: [Device], isOn: Bool) -> [Device] {
    guard isOn, resolved.inputs.count > 1 else { return present }
    let usable = present.filter { $0.unavailable == nil || input(on: $0.id) == nil }
    let away = (demand?.devices ?? []).filter { device in
      input(on: device.id) != nil && !usable.contains { $0.id == device.id }
    }
    return usable + away
  }

  /// The ids of all cameras.
  var deviceIDs: Set<String> { resolved.cameraIDs }

  /// The indices of the pipelines of all cameras, in the order of the cameras. The first pipeline waits for the cameras
  /// of a configuration that could not be resolved while they were absent.
  var pipelines: [Int] { resolved.inputs.isEmpty ? [0] : slots.used }

  /// Returns the index of the pipeline of the camera that an output has.
  func pipeline(of output: ResolvedConfiguration.Output) -> Int { slots.slot(of: output.camera) ?? 0 }

  /// Returns the id of the input of the pipeline at `index`, whether its camera is present or not.
  func inputID(at index: Int) -> String { input(at: index)?.id ?? asked.inputs.first?.id ?? "camera" }

  /// Returns the format that the camera of the pipeline at `index` delivers; nil while its driver has not been asked.
  func format(at index: Int) -> StreamFormat? { input(at: index).flatMap { formats[$0.sourceID] } }

  /// Whether the input of the pipeline at `index` is made of other inputs.
  func isDerived(at index: Int) -> Bool {
    slots.place(at: index).map { resolved.inputs[$0].isDerived } ?? false
  }

  /// The most frames of the pipeline at `index` that are held until those of other cameras come.
  func heldFrames(at index: Int) -> Int { slots.place(at: index).map(resolved.heldFrames) ?? 0 }

  /// Returns how far back the ring of the pipeline at `index` is to reach, nanoseconds.
  func ringWindow(at index: Int) -> UInt64 { slots.place(at: index).map(resolved.ringWindow) ?? 0 }

  /// Returns the id of the source of the pipeline at `index`, whether a camera is present or not; nil when the
  /// configuration has no such input.
  func sourceID(at index: Int) -> String? {
    input(at: index)?.sourceID ?? (resolved.inputs.isEmpty && index == 0 ? asked.inputs.first?.deviceID : nil)
  }

  /// Takes over the format that a driver confirmed when its stream started. The rate may differ from the resolved one,
  /// because a driver may list no rates, or set a rate that it does not list. Everything that follows from the rate
  /// changes too, also the rates of derived inputs. The etag stays, because it names what the client asked for.
  ///
  /// - Returns: whether the rate changed.
  mutating func take(_ confirmed: StreamFormat, at index: Int) -> Bool {
    guard let place = slots.place(at: index), let input = input(at: index), input.frameRate != confirmed.frameRate
    else { return false }
    formats[input.sourceID] = confirmed
    resolved.take(confirmed, at: place)
    for (place, derived) in resolved.inputs.enumerated() {
      guard resolved.firstLayer(of: derived)?.id == input.id, let pace = resolved.pace(of: derived),
        var format = formats[derived.sourceID]
      else { continue }
      format.frameRate = pace.rate
      formats[derived.sourceID] = format
      resolved.take(format, at: place)
    }
    demand = demand.flatMap { CostDemand(resolved, devices: $0.devices) }
    return true
  }

  /// Takes over the form in which a microphone came that was away when its form was resolved. Like
  /// ``take(_:at:)``, this keeps the etag.
  ///
  /// - Returns: the microphone; nil when its form stays, also because a movie output cannot code the other one. Then
  ///   recordings convert the sound.
  mutating func take(_ format: AudioFormat, of input: String) -> ResolvedConfiguration.Microphone? {
    guard let index = resolved.microphones.firstIndex(where: { $0.id == input }),
      resolved.microphones[index].format != format, resolved.codes(format, of: input)
    else { return nil }
    resolved.microphones[index].format = format
    return resolved.microphones[index]
  }

  /// Returns `asked` with each rate that a driver confirmed replaced by the rate that the driver was asked for, and
  /// with each resolved form of sound replaced by what the client named of it.
  ///
  /// Without this replacement, a client that sends back the resolved configuration would ask for a rate that the driver
  /// set but does not list, and for a form that a microphone may not have when it comes. The replacement of a rate
  /// applies only while format and preset stay the same; with others the resolver treats the rate like any other.
  func named(_ asked: SessionConfiguration) -> SessionConfiguration {
    var named = asked
    for (index, input) in asked.inputs.enumerated() {
      guard let present = self.input(on: input.deviceID), present.frameRate != present.request.frameRate,
        input.frameRate == present.frameRate,
        input.format.map({ ($0.pixelFormat, $0.size) == (present.request.pixelFormat, present.request.size) })
          ?? (asked.preset ?? (resolved.cameraCount > 1 ? .inputPriority : .high) == resolved.preset)
      else { continue }
      named.inputs[index].frameRate = present.request.frameRate
    }
    for (index, input) in asked.inputs.enumerated() {
      let same = resolved.microphones.first { microphone in
        microphone.deviceID == input.deviceID
          && input.audioFormat
            == .init(sampleRate: microphone.format.sampleRate, channelCount: microphone.format.channelCount)
      }
      if let same { named.inputs[index].audioFormat = same.named }
    }
    return named
  }
}

extension OutputConditions {
  /// Takes over what the committed configuration says of the frames of an output's camera.
  mutating func expect(_ committed: CommittedConfiguration, by output: ResolvedConfiguration.Output) {
    let camera = committed.resolved.camera(of: output)
    expectedLayout = camera.flatMap { committed.formats[$0.sourceID]?.layout }
    expectedFrameRate = camera?.frameRate
    for constituent in output.constituents where committed.resolved.inputs.indices.contains(constituent.camera) {
      let rate = committed.resolved.inputs[constituent.camera].frameRate
      for index in constituents.indices where constituents[index].input == constituent.input {
        constituents[index].frameRate = rate
      }
    }
  }
}
