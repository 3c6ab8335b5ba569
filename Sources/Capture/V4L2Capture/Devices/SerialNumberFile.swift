internal import CaptureCore
internal import Logging
internal import SystemFiles

/// Keeps ``SerialNumbers`` in a file of the data folder. The calls block.
struct SerialNumberFile: Sendable {
  private static let name = "cameras"
  /// The greatest size of the file in bytes. Each serial number takes a line with two ids of at most 63 characters, a
  /// word and separators.
  private static let largest = SerialNumbers.limit * 144 + 64

  /// The data folder; nil when serial numbers are not kept.
  let folder: DataFolder?
  let logger: Logger

  /// The serial numbers that former runs learned. Empty when there is no file, or when the file is damaged, which the
  /// method logs.
  func load() -> SerialNumbers {
    folder?.prepare()
    guard let bytes = folder?.read(Self.name, atMost: Self.largest) else { return SerialNumbers() }
    if let numbers = SerialNumbers(text: String(decoding: bytes, as: UTF8.self)) { return numbers }
    logger.warning(
      """
      The file of serial numbers is damaged and begins anew. Of cameras with the same serial number, one may get an id \
      that was another's.
      """,
      metadata: ["file.path": "\(folder?.path ?? "")/\(Self.name)"])
    return SerialNumbers()
  }

  func save(_ numbers: SerialNumbers) { folder?.write(Self.name, Array(numbers.text.utf8)) }
}

extension SerialNumbers {
  private static let header = "firstlight serial numbers 1"
  /// The last line of the text. A text without this line was cut off.
  private static let footer = "end"

  /// The serial numbers as text, one line each: the id, the port at which a camera got that id (`-` for none, `*` for
  /// several), and `shared` or `single`.
  var text: String {
    let lines = entries.map { entry in
      let place =
        switch entry.place {
        case .nowhere: "-"
        case .one(let place): place
        case .several: "*"
        }
      return "\(entry.id) \(place) \(entry.isShared ? "shared" : "single")"
    }
    return ([Self.header] + lines + [Self.footer, ""]).joined(separator: "\n")
  }

  /// Reads a text that ``text`` wrote. Nil when `text` has any other form.
  init?(text: String) {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count >= 3, lines.removeFirst() == Self.header, lines.removeLast().isEmpty,
      lines.removeLast() == Self.footer,
      lines.count <= Self.limit
    else { return nil }
    var entries: [Entry] = []
    for line in lines {
      let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
      guard words.count == 3, DeviceID.isValid(words[0]), ["shared", "single"].contains(words[2]) else { return nil }
      let place: Place
      switch words[1] {
      case "-": place = .nowhere
      case "*": place = .several
      case let id where DeviceID.isValid(id): place = .one(id)
      default: return nil
      }
      entries.append(Entry(id: words[0], place: place, isShared: words[2] == "shared"))
    }
    guard Set(entries.map(\.id)).count == entries.count else { return nil }
    self.init(entries)
  }
}
