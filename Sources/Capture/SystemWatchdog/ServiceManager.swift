internal import CWatchdog

/// The service manager that started the daemon, if it wants to be told of the daemon's life: systemd with
/// `Type=notify`. The protocol is that of sd_notify(3).
public struct ServiceManager: Sendable {
  /// What the manager is told.
  public enum State: String, Sendable {
    /// The daemon serves.
    case ready = "READY=1"
    /// The daemon stops.
    case stopping = "STOPPING=1"
    /// All is well. The manager ends a daemon that does not say so often enough.
    case alive = "WATCHDOG=1"
  }

  private let socket: String?
  /// How often the manager wants to hear that all is well, in nanoseconds; nil when it does not.
  let watchdogInterval: UInt64?

  /// Reads the variables that the manager has set: NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID.
  ///
  /// - Parameters:
  ///   - environment: the variables of the process.
  ///   - processID: the process of the daemon. A variable that is meant for another process does not count.
  public init(environment: [String: String], processID: Int32) {
    socket = environment["NOTIFY_SOCKET"]
    let isOurs = environment["WATCHDOG_PID"].map { $0 == "\(processID)" } ?? true
    let microseconds = environment["WATCHDOG_USEC"].flatMap(UInt64.init) ?? 0
    watchdogInterval =
      socket != nil && isOurs && microseconds > 0
      ? microseconds.multipliedReportingOverflow(by: 1000).partialValue : nil
  }

  /// Tells the manager, if there is one. Does not block.
  public func tell(_ state: State) {
    // A manager that cannot be told ends the daemon by its watchdog, and says so.
    if let socket { _ = cwatchdog_notify(socket, state.rawValue) }
  }
}
