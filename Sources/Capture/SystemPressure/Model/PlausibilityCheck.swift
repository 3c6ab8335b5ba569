internal import CaptureCore

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

/// Why the daemon shows a reading and does not act on it.
public struct Doubt: Hashable, Sendable {
  /// The kinds of values that the daemon does not believe.
  public enum Reason: Hashable, Sendable {
    /// No sensor of a machine that runs has such a value.
    case impossible
    /// The machine would be off at this temperature, and the source has had it since its first reading.
    case fromTheStart
    /// The critical limit of the source was the temperature, and moved with it.
    case followedByLimit
    /// The reading asks for a level by a jump, and the next reading has yet to confirm it.
    case unconfirmed
  }

  /// The kind of the value.
  public var reason: Reason
  /// The doubt as a text for people.
  public var text: String

  init(_ reason: Reason, _ text: String) {
    self.reason = reason
    self.text = text
  }
}

extension Int {
  /// A temperature in thousandths of a degree, as a text for people in degrees Celsius, such as `20.8 °C`.
  var celsius: String {
    let tenths = (self + (self < 0 ? -50 : 50)) / 100
    return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10) °C"
  }
}

/// A source whose readings the ``PlausibilityCheck`` may doubt.
protocol CheckedSource: PressureSource {
  /// Why the model must not act on the reading. Nil when the reading counts; a reading with a doubt claims nothing.
  var doubt: Doubt? { get set }
  /// A text for people that says what could not be read or is not plausible. Nil when nothing is wrong.
  var fault: String? { get set }

  /// The value as a text for people, such as `45.0 °C`.
  var shown: String { get }

  /// The limits of the source on which the daemon does not act, each with the reason, as texts for people.
  ///
  /// - Parameter overrides: the thresholds that an operator set. A source with such thresholds needs no other limits.
  func implausibleLimits(_ overrides: ThresholdOverrides) -> [String]

  /// Returns the doubt that this reading raises by itself, or together with what the source said since its first
  /// reading. Nil when it raises none.
  ///
  /// - Parameter previous: the reading before this one with its level and its doubt; nil when there was none.
  func contradiction(after previous: Self?, overrides: ThresholdOverrides) -> Doubt?

  /// Returns true when a machine makes such a step between two readings, so that no other reading has to confirm this
  /// one.
  ///
  /// - Parameter previous: the reading before this one; nil when there was none.
  func isStep(from previous: Self?, overrides: ThresholdOverrides) -> Bool
}

extension CheckedSource {
  func implausibleLimits(_ overrides: ThresholdOverrides) -> [String] { [] }

  func contradiction(after previous: Self?, overrides: ThresholdOverrides) -> Doubt? { nil }

  /// The level that the reading asks for, also while it waits to be confirmed. Nominal for a value that is not
  /// possible.
  func asked(_ overrides: ThresholdOverrides) -> PressureLevel {
    guard doubt == nil || doubt?.reason == .unconfirmed else { return .nominal }
    var counted = self
    counted.doubt = nil
    return counted.claims(after: nil, overrides: overrides).map(\.risen).max() ?? .nominal
  }

  /// The doubt about this reading. Nil when the model may act on it.
  ///
  /// A reading that raises the level of its source counts when the machine can have come there by a step, or when the
  /// reading before asked for this level too. All other readings count at once.
  func doubt(after previous: Self?, overrides: ThresholdOverrides) -> Doubt? {
    if let contradiction = contradiction(after: previous, overrides: overrides) { return contradiction }
    let level = asked(overrides)
    guard level > previous?.level ?? .nominal, previous.map({ $0.asked(overrides) < level }) ?? true,
      !isStep(from: previous, overrides: overrides)
    else { return nil }
    return Doubt(.unconfirmed, "\(shown) is a jump that the next reading has yet to confirm")
  }
}

extension ResourceStall: CheckedSource {
  /// The most that a share rises between two readings, in hundredths of a percent. The kernel averages over 10 s and
  /// renews the average every 2 s, so that it rises by at most 18 % each time.
  static let largestStep = 40_00

  var shown: String { "\((someCentipercent ?? 0) / 100) % of the time" }

  /// The first reading counts, because it is an average over 10 s.
  func isStep(from previous: ResourceStall?, overrides: ThresholdOverrides) -> Bool {
    guard let previous else { return true }
    return (someCentipercent ?? 0) - (previous.someCentipercent ?? 0) <= Self.largestStep
      && (fullCentipercent ?? 0) - (previous.fullCentipercent ?? 0) <= Self.largestStep
  }
}

extension PowerSupply: CheckedSource {
  var shown: String {
    let words = [status, capacityLevel, capacityPercent.map { "\($0) %" } ?? "", health]
    return words.filter { !$0.isEmpty }.joined(separator: ", ")
  }

  /// A supply speaks in words, which have no small steps.
  func isStep(from previous: PowerSupply?, overrides: ThresholdOverrides) -> Bool { false }
}
