/// Marks the readings on which the model must not act, before the model sees them. A value.
///
/// Firmware gives limits that lie below the temperature of a cold machine, and sensors give single values that nothing
/// caused. The check leaves every value as the machine gave it, and adds a ``Doubt`` and a text to the fault of the
/// reading.
struct PlausibilityCheck: Sendable {
  /// Something that an operator is told once.
  struct Finding: Hashable, Sendable {
    /// The name of the source.
    var source: String
    var text: String
  }
  /// The most findings that are remembered as told. More are told again.
  static let maximumTold = 1_024

  private let overrides: ThresholdOverrides
  private var told: Set<Finding> = []
  private var news: [Finding] = []
  /// Whether a reading waits for the next one to confirm it, so that the next one should come at once.
  private(set) var awaitsConfirmation = false

  /// - Parameter overrides: thresholds that replace the limits of sources.
  init(overrides: ThresholdOverrides = ThresholdOverrides()) { self.overrides = overrides }

  /// Takes the next readings and gives them back with their doubts.
  ///
  /// - Parameters:
  ///   - readings: as they were read.
  ///   - previous: the readings before these, with their levels and doubts.
  ///   - camerasAreNew: whether cameras were asked since then. A value that was told before cannot confirm itself.
  mutating func check(
    _ readings: PressureReadings, after previous: PressureReadings, camerasAreNew: Bool = true
  ) -> PressureReadings {
    awaitsConfirmation = false
    var checked = readings
    checked.zones = check(readings.zones, after: previous.zones)
    checked.sensors = check(readings.sensors, after: previous.sensors)
    checked.powerSupplies = check(readings.powerSupplies, after: previous.powerSupplies)
    checked.stalls = check(readings.stalls, after: previous.stalls)
    checked.cameras = check(readings.cameras, after: previous.cameras, areNew: camerasAreNew)
    return checked
  }

  /// What the operator has yet to be told. Each source's finding of a kind comes once.
  mutating func takeNews() -> [Finding] {
    defer { news = [] }
    return news
  }

  private mutating func check<Source: CheckedSource>(
    _ sources: [Source], after previous: [Source], areNew: Bool = true
  ) -> [Source] {
    let former = Dictionary(previous.map { ($0.name, $0) }) { first, _ in first }
    return sources.map { source in
      let before = former[source.name]
      var checked = source
      checked.doubt = areNew ? source.doubt(after: before, overrides: overrides) : before?.doubt
      let limits = source.implausibleLimits(overrides)
      for limit in limits { tell(source.name, limit) }
      switch checked.doubt?.reason {
      case .unconfirmed: awaitsConfirmation = true
      case .impossible, .fromTheStart, .followedByLimit:
        tell(source.name, checked.doubt?.text ?? "", as: checked.doubt?.reason)
      case nil: break
      }
      if areNew, let before, before.doubt?.reason == .unconfirmed, checked.asked(overrides) <= before.level {
        let text = "\(before.shown) does not count, because the next reading did not confirm it"
        tell(source.name, text, as: .unconfirmed)
      }
      checked.fault = ([source.fault, checked.doubt?.text].compactMap { $0 } + limits).asFault
      return checked
    }
  }

  /// Keeps a finding for the operator, unless the operator knows it. Findings for one `reason` are the same whatever
  /// the value was.
  private mutating func tell(_ source: String, _ text: String, as reason: Doubt.Reason? = nil) {
    let known = Finding(source: source, text: reason.map { "\($0)" } ?? text)
    guard !told.contains(known) else { return }
    if told.count >= Self.maximumTold { told = [] }
    told.insert(known)
    news.append(Finding(source: source, text: text))
  }
}
