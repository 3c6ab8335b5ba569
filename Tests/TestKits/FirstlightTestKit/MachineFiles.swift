internal import Foundation

/// The files of `/sys` and `/proc` of a machine that a test describes.
struct MachineFiles {
  private let contents: [String: String]

  /// - Parameter contents: the text of each file by its path, which begins with `sys` or `proc`.
  init(_ contents: [String: String]) { self.contents = contents }

  /// Makes the files below a new folder.
  func write(to folder: String) throws {
    let manager = FileManager.default
    for root in ["sys", "proc"] {
      try manager.createDirectory(atPath: "\(folder)/\(root)", withIntermediateDirectories: true)
    }
    for (path, text) in contents {
      let url = URL(fileURLWithPath: "\(folder)/\(path)")
      try manager.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data((text + "\n").utf8).write(to: url)
    }
  }
}
