internal import CaptureCore

/// The configuration that a session has. A commit replaces it as a whole.
struct CommittedConfiguration: Sendable {
  /// As the client asked for it.
  private(set) var asked = SessionConfiguration()
  /// `asked` with every default filled in, and with what the cameras' drivers confirmed.
  private(set) var resolved = ResolvedConfiguration.empty
  /// What each camera delivers, by its place among the inputs; without an entry while its driver has not been asked.
  private(set) var formats: [Int: StreamFormat] = [:]
  /// What it takes of the hardware; nil without a camera.
  private(set) var demand: CostDemand?
  /// Grows by one with each commit.
  private(set) var revision: UInt64 = 0
  /// Keeps etags of sessions that had the same id apart.
  private let salt = UInt32.random(in: .min ... .max)

  /// Names this configuration, as asked for, to clients.
  var etag: String { String(salt, radix: 16) + "-" + String(revision) }

  mutating func replace(with proposal: ConfigurationProposal) {
    (asked, resolved) = (proposal.asked, proposal.resolved)
    (formats, demand) = (proposal.formats, proposal.demand)
    revision += 1
  }

  /// - Throws: `etagMismatch` unless `etag` is empty or names this configuration.
  func check(etag: String, of session: String) throws(CaptureError) {
    guard etag.isEmpty || etag == self.etag else {
      throw CaptureError(
        .etagMismatch, "Session \(session) was configured by somebody else; read it again and repeat the change.",
        metadata: ["session": session, "etag": etag, "current_etag": self.etag], field: "etag")
    }
  }

  /// The input of the pipeline at `index`; nil when the configuration has none, or its camera has never been there.
  func input(at index: Int) -> ResolvedConfiguration.Input? {
    resolved.inputs.indices.contains(index) ? resolved.inputs[index] : nil
  }

  /// The camera of the pipeline at `index`, whether it is there or not.
  func deviceID(at index: Int) -> String? {
    input(at: index)?.deviceID ?? (asked.inputs.indices.contains(index) ? asked.inputs[index].deviceID : nil)
  }

  /// How the frames that come to an output lie in memory; nil without a camera.
  func frameLayout(of output: String) -> FrameLayout? { formats[0]?.layout }

  /// Takes over what a driver confirmed when its stream started: a driver may list no rates, or set another one than those
  /// it lists. Whatever follows from the rate changes with it. The etag stays, because it names what was asked for.
  ///
  /// - Returns: whether the rate is another one than it was.
  mutating func take(_ confirmed: StreamFormat, at index: Int) -> Bool {
    guard let input = input(at: index), input.frameRate != confirmed.frameRate else { return false }
    formats[index] = confirmed
    resolved.take(confirmed, at: index)
    demand = demand.flatMap { CostDemand(resolved, devices: [$0.device]) }
    return true
  }

  /// `asked`, with the rate that a driver was asked for in place of the one that it confirmed.
  ///
  /// A client that sends back the resolved configuration would else ask for a rate that the driver set but does not list.
  /// With another format or preset the resolver treats the rate like any other.
  func named(_ asked: SessionConfiguration) -> SessionConfiguration {
    var named = asked
    for (index, input) in asked.inputs.enumerated() {
      guard let present = self.input(at: index), present.frameRate != present.request.frameRate,
        input.deviceID == present.deviceID, input.frameRate == present.frameRate,
        input.format.map({ ($0.pixelFormat, $0.size) == (present.request.pixelFormat, present.request.size) })
          ?? ((asked.preset ?? .high) == resolved.preset)
      else { continue }
      named.inputs[index].frameRate = present.request.frameRate
    }
    return named
  }
}
