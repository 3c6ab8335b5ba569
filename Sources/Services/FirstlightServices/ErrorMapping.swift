internal import CaptureCore
internal import CaptureSessions
public import GRPCTransport

/// Turns errors of the capture modules into gRPC ones: one reason, one code, for ever.
public enum ErrorMapping {
  /// `ErrorInfo.domain` of every error.
  public static let domain = "firstlight"

  /// Nil for errors that are none of ours.
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

  /// After how long another try may succeed, for every reason that time alone can mend; nil where something else must change.
  static func retryDelay(after reason: CaptureError.Reason) -> Duration? {
    switch reason {
    // A camera that comes back, or another program that lets go of it, is noticed within a second.
    case .deviceInUse, .deviceDisconnected, .systemSuspend, .shuttingDown, .tooManyRequests, .operationInterrupted:
      .seconds(1)
    // As long as a driver waits for an answer, and often long enough for one that failed to recover.
    case .deviceNotResponding, .deviceFailed: .seconds(5)
    // A level falls 3 s after what caused it.
    case .systemPressure: .seconds(5)
    // One photo's time.
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
