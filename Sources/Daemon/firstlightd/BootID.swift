internal import CaptureCore
internal import Foundation

/// The kernel's id of this boot: monotonic times of two answers are comparable when it is the same.
enum BootID {
  static func read() -> String {
    let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
  }
}
