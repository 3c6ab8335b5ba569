#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Starts threads for work that blocks or computes for long, which Swift's cooperative pool must not do.
public enum WorkerThread {
  /// Runs `body` once on a new, detached thread, which ends when `body` returns.
  ///
  /// - Parameters:
  ///   - name: as `ps -L` shows it; the kernel keeps 15 bytes.
  ///   - niceness: 0 to 19; the scheduler prefers threads with less.
  /// - Throws: `processingFailed` when the system gives no thread.
  public static func start(
    name: String, niceness: Int32 = 0, _ body: @escaping @Sendable () -> Void
  ) throws(CaptureError) {
    // Consumed by the new thread, or below when there is none.
    let start = Unmanaged.passRetained(Start(name: String(name.utf8.prefix(15)) ?? "", niceness: niceness, body: body))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    let failure = pthread_create(&thread, &attributes, { runStart($0) }, start.toOpaque())
    guard failure == 0 else {
      start.release()
      throw CaptureError(
        .processingFailed, "The system gives no thread for \(name): error \(failure).",
        metadata: ["thread": name, "errno": "\(failure)"])
    }
  }

  /// From now on the calling thread runs only on processors that nobody else wants.
  public static func yieldToAllOthers() {
    // SCHED_IDLE, which the C library shows only to those who ask for more than POSIX. Needs no privilege; where it is not
    // allowed, the least priority of the usual kind is what there is.
    var parameters = sched_param()
    parameters.sched_priority = 0
    setpriority(0, 0, 19)
    _ = sched_setscheduler(0, 5, &parameters)
  }
}

private final class Start: Sendable {
  let name: String
  let niceness: Int32
  let body: @Sendable () -> Void

  init(name: String, niceness: Int32, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.niceness = niceness
    self.body = body
  }
}

private func runStart(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  let start = Unmanaged<Start>.fromOpaque(context!).takeRetainedValue()
  nameThisThread(start.name)
  // PRIO_PROCESS is 0, imported as a type that setpriority does not take. Who 0 is, on Linux, the calling thread alone;
  // more niceness needs no privilege.
  if start.niceness > 0 { setpriority(0, 0, start.niceness) }
  start.body()
  return nil
}

/// By /proc, because neither pthread_setname_np nor prctl is imported. A name is a help, no need: failure is ignored.
private func nameThisThread(_ name: String) {
  let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
  guard file >= 0 else { return }
  _ = name.withCString { write(file, $0, name.utf8.count) }
  _ = close(file)
}
