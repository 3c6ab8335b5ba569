internal import CaptureCore
internal import Foundation

/// The kernel's id of the present boot. Monotonic times of two answers are comparable only when both answers have the
/// same id.
enum BootID {
  /// The id; empty when it cannot be read.
  static func read() -> String {
    let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
  }
}
