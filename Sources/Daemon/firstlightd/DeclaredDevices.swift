internal import CaptureCore
internal import CaptureSessions
internal import Yams

/// The cameras that the configuration file names, each with its line in the file.
struct DeclaredDevices: Sendable {
  /// The names of the file.
  let directory: DeviceDirectory
  private let path: String
  /// The line of each entry of ``directory``, counted from 1; 0 when it is not known.
  private let lines: [Int]

  /// Names no camera.
  init() {
    (directory, path, lines) = (DeviceDirectory(), "", [])
  }

  /// Reads the entries of `devices`.
  ///
  /// - Parameters:
  ///   - node: a mapping from what finds each camera to the camera's fields.
  ///   - path: the path of the file, which errors name.
  /// - Throws: ``ConfigurationProblem`` for an entry that makes no sense, whatever cameras are present.
  init(_ node: Node, _ path: String) throws {
    guard let mapping = node.mapping else {
      throw ConfigurationProblem(
        at: node, of: path, "devices is not a mapping; write what finds each camera, then what it is.")
    }
    var entries: [(entry: DeviceDirectory.Entry, line: Int)] = []
    for (name, value) in mapping {
      let declared = try DeclaredDevice(name, value, path)
      if let same = entries.first(where: { $0.entry.key == declared.entry.key }) {
        throw ConfigurationProblem(
          at: name, of: path, "\(declared.name) is the same camera as that of line \(same.line); join the two.")
      }
      if let id = declared.entry.id, let same = entries.first(where: { $0.entry.id == id }) {
        throw ConfigurationProblem(
          at: name, of: path,
          "\(declared.name) has the id \(id), which the camera of line \(same.line) has too; choose another.")
      }
      entries.append((declared.entry, name.mark?.line ?? 0))
    }
    directory = DeviceDirectory(entries.map(\.entry))
    lines = entries.map(\.line)
    self.path = path
  }

  /// Checks the entries against the cameras.
  ///
  /// - Parameter cameras: the cameras that are present.
  /// - Throws: ``ConfigurationProblem`` with a line for each entry that does not fit the cameras.
  func check(_ cameras: [DeviceIdentity]) throws {
    let problems = directory.problems(with: cameras)
    guard !problems.isEmpty else { return }
    throw ConfigurationProblem(
      description: problems.map { problem in
        let name = "devices.\(directory.entries[problem.entry].key)"
        return "\(path), line \(lines[problem.entry]): \(name) \(text(problem, cameras))"
      }.joined(separator: "\n"))
  }

  /// Checks the declared sessions against the names of the file.
  ///
  /// - Parameters:
  ///   - sessions: the sessions that the file declares.
  ///   - cameras: the cameras that are present.
  /// - Throws: ``ConfigurationProblem`` for a session that names a camera by an id which the file replaces by another
  ///   id: such a session would wait for ever.
  func check(_ sessions: [DeclaredSession], _ cameras: [DeviceIdentity]) throws {
    for session in sessions {
      for (number, input) in session.configuration.inputs.enumerated() {
        let camera = cameras.first { $0.id == input.deviceID }
        let isNamed = { (entry: DeviceDirectory.Entry) in
          entry.key == input.deviceID || camera.map(entry.matches) ?? false
        }
        guard !directory.entries.contains(where: { $0.id == input.deviceID }),
          let index = directory.entries.firstIndex(where: isNamed), let id = directory.entries[index].id
        else { continue }
        throw DeclaredSession.problem(
          session.id, "inputs[\(number)].device",
          "names devices/\(input.deviceID), which line \(lines[index]) calls devices/\(id); write that.")
      }
    }
  }

  private func text(_ problem: DeviceDirectory.Problem, _ cameras: [DeviceIdentity]) -> String {
    switch problem {
    case .absent:
      let present = cameras.map { $0.location.isEmpty ? $0.id : "\($0.id) at \($0.location)" }.joined(separator: ", ")
      return
        "matches no camera that is present; \(present.isEmpty ? "there is none" : "there are \(present)"). Correct it, "
        + "plug the camera in, or write `required: false` if it may be absent."
    case .ambiguous(_, let found):
      return
        "matches \(found.joined(separator: " and ")), which are attached at the same place; name each by its own id."
    case .repeated(_, let earlier, let camera):
      return
        "matches \(camera), which devices.\(directory.entries[earlier].key) in line \(lines[earlier]) matches too; "
        + "keep one of the two."
    case .taken(let entry):
      return "has the id \(directory.entries[entry].id ?? ""), which is another camera's own; choose another."
    }
  }
}

extension ConfigurationProblem {
  /// Makes a problem with an entry of the file.
  ///
  /// - Parameters:
  ///   - node: the place of the problem in the file.
  ///   - path: the path of the file.
  ///   - what: a sentence for the operator.
  init(at node: Node, of path: String, _ what: String) {
    self.init(description: "\(path)\(node.mark.map { ", line \($0.line)" } ?? ""): \(what)")
  }
}
