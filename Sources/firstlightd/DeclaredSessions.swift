internal import CaptureCore
internal import CaptureSession
internal import Logging
internal import ServiceLifecycle

/// The sessions of the configuration file: created before anybody can call, then started side by side.
struct DeclaredSessions: Service {
  private let sessions: [(session: CaptureSession, configuration: SessionConfiguration)]
  private let logger: Logger

  /// - Throws: ``ConfigurationProblem`` for an entry that could not run even with its camera there.
  init(_ declared: [DeclaredSession], in registry: SessionRegistry, logger: Logger) async throws {
    var sessions: [(CaptureSession, SessionConfiguration)] = []
    for entry in declared {
      do {
        let session = try await registry.create(id: entry.id, idleTimeout: 0)
        if let issue = try await session.obstacles(to: entry.configuration).first { throw issue }
        sessions.append((session, entry.configuration))
      } catch let error as CaptureError {
        let field = error.field == "session_id" ? "" : error.field ?? ""
        throw DeclaredSession.problem(entry.id, field, "cannot be used: \(error.message)")
      }
    }
    self.sessions = sessions
    self.logger = logger
  }

  /// Starts every session, then is idle: a service that ends would end the daemon.
  func run() async throws {
    await withDiscardingTaskGroup { group in
      for (session, configuration) in sessions {
        group.addTask { [logger] in
          do { try await session.run(configuration) } catch {
            logger.error(
              "a declared session does not start", metadata: ["session": "\(session.id)", "error": "\(error)"])
          }
        }
      }
    }
    try? await gracefulShutdown()
  }
}
