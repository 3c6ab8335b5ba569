internal import MovieRecording
internal import VideoCoding
internal import Yams

/// How a session of the configuration file records continuously: the key `record` of its entry.
struct DeclaredRecord {
  private(set) var settings = ContinuousSettings(retention: Retention(minimumFreeSpace: usualFreeSpace))

  /// What a session leaves of the disk to others, unless its entry says otherwise. A disk without any free space ends
  /// every recording on it, and much else on the machine.
  private static let usualFreeSpace = Retention.FreeSpace.percent(5)

  private static let key = "record"
  private static let keys = [
    "container", "fragment-interval", "max-age", "max-bytes", "min-free-space", "segment-duration",
  ]
  private static let containers: [(name: String, container: MovieContainer)] = [
    ("mp4", .mp4), ("mov", .mov), ("matroska", .matroska), ("mpeg-ts", .mpegTS),
  ]
  private let id: String

  /// Reads the key, and removes it from the entry, which gets a movie output when it has none.
  ///
  /// - Parameters:
  ///   - entry: the entry of the file.
  ///   - id: the key of the entry.
  ///   - start: when the session starts.
  /// - Returns: nil when the entry has no such key.
  /// - Throws: ``ConfigurationProblem`` for a value that makes no sense.
  init?(takenFrom entry: inout Node.Mapping, of id: String, _ start: DeclaredSessionStart) throws {
    guard let node = entry[Self.key] else { return nil }
    entry[Self.key] = nil
    self.id = id
    guard start == .atBoot else {
      throw DeclaredSession.problem(
        id, Self.key, "means nothing with `start: on-demand`; let the session start at-boot, or leave `record` out.")
    }
    let mapping = node.null == nil ? node.mapping : Node.Mapping([])
    guard let mapping else {
      throw DeclaredSession.problem(id, Self.key, "is no mapping; write `record: {}` to record as usual.")
    }
    for (key, value) in mapping { try set(key.string ?? "?", value) }
    guard mapping["fragment-interval"] == nil || settings.fragmentInterval <= settings.segmentDuration else {
      throw DeclaredSession.problem(
        id, "\(Self.key).fragment-interval", "is longer than segment-duration; a segment has at least one fragment.")
    }
    if entry["movie"] == nil { entry["movie"] = .mapping(Node.Mapping([])) }
  }

  private mutating func set(_ key: String, _ value: Node) throws {
    switch key {
    case "segment-duration": settings.segmentDuration = try seconds(key, value, 1...86_400)
    case "fragment-interval": settings.fragmentInterval = try seconds(key, value, 0.1...60)
    case "max-age": settings.retention.maximumAge = try seconds(key, value, 1...315_360_000)
    case "max-bytes": settings.retention.maximumBytes = try bytes(key, value)
    case "min-free-space":
      let free = try bytes(key, value, from: 0)
      settings.retention.minimumFreeSpace = free == 0 ? nil : .bytes(free)
    case "container":
      let found = Self.containers.first { $0.name == value.scalar?.string }
      guard let found else {
        let names = Self.containers.map(\.name).joined(separator: ", ")
        throw problem(key, "is \(text(value)); it must be one of \(names).")
      }
      settings.container = found.container
    default: throw problem(key, "is unknown; the keys are \(Self.keys.joined(separator: ", ")).")
    }
  }

  /// Reads a number of seconds as nanoseconds.
  private func seconds(_ key: String, _ value: Node, _ range: ClosedRange<Double>) throws -> UInt64 {
    let number = value.scalar.flatMap { Double.construct(from: $0) }
    guard let number, range.contains(number) else {
      let bounds = [range.lowerBound, range.upperBound].map { $0 < 1 ? "\($0)" : "\(Int($0))" }
      throw problem(key, "is \(text(value)); it must be a number of seconds from \(bounds[0]) to \(bounds[1]).")
    }
    return UInt64((number * 1e9).rounded())
  }

  private func bytes(_ key: String, _ value: Node, from least: Int = 1) throws -> UInt64 {
    let number = value.scalar.flatMap { Int.construct(from: $0) }
    guard let number, number >= least else {
      throw problem(key, "is \(text(value)); it must be a whole number of bytes from \(least) on, such as 10000000000.")
    }
    return UInt64(number)
  }

  private func problem(_ key: String, _ what: String) -> ConfigurationProblem {
    DeclaredSession.problem(id, "\(Self.key).\(key)", what)
  }

  private func text(_ node: Node) -> String { node.scalar.map { "\"\($0.string)\"" } ?? "no plain value" }
}
