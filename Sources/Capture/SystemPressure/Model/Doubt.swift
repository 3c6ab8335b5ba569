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
