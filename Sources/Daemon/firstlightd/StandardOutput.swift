internal import CaptureCore
internal import Foundation

/// Lines for scripts, unbuffered.
enum StandardOutput {
  static func writeLine(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
