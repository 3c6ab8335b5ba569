internal import Glibc
internal import SystemClocks

/// The resources that the process uses, for metrics with the names that all exporters share.
struct ProcessFigures: Sendable {
  /// The processor time of all threads since the process began, in seconds.
  var cpuSeconds: Double
  /// The memory of the process that is in RAM. Nil when `/proc/self/statm` cannot be read.
  var residentBytes: Int?
  /// The address space of the process. Nil when `/proc/self/statm` cannot be read.
  var virtualBytes: Int?
  /// The number of open file descriptors. Nil when `/proc/self/fd` cannot be read.
  var openDescriptors: Int?
  /// The limit of open file descriptors (RLIMIT_NOFILE). Nil when the process has no limit.
  var maximumDescriptors: UInt64?
  /// When the process began.
  var start: WallInstant

  /// Reads the figures from the kernel. The kernel answers from memory, so this function does not block.
  ///
  /// - Parameter start: when the process began.
  static func now(start: WallInstant) -> ProcessFigures {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let pages = memoryPages()
    let page = sysconf(Int32(_SC_PAGESIZE))
    return ProcessFigures(
      cpuSeconds: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9, residentBytes: pages.map { $0.resident * page },
      virtualBytes: pages.map { $0.total * page }, openDescriptors: openDescriptorCount(),
      maximumDescriptors: limit.rlim_cur == rlim_t.max ? nil : UInt64(limit.rlim_cur), start: start)
  }

  /// Reads the size of the process and the resident part of it, both in pages, from `/proc/self/statm` (proc(5)). Nil
  /// when the file cannot be read.
  private static func memoryPages() -> (total: Int, resident: Int)? {
    guard let file = fopen("/proc/self/statm", "re") else { return nil }
    defer { fclose(file) }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { line in
      guard fgets(line.baseAddress, Int32(line.count), file) != nil else { return nil }
      let fields = String(cString: line.baseAddress!).split(separator: " ")
      guard fields.count > 1, let total = Int(fields[0]), let resident = Int(fields[1]) else { return nil }
      return (total, resident)
    }
  }

  private static func openDescriptorCount() -> Int? {
    guard let folder = opendir("/proc/self/fd") else { return nil }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    // The entries `.` and `..`, and the descriptor by which this function reads the folder, do not count.
    return max(0, count - 3)
  }
}

extension MetricsText {
  mutating func add(_ process: ProcessFigures) {
    add(
      "process_cpu_seconds_total", .counter, "Total user and system CPU time spent in seconds.", process.cpuSeconds)
    add("process_open_fds", .gauge, "Number of open file descriptors.", process.openDescriptors)
    add("process_max_fds", .gauge, "Maximum number of open file descriptors.", process.maximumDescriptors)
    add("process_resident_memory_bytes", .gauge, "Resident memory size in bytes.", process.residentBytes)
    add("process_virtual_memory_bytes", .gauge, "Virtual memory size in bytes.", process.virtualBytes)
    add(
      "process_start_time_seconds", .gauge, "Start time of the process since unix epoch in seconds.",
      Double(process.start.nanoseconds) / 1e9)
  }
}
