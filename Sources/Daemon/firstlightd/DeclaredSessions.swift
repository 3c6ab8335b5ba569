internal import CaptureCore
internal import CaptureSessions
internal import FirstlightServices
internal import Logging
internal import ServiceLifecycle

/// Creates the sessions of the configuration file before a client can call. Those that start with the daemon are then
/// started side by side.
struct DeclaredSessions: Service {
  private let starts: [(id: String, start: DeclaredStart)]
  private let logger: Logger

  /// Creates the sessions in `registry`. Warns of each device that a session names and that is not there, since its
  /// name may be mistyped.
  ///
  /// - Throws: ``ConfigurationProblem`` for an entry that could not run even if its camera were present.
  init(
    _ declared: [DeclaredSession], in registry: SessionRegistry, on devices: DeviceRegistry, logger: Logger
  ) async throws {
    var starts: [(id: String, start: DeclaredStart)] = []
    for entry in declared {
      do {
        let session = try await registry.create(
          id: entry.id, idleTimeout: 0, onDemand: entry.start.idleTimeout, isDeclared: true)
        let start = DeclaredStart(session, entry.configuration)
        if let issue = try await start.obstacles().first { throw issue }
        switch entry.start {
        case .atBoot:
          // The session commits its configuration before the daemon serves, because a viewer who calls at once has to
          // find the outputs. When this commit fails, the one in `run()` fails as well, and tells the operator.
          try? await start.commit()
          starts.append((session.id, start))
        case .onDemand: try await start.commit()
        }
      } catch let error as CaptureError {
        let field = error.field == "session_id" ? "" : error.field ?? ""
        throw DeclaredSession.problem(entry.id, field, "cannot be used: \(error.message)")
      }
    }
    self.starts = starts
    self.logger = logger
    await warnOfAbsent(declared, devices)
  }

  private func warnOfAbsent(_ declared: [DeclaredSession], _ devices: DeviceRegistry) async {
    for session in declared {
      let named = session.configuration.inputs.map(\.deviceID).filter { !$0.isEmpty }
      let (missing, present) = await devices.missing(among: named)
      for device in missing {
        logger.warning(
          """
          A session of the configuration file names a device that is not there. The session waits for it. Correct the \
          name if it is mistyped, or plug the device in.
          """,
          metadata: [
            "session.name": "sessions/\(session.id)", "device.name": "devices/\(device)",
            "device.present": .array(present.map { .string("devices/\($0)") }),
          ])
      }
    }
  }

  /// Starts every session that starts with the daemon, and then idles until the daemon stops, because the end of a
  /// service would end the daemon.
  func run() async throws {
    await withDiscardingTaskGroup { group in
      for (id, start) in starts {
        group.addTask { [logger] in
          do { try await start.run() } catch {
            logger.error(
              "A declared session does not start.",
              metadata: ["session.id": "\(id)", "error.message": "\(ErrorMapping.message(of: error))"])
          }
        }
      }
    }
    try? await gracefulShutdown()
  }
}
