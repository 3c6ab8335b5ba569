internal import CaptureCore
internal import Foundation

/// Writes lines for scripts to standard output, without buffering.
enum StandardOutput {
  static func writeLine(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
