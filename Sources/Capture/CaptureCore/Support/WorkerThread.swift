import Glibc

/// Starts threads for work that blocks or computes for long, because Swift's cooperative pool must not do such work.
public enum WorkerThread {
  /// Runs `body` once on a new, detached thread, which ends when `body` returns.
  ///
  /// - Parameters:
  ///   - name: the name of the thread, as `ps -L` shows it; the kernel keeps 15 bytes.
  ///   - niceness: 0 to 19; the scheduler prefers threads with lower values.
  /// - Throws: `processingFailed` when the system cannot create a thread.
  public static func start(
    name: String, niceness: Int32 = 0, _ body: @escaping @Sendable () -> Void
  ) throws(CaptureError) {
    // The new thread releases this object; if no thread could be created, the code below does.
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
        .processingFailed, "The system cannot create a thread for \(name): error \(failure).",
        metadata: ["thread": name, "errno": "\(failure)"])
    }
  }

  /// Runs `body` on a new thread, and returns what it returns.
  ///
  /// - Throws: `processingFailed` when the system cannot create a thread.
  public static func run<Value: Sendable>(
    name: String, _ body: @escaping @Sendable () -> Value
  ) async throws(CaptureError) -> Value {
    let result: Result<Value, CaptureError> = await withCheckedContinuation { continuation in
      do throws(CaptureError) { try start(name: name) { continuation.resume(returning: .success(body())) } } catch {
        continuation.resume(returning: .failure(error))
      }
    }
    return try result.get()
  }

  /// Lets the calling thread run from now on only when a processor has no other work.
  public static func yieldToAllOthers() {
    // The number 5 below is SCHED_IDLE, which the C library's headers declare only with _GNU_SOURCE. Neither
    // `setpriority` nor `sched_setscheduler` needs a privilege here. Where the system does not allow SCHED_IDLE, the
    // thread keeps the greatest niceness, 19.
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
  // The first argument is PRIO_PROCESS, which has the value 0 but is imported as a type that setpriority does not
  // accept. The second argument 0 means the calling thread alone on Linux. Raising the niceness needs no privilege.
  if start.niceness > 0 { setpriority(0, 0, start.niceness) }
  start.body()
  return nil
}

/// Names the calling thread by writing to /proc, because Swift imports neither pthread_setname_np nor prctl. The name
/// only helps people, so failures are ignored.
private func nameThisThread(_ name: String) {
  let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
  guard file >= 0 else { return }
  _ = name.withCString { write(file, $0, name.utf8.count) }
  _ = close(file)
}
