internal import CaptureCore
internal import CaptureSessions
internal import FirstlightServices
internal import Foundation
internal import MovieRecording
internal import VideoCoding
internal import Yams

/// A session of the configuration file. The daemon creates the session by itself, without a client.
struct DeclaredSession: Sendable {
  let id: String
  let configuration: SessionConfiguration
  let start: DeclaredSessionStart
  /// How the session records continuously; nil when it does not.
  let record: ContinuousSettings?

  /// Reads a session.
  ///
  /// - Parameters:
  ///   - id: the key of the entry.
  ///   - node: a `SessionConfiguration` with the field names of the API, and the keys of ``DeclaredSessionStart``
  ///     and ``DeclaredRecord``.
  /// - Throws: ``ConfigurationProblem`` that names the field which makes no sense.
  init(id: String, _ node: Node) throws {
    self.id = id
    // Without an id, the registry would make one up, and no client could attach to the session.
    guard !id.isEmpty else { throw Self.problem(id, "", "has an entry without an id; name it.") }
    guard var mapping = node.mapping else {
      throw Self.problem(id, "", "is no mapping; name at least inputs and an output.")
    }
    start = try DeclaredSessionStart(takenFrom: &mapping, of: id)
    record = try DeclaredRecord(takenFrom: &mapping, of: id, start)?.settings
    let node = Node.mapping(mapping)
    do {
      configuration = try SessionConfiguration(json: Self.json(node))
    } catch {
      // The parser does not say which value it could not read, so the first scalar that fails alone names the field.
      let leaf = error.field == nil ? Self.leaves(node, []).first { Self.isMisshapen($0.alone) } : nil
      throw Self.problem(id, error.field ?? leaf?.path ?? "", "cannot be used: \(error.message)")
    }
    if let container = record?.container, let codec = configuration.movie?.codec, !container.holds(codec) {
      throw Self.problem(
        id, "record.container", "is \(container), which does not hold \(codec); name another, or leave it out.")
    }
    if let container = record?.container, let codec = configuration.movie?.audioCodec, !container.holds(codec) {
      throw Self.problem(
        id, "record.container", "is \(container), which does not hold sound in \(codec); name another, or leave it out."
      )
    }
    if record != nil, configuration.movie?.usesVideoStorage == true {
      throw Self.problem(
        id, "movie.uses_pro_video_storage",
        "cannot be combined with `record`: the video storage takes one movie at a time; leave one of them out.")
    }
    if record != nil, configuration.movie?.maxPreRoll ?? 0 > 0 {
      throw Self.problem(
        id, "movie.max_pre_roll_duration", "means nothing with `record`, which has all frames; leave it out.")
    }
  }

  /// Makes a sentence for the operator.
  ///
  /// - Parameters:
  ///   - id: the id of the session; empty for an entry that has none.
  ///   - field: a path inside the configuration. As in requests, the path may begin with `configuration`. Empty names
  ///     the session as a whole.
  ///   - what: the end of the sentence, which follows the path of the field.
  static func problem(_ id: String, _ field: String, _ what: String) -> ConfigurationProblem {
    let inside = field.hasPrefix("configuration.") ? String(field.dropFirst("configuration.".count)) : field
    let path = ["sessions", id, inside].filter { !$0.isEmpty }.joined(separator: ".")
    return ConfigurationProblem(description: "\(path) of the configuration file \(what)")
  }

  /// Whether the parser cannot read the node as a configuration. The error of the parser has no field. An error with a
  /// field comes later, from a value that the parser could read and that makes no sense.
  private static func isMisshapen(_ node: Node) -> Bool {
    do throws(CaptureError) { _ = try SessionConfiguration(json: json(node)) } catch { return error.field == nil }
    return false
  }

  /// Every scalar of the node with its path, and a copy of the document that contains only this scalar. When the parser
  /// cannot read such a copy, this scalar is the culprit.
  private static func leaves(_ node: Node, _ path: [String]) -> [(path: String, alone: Node)] {
    switch node {
    case .mapping(let mapping):
      return mapping.flatMap { key, value in
        leaves(value, path + [key.string ?? "?"]).map { ($0.path, Node([(key, $0.alone)])) }
      }
    case .sequence(let sequence):
      return sequence.enumerated().flatMap { index, value in
        leaves(value, path.dropLast() + ["\(path.last ?? "")[\(index)]"]).map { ($0.path, Node([$0.alone])) }
      }
    case .scalar, .alias: return [(path.joined(separator: "."), node)]
    }
  }

  private static func json(_ node: Node) -> String {
    switch node {
    case .mapping(let mapping):
      "{" + mapping.map { "\(quoted($0.string ?? "")):\(json($1))" }.joined(separator: ",") + "}"
    case .sequence(let sequence): "[" + sequence.map(json).joined(separator: ",") + "]"
    case .scalar(let scalar): json(scalar)
    case .alias: "null"
    }
  }

  private static func json(_ scalar: Node.Scalar) -> String {
    guard scalar.style == .plain || scalar.style == .any else { return quoted(scalar.string) }
    if scalar.string.isEmpty || ["~", "null"].contains(scalar.string) { return "null" }
    if let flag = Bool.construct(from: scalar) { return "\(flag)" }
    if let number = Int.construct(from: scalar) { return "\(number)" }
    return quoted(scalar.string)
  }

  private static func quoted(_ text: String) -> String {
    (try? String(decoding: JSONEncoder().encode(text), as: UTF8.self)) ?? "\"\""
  }
}
