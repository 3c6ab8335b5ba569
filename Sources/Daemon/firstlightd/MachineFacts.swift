internal import Foundation

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
