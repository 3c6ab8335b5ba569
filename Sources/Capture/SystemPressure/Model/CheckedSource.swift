internal import CaptureCore

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
