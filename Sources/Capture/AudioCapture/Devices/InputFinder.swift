internal import CALSA
internal import CaptureCore
internal import Glibc

/// Finds the inputs of this machine. Its calls block for short. Without a sound card and without a sound server it
/// loads no library.
struct InputFinder: Sendable {
  /// The most inputs that the finder lists.
  static let most = 64

  var tree = SoundTree()
  /// The plug-ins of libasound whose sound servers run in the session of the daemon's user when the daemon starts. A
  /// service of the system mostly has none.
  var servers: [String] = Self.runningServers()

  /// All inputs, each asked what it can deliver unless `known` has its answer.
  ///
  /// - Parameters:
  ///   - known: the inputs that were found before.
  ///   - asksFailed: whether inputs that failed before are asked again.
  func find(known: [FoundInput], asksFailed: Bool = true) -> [FoundInput] {
    let nodes = tree.nodes()
    guard !nodes.isEmpty || !servers.isEmpty, calsa_is_available() else { return [] }
    var infos = [calsa_input](repeating: calsa_input(), count: Self.most)
    let count = nodes.isEmpty ? 0 : max(0, Int(calsa_inputs(&infos, Int32(Self.most))))
    let cards = nodes.prefix(Self.most).map { node in
      let info = infos.prefix(count).first { Int($0.card) == node.card && Int($0.device) == node.device }
      return input(node, info, known: known, asksFailed: asksFailed)
    }
    return cards + servers.filter { calsa_has_plugin($0) }.map(Self.server)
  }

  private func input(
    _ node: SoundTree.Node, _ info: calsa_input?, known: [FoundInput], asksFailed: Bool
  ) -> FoundInput {
    let hardware = tree.hardware(of: node)
    let (preferred, fallback) = FoundInput.ids(hardware, device: node.device)
    let card = info.map { Self.text($0.card_name) } ?? hardware.cardID
    let name = info.map { Self.text($0.name) } ?? ""
    // All USB microphones call their input `USB Audio`.
    let isNamed = !name.isEmpty && name != card && hardware.model == nil
    var input = FoundInput(
      pcm: "hw:\(node.card),\(node.device)", path: tree.path(of: node),
      displayName: isNamed ? "\(card), \(name)" : card, driver: info.map { Self.text($0.driver) } ?? "unknown",
      location: hardware.location, preferredID: preferred, fallbackID: fallback,
      answer: .busy(sampleRates: [], channelCounts: []))
    input.isDescribed = info != nil
    let before = known.first { $0.fallbackID == fallback && $0.pcm == input.pcm }?.answer
    switch before {
    case .capabilities?: input.answer = before!
    case .failed? where !asksFailed: input.answer = before!
    default: input.answer = ask(node, input.pcm)
    }
    return input
  }

  private func ask(_ node: SoundTree.Node, _ pcm: String) -> FoundInput.Answer {
    var found = calsa_capabilities()
    let result = calsa_query(pcm, &found)
    let error = PCMError(call: "snd_pcm_open", errno: -result)
    switch -result {
    case 0:
      let rates = withUnsafeBytes(of: calsa_rates) { $0.bindMemory(to: UInt32.self).map(Int.init) }
      return .capabilities(
        sampleRates: rates.enumerated().filter { found.rates >> $0.offset & 1 == 1 }.map(\.element)
          .filter(DriftCompensation.serves),
        channelCounts: (1...32).filter { found.channels >> ($0 - 1) & 1 == 1 })
    case EBUSY, EAGAIN:
      let running = tree.running(node)
      return .busy(
        sampleRates: running.map { [$0.sampleRate] } ?? [], channelCounts: running.map { [$0.channelCount] } ?? [])
    case EACCES, EPERM: return .refused(error)
    default: return .failed(error)
    }
  }

  /// The input of a sound server, which converts rates and channels itself.
  private static func server(_ name: String) -> FoundInput {
    FoundInput(
      pcm: name, path: "", displayName: name == "pipewire" ? "PipeWire" : "PulseAudio", driver: name,
      location: "server:\(name)", preferredID: "\(name)-microphone", fallbackID: "\(name)-microphone",
      hasDriverStamps: false, answer: .capabilities(sampleRates: [44_100, 48_000], channelCounts: [1, 2]))
  }

  private static func runningServers() -> [String] {
    let folder = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) }
    func exists(_ socket: String) -> Bool { folder.map { access("\($0)/\(socket)", F_OK) == 0 } ?? false }
    return (exists("pipewire-0") ? ["pipewire"] : [])
      + (getenv("PULSE_SERVER") != nil || exists("pulse/native") ? ["pulse"] : [])
  }

  private static func text(_ text: calsa_text) -> String {
    withUnsafeBytes(of: text.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
