public import CaptureCore
public import CaptureTestKit
public import Foundation
internal import Testing

/// FFmpeg's own programs, which judge what the daemon writes.
public enum MediaTools {
  /// Whether the programs are installed. The package `ffmpeg` of the group `test` has them.
  public static let areInstalled = ["ffprobe", "ffmpeg"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: path($0))
  }

  private static func path(_ name: String) -> String { "/usr/bin/\(name)" }

  /// Runs a program to its end.
  public static func run(_ name: String, _ arguments: [String]) throws -> (
    output: Data, messages: String, status: Int32
  ) {
    let process = Process()
    let messages = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data().write(to: messages)
    defer { try? FileManager.default.removeItem(at: messages) }
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: path(name))
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: messages)
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (
      bytes, String(decoding: (try? Data(contentsOf: messages)) ?? Data(), as: UTF8.self), process.terminationStatus
    )
  }

  /// The entries of ffprobe's section, such as `packet=pts,flags`: a dictionary for each packet or stream.
  ///
  /// - Parameter stream: the stream, as ffprobe names it; by default the first one of pictures.
  public static func probe(_ path: String, _ entries: String, of stream: String = "v:0") throws -> [[String: String]] {
    let result = try run(
      "ffprobe",
      ["-v", "error", "-threads", "1", "-select_streams", stream, "-show_entries", entries, "-of", "compact=p=0", path])
    try #require(result.status == 0, "\(result.messages)")
    let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n")
    return lines.map { line in
      let pairs = line.split(separator: "|").compactMap { entry -> (String, String)? in
        guard let sign = entry.firstIndex(of: "=") else { return nil }
        return (String(entry[..<sign]), String(entry[entry.index(after: sign)...]))
      }
      return Dictionary(pairs) { first, _ in first }
    }
  }

  /// The names of the boxes at the top of a file in MP4 or QuickTime.
  public static func boxes(_ path: String) throws -> [String] {
    let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    var (names, offset) = ([String](), 0)
    while offset + 8 <= bytes.count {
      let size = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      names.append(String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self))
      // A size of 1 means that the size follows in 64 bits.
      offset += size == 1 ? bytes[offset + 8..<offset + 16].reduce(0) { $0 << 8 | Int($1) } : max(size, 8)
    }
    return names
  }

  /// What the boards of the decoded pictures say; nil for a picture without a readable board.
  public static func boards(_ path: String, _ size: Size, _ options: [String] = []) throws -> (
    boards: [Timecode?], messages: String
  ) {
    let result = try run(
      "ffmpeg",
      [
        "-v", "error", "-threads", "1",
      ] + options + [
        "-i", path, "-fps_mode", "passthrough", "-pix_fmt", "gray", "-f", "rawvideo", "-",
      ])
    let count = result.output.count / size.pixelCount
    let boards = result.output.withUnsafeBytes { bytes in
      (0..<count).map { index in
        Timecode(
          luma: UnsafeRawBufferPointer(rebasing: bytes[index * size.pixelCount..<(index + 1) * size.pixelCount]),
          stride: size.width, size: size)
      }
    }
    return (boards, result.messages)
  }
}
