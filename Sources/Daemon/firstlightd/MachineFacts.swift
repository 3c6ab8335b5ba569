internal import Foundation

/// What the kernel tells of the processor.
enum MachineFacts {
  /// Its name, or what else tells it from others; "unknown" without /proc.
  static func processor(procfs: String) -> String {
    let text = (try? String(contentsOfFile: procfs + "/cpuinfo", encoding: .utf8)) ?? ""
    // x86 has a model name; Arm a part number, and sometimes the board's name.
    let lines = text.split(separator: "\n")
    for field in ["model name", "Model", "CPU part"] {
      if let line = lines.first(where: { $0.hasPrefix(field) }), let colon = line.firstIndex(of: ":") {
        return line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      }
    }
    return "unknown"
  }

  /// The share of the highest clock that the processors keep up for ever: at most `base_frequency`, above which clocks
  /// depend on heat and power, and at most `scaling_max_freq`, where firmware, a thermal daemon or a person capped it.
  /// 1 where the kernel does not scale clocks.
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
