internal import CaptureCore
internal import CaptureSessions
internal import Foundation
internal import GRPCTransport
internal import HTTPTransport
internal import Logging
internal import RPCCore
internal import ServiceLifecycle
internal import SystemClocks
internal import SystemWatchdog

/// Prints where the daemon listens as soon as it listens, and tells the sessions and the service manager that the
/// daemon is ready.
struct ReadinessService: Service {
  let server: GRPCServer
  /// The HTTP server; nil without one.
  let http: HTTPService?
  /// The server of the metrics; nil without one.
  let metrics: MetricsService?
  let sessions: SessionRegistry
  let manager: ServiceManager
  let logger: Logger

  func run() async throws {
    let addresses = try await server.boundAddresses
    if let address = try await metrics?.boundAddress {
      StandardOutput.writeLine("firstlightd: metrics at http://\(address)/metrics")
      Self.warnIfOpen("\(address)", logger)
    }
    if let address = try await http?.boundAddress {
      let shown = await sessions.shownCamera.map { ", showing \($0)" } ?? ""
      StandardOutput.writeLine("firstlightd: http at http://\(address)\(shown)")
      Self.warnIfOpen("\(address)", logger)
    }
    await sessions.setDaemonTimes(processStart: ProcessStart.monotonic(), serverReady: .now())
    for address in addresses {
      // The line goes to standard output without buffering, because scripts wait for the line.
      StandardOutput.writeLine("firstlightd: listening on \(address)")
      Self.warnIfOpen(address, logger)
    }
    manager.tell(.ready)
    try? await gracefulShutdown()
    manager.tell(.stopping)
  }

  /// Logs a warning when `address` can be reached from the network.
  static func warnIfOpen(_ address: String, _ logger: Logger) {
    guard !isLocal(address) else { return }
    logger.warning(
      "The server is open to the network without encryption or authentication.",
      metadata: ["server.address": "\(address)"])
  }

  private static func isLocal(_ address: String) -> Bool {
    address.hasPrefix("unix:") || address.hasPrefix("127.") || address.hasPrefix("localhost:")
      || address.hasPrefix("[::1]:")
  }
}

extension SessionRegistry {
  /// The camera that the viewfinder page shows at first, and its format, for people. Nil when no session has a camera.
  fileprivate var shownCamera: String? {
    get async {
      var shown: ResolvedConfiguration.Input?
      for session in sessions() where shown == nil || session.id == DefaultSession.id {
        shown = await session.snapshot().resolved.input ?? shown
      }
      guard let shown else { return nil }
      let (format, size) = (shown.request.pixelFormat, shown.request.size)
      let hundredths = Int((shown.frameRate.value * 100).rounded())
      let rate = hundredths.isMultiple(of: 100) ? "\(hundredths / 100)" : "\(Double(hundredths) / 100)"
      return "\(shown.deviceName): \(format), \(size.width) × \(size.height), \(rate) frames per second"
    }
  }
}

/// Writes lines for scripts to standard output, without buffering.
enum StandardOutput {
  static func writeLine(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
