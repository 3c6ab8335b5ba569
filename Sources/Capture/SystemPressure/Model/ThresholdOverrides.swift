/// Thresholds that an operator sets in place of a zone's own trips.
public struct ThresholdOverrides: Hashable, Sendable {
  private var thresholds: [String: LevelThresholds] = [:]

  public init() {}

  /// Adds what an entry such as `cpu-thermal=70/80/90/100` says: a zone's type or folder, a sensor's chip or name, or a
  /// camera's `devices/{id}`, and from how many degrees Celsius on it is fair, serious, critical and shutdown. The last
  /// two may be left out: those levels are then out of its reach.
  ///
  /// - Returns: whether the entry could be read.
  public mutating func add(_ entry: String) -> Bool {
    guard let equals = entry.lastIndex(of: "="), equals > entry.startIndex else { return false }
    let fields = entry[entry.index(after: equals)...].split(separator: "/", omittingEmptySubsequences: false)
    let degrees = fields.compactMap { Double($0.filter { $0 != " " }) }
    guard (2...4).contains(fields.count), degrees.count == fields.count,
      // Also sorts out what is no number at all.
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

  /// What is set for the first of `names` for which something is.
  func callAsFunction(_ names: String...) -> LevelThresholds? {
    for name in names { if let found = thresholds[name] { return found } }
    return nil
  }
}
