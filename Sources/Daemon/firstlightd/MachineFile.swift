internal import CaptureCore
internal import CaptureSessions
internal import Foundation
internal import SystemFiles

/// The file that keeps the measured throughput from one start of the daemon to the next.
struct MachineFile {
  private struct Content: Codable {
    var key: String
    var core: CoreThroughput
  }

  private static let name = "machine.json"

  let folder: DataFolder
  /// Names the machine and the daemon that were measured. A file with another key does not count, so that another
  /// machine, or another version of the daemon, measures anew.
  let key: String

  /// The measured throughput. Nil when there is no file, or when the file has another key or makes no sense.
  func read() -> CoreThroughput? {
    guard let bytes = folder.read(Self.name, atMost: 1 << 16),
      let content = try? JSONDecoder().decode(Content.self, from: Data(bytes)), content.key == key
    else { return nil }
    let core = content.core
    let isPlausible = [core.copiedBytes, core.convertedPixels, core.encodedPixels].allSatisfy { $0.isFinite && $0 > 0 }
    return isPlausible ? core : nil
  }

  /// Replaces the file as a whole, or leaves the old file unchanged.
  func write(_ core: CoreThroughput) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    if let data = try? encoder.encode(Content(key: key, core: core)) { folder.write(Self.name, [UInt8](data)) }
  }
}

/// What the kernel tells about the processors.
enum MachineFacts {
  /// The name of the processor, or another property that tells the processor from others; "unknown" without a readable
  /// `cpuinfo`.
  static func processor(procfs: String) -> String {
    let text = (try? String(contentsOfFile: procfs + "/cpuinfo", encoding: .utf8)) ?? ""
    // On x86 the file has a model name. On Arm the file has a part number, and sometimes the name of the board.
    let lines = text.split(separator: "\n")
    for field in ["model name", "Model", "CPU part"] {
      if let line = lines.first(where: { $0.hasPrefix(field) }), let colon = line.firstIndex(of: ":") {
        return line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      }
    }
    return "unknown"
  }

  /// The share of their highest clock that the processors can keep up for ever, above 0 to 1. The sustained clock is at
  /// most `base_frequency`, because clocks above it depend on heat and power. The clock is also at most
  /// `scaling_max_freq`, by which firmware, a thermal daemon or a person may cap the clock. 1 where the kernel does not
  /// scale clocks.
  static func sustainedShare(sysfs: String) -> Double {
    let folder = sysfs + "/devices/system/cpu"
    let processors = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    var (sustained, highest) = (0.0, 0.0)
    for processor in processors where processor.hasPrefix("cpu") && Int(processor.dropFirst(3)) != nil {
      func kilohertz(_ name: String) -> Double? {
        (try? String(contentsOfFile: "\(folder)/\(processor)/cpufreq/\(name)", encoding: .utf8))
          .flatMap { Double($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
      }
      guard let most = kilohertz("cpuinfo_max_freq"), most > 0 else { continue }
      highest += most
      sustained += min(most, kilohertz("base_frequency") ?? most, kilohertz("scaling_max_freq") ?? most)
    }
    return highest > 0 ? sustained / highest : 1
  }
}

/// The kernel's id of the present boot. Monotonic times of two answers are comparable only when both answers have the
/// same id.
enum BootID {
  /// The id; empty when it cannot be read.
  static func read() -> String {
    let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
  }
}
