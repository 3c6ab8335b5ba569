internal import CaptureCore
internal import CaptureSessions
public import RPCCore

/// Turns errors of the capture modules into what clients see. Each reason has one code, which never changes.
public enum ErrorMapping {
  /// `ErrorInfo.domain` of every error.
  public static let domain = "firstlight"

  /// Returns nil for an error of another module.
  public static func rpcError(_ error: any Error) -> RPCError? {
    switch error {
    case let error as CaptureError: rpcError([error])
    case let error as ConfigurationError: rpcError(error.issues)
    default: nil
    }
  }

  static func rpcError(_ issues: [CaptureError]) -> RPCError {
    let first = issues[0]
    return RPCError(
      code(of: first.reason), first.message, reason: first.reason.rawValue, metadata: first.metadata,
      fieldViolations: issues.compactMap { issue in issue.field.map { ($0, issue.message) } },
      retryDelay: retryDelay(after: first.reason))
  }

  /// Returns after how long another try may succeed, or nil for a reason that time alone does not mend.
  static func retryDelay(after reason: CaptureError.Reason) -> Duration? {
    switch reason {
    // A camera that comes back, or another program that lets go of it, is noticed within a second.
    case .deviceInUse, .deviceDisconnected, .systemSuspend, .shuttingDown, .tooManyRequests, .operationInterrupted:
      .seconds(1)
    // A driver waits for an answer for so long, and one that failed often recovers in this time.
    case .deviceNotResponding, .deviceFailed: .seconds(5)
    // A level falls 3 s after what caused it.
    case .systemPressure: .seconds(5)
    // One photo takes about as long.
    case .captureNotFinished, .outOfBuffers: .milliseconds(200)
    default: nil
    }
  }

  static func code(of reason: CaptureError.Reason) -> RPCError.Code {
    switch reason {
    case .deviceNotFound, .outputNotFound, .sessionNotFound, .captureNotFound, .streamNotFound, .controlNotFound:
      .notFound
    case .deviceInUse, .deviceDisconnected, .deviceNotResponding, .deviceFailed, .systemPressure, .systemSuspend,
      .shuttingDown:
      .unavailable
    case .deviceAccessDenied: .permissionDenied
    case .processingFailed: .internal
    case .formatNotSupported, .notSupportedInConfiguration, .noInput, .noOutput, .outputRemoved, .sessionNotRunning,
      .automaticDeferredStart, .hardwareCostExceeded, .noLowerCost, .messageLimit, .captureNotFinished, .deviceClaimed,
      .controlReadOnly, .controlInactive, .controlGrabbed:
      .failedPrecondition
    case .invalidArgument, .unsupportedValue, .controlWrongType: .invalidArgument
    case .sessionExists, .settingsIDReused: .alreadyExists
    case .etagMismatch, .operationInterrupted: .aborted
    case .eventsLost: .outOfRange
    case .frameDamaged: .dataLoss
    case .tooManyRequests, .outOfBuffers, .bandwidthExceeded: .resourceExhausted
    }
  }
}
