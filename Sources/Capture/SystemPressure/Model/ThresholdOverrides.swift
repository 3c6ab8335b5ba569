/// The thresholds that an operator sets in place of a source's own: the trips of a zone, the limits of a sensor or the
/// defaults for a camera.
public struct ThresholdOverrides: Hashable, Sendable {
  private var thresholds: [String: LevelThresholds] = [:]

  /// Makes overrides without any entry.
  public init() {}

  /// Adds an entry such as `cpu-thermal=70/80/90/100`. Before the equals sign stands a zone's type or folder, a
  /// sensor's chip or name, or a camera's `devices/{id}`. The numbers are the temperatures in degrees Celsius at which
  /// fair, serious, critical and shutdown begin. The last two may be left out; the source then never reaches those
  /// levels.
  ///
  /// - Returns: whether the entry could be read.
  public mutating func add(_ entry: String) -> Bool {
    guard let equals = entry.lastIndex(of: "="), equals > entry.startIndex else { return false }
    let fields = entry[entry.index(after: equals)...].split(separator: "/", omittingEmptySubsequences: false)
    let degrees = fields.compactMap { Double($0.filter { $0 != " " }) }
    guard (2...4).contains(fields.count), degrees.count == fields.count,
      // This check also rejects `nan`, which is no number.
      degrees.allSatisfy({ (-273...1000).contains($0) })
    else { return false }
    let values = degrees.map { Int(($0 * 1000).rounded()) }
    guard
      let found = LevelThresholds(
        fair: values[0], serious: values[1], critical: values.count > 2 ? values[2] : nil,
        shutdown: values.count > 3 ? values[3] : nil)
    else { return false }
    thresholds[String(entry[..<equals])] = found
    return true
  }

  /// The thresholds for the first of `names` that has any; nil when none has.
  func callAsFunction(_ names: String...) -> LevelThresholds? {
    for name in names { if let found = thresholds[name] { return found } }
    return nil
  }
}
