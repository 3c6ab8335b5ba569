internal import CaptureCore
internal import Yams

/// One entry of `devices` in the configuration file.
struct DeclaredDevice {
  /// The content of the entry.
  private(set) var entry: DeviceDirectory.Entry
  /// The entry's name in errors, for example `devices.usb-1`.
  let name: String
  private let path: String

  private static let longestLabel = 100

  /// Reads an entry.
  ///
  /// - Parameters:
  ///   - key: what finds the camera: its own id with or without `devices/`, its location, or a link below `/dev`.
  ///   - value: the mapping of the camera's fields.
  ///   - path: the path of the file, which errors name.
  /// - Throws: ``ConfigurationProblem`` that names the line.
  init(_ key: Node, _ value: Node, _ path: String) throws {
    let text = key.string ?? ""
    entry = DeviceDirectory.Entry(String(text.hasPrefix("devices/") ? text.dropFirst("devices/".count) : text[...]))
    name = "devices.\(entry.key)"
    self.path = path
    try check(key)
    guard let fields = value.mapping else {
      throw ConfigurationProblem(
        at: key, of: path, "\(name) is not a mapping; write at least one of id, label, position and rotation.")
    }
    for (field, value) in fields { try set(field, value) }
    if entry.id == nil, entry.position == nil, entry.rotation == nil, entry.label == nil {
      throw ConfigurationProblem(
        at: key, of: path, "\(name) says nothing; write at least one of id, label, position and rotation.")
    }
  }

  private func check(_ key: Node) throws {
    if entry.key.isEmpty {
      throw ConfigurationProblem(
        at: key, of: path, "devices has an entry without a name; name what finds the camera.")
    }
    guard entry.isLink else { return }
    if !entry.key.hasPrefix("/dev/") {
      throw ConfigurationProblem(
        at: key, of: path, "\(name) lies outside /dev; name a link such as those in /dev/v4l/by-id.")
    }
    if entry.key.hasPrefix("/dev/video"), Int(entry.key.dropFirst("/dev/video".count)) != nil {
      throw ConfigurationProblem(
        at: key, of: path,
        "\(name) may be another camera after the next start; name a link in /dev/v4l/by-id, or what "
          + "`firstlightd devices` lists.")
    }
  }

  private mutating func set(_ field: Node, _ value: Node) throws {
    let text = value.null == nil ? value.scalar?.string : nil
    switch field.string {
    case "id":
      guard let text, DeviceID.isValid(text) else {
        throw problem(
          field, value,
          "it must be lower-case letters, digits, -, . and _, at most \(DeviceID.maximumLength), beginning with a "
            + "letter or digit"
        )
      }
      entry.id = text
    case "position":
      guard let text, let position = ["front": DevicePosition.front, "back": .back][text] else {
        throw problem(field, value, "it must be front or back")
      }
      entry.position = position
    case "rotation":
      guard let angle = text.flatMap({ Int($0) }), let rotation = Orientation.Rotation(rawValue: angle) else {
        throw problem(field, value, "it must be 0, 90, 180 or 270, the degrees clockwise until pictures are upright")
      }
      entry.rotation = rotation
    case "label":
      guard let text, (1...Self.longestLabel).contains(text.unicodeScalars.count),
        !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }),
        !text.allSatisfy(\.isWhitespace)
      else {
        throw problem(
          field, value,
          "it must be 1 to \(Self.longestLabel) characters, none of them control characters, and not blank")
      }
      entry.label = text
    case "required":
      guard let scalar = value.scalar, let isRequired = Bool.construct(from: scalar) else {
        throw problem(field, value, "it must be true or false")
      }
      entry.isRequired = isRequired
    default:
      throw ConfigurationProblem(
        at: field, of: path,
        "\(name) has a field \"\(field.string ?? "?")\", which means nothing; there are id, label, position, "
          + "required and rotation.")
    }
  }

  private func problem(_ field: Node, _ value: Node, _ rule: String) -> ConfigurationProblem {
    let what = value.null != nil ? "is empty" : value.scalar.map { "is \"\($0.string)\"" } ?? "is no plain value"
    return ConfigurationProblem(at: field, of: path, "\(name).\(field.string ?? "?") \(what); \(rule).")
  }
}
