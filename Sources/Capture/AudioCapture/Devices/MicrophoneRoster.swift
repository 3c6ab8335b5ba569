internal import CaptureCore

/// Names the inputs that were found, and remembers what each of them can deliver. A value that makes no system calls.
struct MicrophoneRoster: Sendable {
  /// A microphone and the input that it is.
  struct Entry: Hashable, Sendable {
    var microphone: Microphone
    var input: FoundInput
    /// The microphone's id without the operator's names.
    var ownID: String
  }

  private let directory: DeviceDirectory
  /// The microphones to show to clients, ordered by id.
  private(set) var entries: [Entry] = []
  /// New inputs that may not be opened or have no names yet: udev gives a node to its group a moment after the kernel
  /// made it, and a card tells its names when all its nodes are there.
  private var held: Set<String> = []
  private var wasUpdated = false

  /// - Parameter directory: the operator's names.
  init(_ directory: DeviceDirectory) { self.directory = directory }

  /// Whether the discovery thread must look again soon, because an input is busy or held back.
  var isWaiting: Bool { !held.isEmpty || entries.contains(where: \.input.isBusy) }

  /// Whether an input failed when it was asked what it can deliver.
  var hasFailure: Bool {
    entries.contains { entry in if case .failed = entry.input.answer { true } else { false } }
  }

  /// Takes what was found.
  ///
  /// - Parameter isProbe: whether some time has passed since the update before, so that inputs are held no longer.
  /// - Returns: what changed.
  mutating func update(_ inputs: [FoundInput], isProbe: Bool = false) -> [MicrophoneChange] {
    let old = entries
    let newcomers = Set(
      inputs.filter { input in
        !(input.isDescribed && input.isUsable) && !old.contains { $0.input.fallbackID == input.fallbackID }
      }.map(\.fallbackID))
    held = !wasUpdated ? [] : isProbe ? newcomers.subtracting(held) : newcomers
    wasUpdated = true

    let shown = inputs.filter { !held.contains($0.fallbackID) }
    let ids = Self.ids(of: shown, old)
    // The location is left out, because an entry with a place is about the camera there.
    let names = directory.name(
      ids.map { DeviceIdentity(id: $0, location: "") },
      present: [:], streaming: [])
    entries = zip(zip(shown, ids), names).map { found, name in
      let (input, id) = found
      let known = old.first { $0.ownID == id }
      return Entry(microphone: Self.microphone(input, name, id, known), input: input, ownID: id)
    }.sorted { $0.microphone.id < $1.microphone.id }
    return Self.changes(from: old.map(\.microphone), to: entries.map(\.microphone))
  }

  /// The ids of inputs. Inputs with the same serial number get ids by place, except one that has its id already.
  private static func ids(of inputs: [FoundInput], _ old: [Entry]) -> [String] {
    var taken: Set<String> = []
    var ids = inputs.map { input -> String? in
      let id = old.first { $0.input.fallbackID == input.fallbackID }?.ownID
      return id.flatMap { taken.insert($0).inserted ? $0 : nil }
    }
    let wanted = Dictionary(grouping: inputs, by: \.preferredID).mapValues(\.count)
    for (index, input) in inputs.enumerated() where ids[index] == nil {
      let isUnique = wanted[input.preferredID] == 1 && !taken.contains(input.preferredID)
      let id = DeviceID.unused(isUnique ? input.preferredID : input.fallbackID, taken)
      taken.insert(id)
      ids[index] = id
    }
    return ids.map { $0! }
  }

  private static func microphone(
    _ input: FoundInput, _ name: DeviceDirectory.Naming, _ id: String, _ known: Entry?
  ) -> Microphone {
    var microphone = Microphone(
      id: id, displayName: input.displayName, type: .microphone, driver: input.driver, location: input.location,
      sampleRates: [], channelCounts: [], hasDriverStamps: input.hasDriverStamps)
    switch input.answer {
    case .capabilities(let rates, let channels): (microphone.sampleRates, microphone.channelCounts) = (rates, channels)
    case .busy(let rates, let channels):
      // A busy input tells only the form in which another program uses it, so that the earlier answer is better.
      let isKnown = known.map { !$0.microphone.sampleRates.isEmpty } ?? false
      microphone.sampleRates = isKnown ? known!.microphone.sampleRates : rates
      microphone.channelCounts = isKnown ? known!.microphone.channelCounts : channels
      microphone.mayDeliverMore = isKnown ? known!.microphone.mayDeliverMore : true
    case .refused(let error): microphone.unavailable = .refused(error, node: input.path, microphone: name.id)
    case .failed(let error): microphone.unavailable = error.error(device: name.id)
    }
    return name.applied(to: microphone)
  }

  private static func changes(from old: [Microphone], to new: [Microphone]) -> [MicrophoneChange] {
    var changes: [MicrophoneChange] = []
    for microphone in old where !new.contains(where: { $0.id == microphone.id }) {
      changes.append(MicrophoneChange(.disconnected, microphone))
    }
    for microphone in new {
      if let before = old.first(where: { $0.id == microphone.id }) {
        if before != microphone { changes.append(MicrophoneChange(.changed, microphone)) }
      } else {
        changes.append(MicrophoneChange(.connected, microphone))
      }
    }
    return changes
  }
}

extension CaptureError {
  /// The error of every call that would have to open a microphone that the daemon may not open.
  fileprivate static func refused(_ error: PCMError, node: String, microphone: String) -> CaptureError {
    CaptureError(
      .deviceAccessDenied,
      "The daemon may not open \(microphone) (\(node): \(error.name)). Add its user to the group audio with `sudo "
        + "usermod -aG audio USER`, then restart it; in a container, start it with `--device /dev/snd --group-add "
        + "$(stat -c %g \(node))`; in a unit of systemd, write `DeviceAllow=char-alsa rw`.",
      metadata: ["device": microphone, "node": node, "call": error.call, "errno": error.name])
  }
}
