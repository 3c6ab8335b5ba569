public import CaptureCore
internal import Glibc
public import SystemClocks
public import VideoCoding

/// The path of a recording's file, relative to the folder of recordings: 1 to 8 names, joined by slashes. No such path
/// leads out of the folder, unless a folder on the way is a symbolic link.
public struct RecordingFileName: Hashable, Sendable {
  /// The most names in a path.
  public static let maximumDepth = 8
  /// The most bytes of a path, in UTF-8.
  public static let maximumLength = 1024

  /// The path.
  public let path: String

  /// The names of the folders on the way, and of the file.
  var components: [String] { Self.names(in: path) }

  /// Splits a path as the system does, by its bytes. For Swift, a slash and an accent behind it are one character,
  /// which is no slash.
  private static func names(in path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { String(Substring($0)) }
  }

  /// Checks a path that a client names.
  ///
  /// - Parameter text: the path, to which the usual ending of the container is added when its last name has no ending.
  /// - Throws: `invalidArgument` for the field `file`.
  public init(_ text: String, container: MovieContainer) throws(CaptureError) {
    let ending = ".\(container.fileExtension)"
    var names = Self.names(in: text)
    guard !names.contains("") else {
      throw .fileName(text, "names a file in the folder of recordings, without a slash at its start or end")
    }
    guard names.allSatisfy({ $0.utf8.first != UInt8(ascii: ".") }) else {
      throw .fileName(text, "has no name that begins with a dot; such names are the daemon's own")
    }
    guard text.unicodeScalars.allSatisfy({ $0 != "\\" && $0.properties.generalCategory != .control }) else {
      throw .fileName(text, "has neither control characters nor backslashes; use a slash between folders")
    }
    if !names.last!.utf8.contains(UInt8(ascii: ".")) { names[names.count - 1] += ending }
    guard names.last!.utf8.reversed().starts(with: ending.utf8.reversed()) else {
      throw .fileName(text, "ends in \(ending) for this container; the daemon adds the ending if you leave it out")
    }
    let path = names.joined(separator: "/")
    guard
      names.count <= Self.maximumDepth, path.utf8.count <= Self.maximumLength,
      names.allSatisfy({ $0.utf8.count <= 255 })
    else {
      throw .fileName(text, "has at most 8 names, each of at most 255 bytes, and 1,024 bytes in all; shorten it")
    }
    self.path = path
  }

  /// The path of a folder on the way to a file that was checked.
  init(trusted names: [String]) { path = names.joined(separator: "/") }

  /// The name of a recording whose client names none: `<session>/<yyyy-MM-dd>/<HH-mm-ss.mmm>-<id>.<ending>`, in UTC.
  ///
  /// - Parameter session: the id of a session, which contains neither slashes nor dots.
  public init(session: String, id: String, time: WallInstant, container: MovieContainer) {
    var seconds = time_t(time.nanoseconds / 1_000_000_000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func padded(_ number: Int, _ digits: Int) -> String {
      let text = "\(number)"
      return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
    let date = [(Int(parts.tm_year) + 1900, 4), (Int(parts.tm_mon) + 1, 2), (Int(parts.tm_mday), 2)].map(padded)
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded(Int($0), 2) }
    let fraction = padded(Int(time.nanoseconds / 1_000_000 % 1000), 3)
    path =
      "\(session)/\(date.joined(separator: "-"))/\(clock.joined(separator: "-")).\(fraction)-\(id)"
      + ".\(container.fileExtension)"
  }
}

extension CaptureError {
  /// A client named a file that cannot be one of a recording. `rule` goes on after "The path of a recording".
  fileprivate static func fileName(_ text: String, _ rule: String) -> CaptureError {
    CaptureError(
      .invalidArgument, "The path of a recording \(rule).", metadata: ["file": String(text.prefix(80))], field: "file")
  }
}
