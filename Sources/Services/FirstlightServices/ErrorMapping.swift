internal import CaptureCore
internal import CaptureSessions
internal import GoogleRPC
public import RPCCore

/// Turns errors of the capture modules into the errors that clients see. Each reason has one code, which never changes
/// once a release has it.
public enum ErrorMapping {
  /// The `ErrorInfo.domain` of every error.
  public static let domain = "firstlight"

  /// Returns the error for clients. Nil when `error` is neither a `CaptureError` nor a `ConfigurationError`, which
  /// means that it does not come from a capture module.
  public static func rpcError(_ error: any Error) -> RPCError? {
    switch error {
    case let error as CaptureError: rpcError([error])
    case let error as ConfigurationError: rpcError(error.issues)
    default: nil
    }
  }

  /// Returns a plain sentence about an error: its message, or for an error that nobody expected as
  /// `RPCError.sentence(about:)`.
  public static func message(of error: any Error) -> String {
    (rpcError(error) ?? error as? RPCError)?.message ?? RPCError.sentence(about: error)
  }

  /// Returns the error as a `google.rpc.Status`, for a message that tells of the end of a part of a stream.
  static func status(_ error: any Error) -> Google_Rpc_Status {
    let known = rpcError(error) ?? error as? RPCError
    return (known ?? RPCError(.unknown, "This part of the stream failed.")).status(domain: domain)
  }

  /// Returns one error for all issues of a request. The first issue gives the code, the message, the reason and the
  /// metadata; every issue that names a field gives a field violation.
  ///
  /// - Parameter issues: at least one issue.
  static func rpcError(_ issues: [CaptureError]) -> RPCError {
    let first = issues[0]
    return RPCError(
      code(of: first.reason), first.message, reason: first.reason.rawValue, metadata: first.metadata,
      fieldViolations: issues.compactMap { issue in issue.field.map { ($0, issue.message) } },
      retryDelay: retryDelay(after: first.reason))
  }

  /// Returns the time after which another try may succeed. Nil when waiting alone does not help.
  static func retryDelay(after reason: CaptureError.Reason) -> Duration? {
    switch reason {
    // The daemon notices within a second that a camera is back, or that another program no longer uses it.
    case .deviceInUse, .deviceDisconnected, .systemSuspend, .shuttingDown, .tooManyRequests, .operationInterrupted,
      .videoStorageBusy:
      .seconds(1)
    // A driver waits up to 5 s for a camera's answer, and a driver that failed often recovers within 5 s.
    case .deviceNotResponding, .deviceFailed: .seconds(5)
    // As often as an interrupted session looks for the signal.
    case .noSignal: .seconds(2)
    // A pressure level falls at the earliest 3 s after its cause is gone.
    case .systemPressure: .seconds(5)
    // One photo takes about 200 ms.
    case .captureNotFinished, .outOfBuffers: .milliseconds(200)
    default: nil
    }
  }

  static func code(of reason: CaptureError.Reason) -> RPCError.Code {
    switch reason {
    case .deviceNotFound, .outputNotFound, .sessionNotFound, .captureNotFound, .recordingNotFound, .streamNotFound,
      .controlNotFound, .writerNotFound, .assetNotFound:
      .notFound
    case .deviceInUse, .deviceDisconnected, .deviceNotResponding, .deviceFailed, .noSignal, .systemPressure,
      .systemSuspend, .shuttingDown, .videoStorageBusy:
      .unavailable
    case .deviceAccessDenied, .operatorRequired, .permissionRequired: .permissionDenied
    case .processingFailed: .internal
    case .formatNotSupported, .notSupportedInConfiguration, .noInput, .noOutput, .outputRemoved, .sessionNotRunning,
      .sessionDeclared, .automaticDeferredStart, .hardwareCostExceeded, .noLowerCost, .messageLimit,
      .captureNotFinished, .deviceClaimed, .controlReadOnly, .controlInactive, .controlGrabbed, .recordingInProgress,
      .recordingEnded, .recordingNotExportable, .videoStorageNotSupported, .videoStorageNotConfigured,
      .writerNotStarted, .writerStarted, .writerEnded, .libraryUnavailable:
      .failedPrecondition
    case .invalidArgument, .unsupportedValue, .controlWrongType, .invalidResource: .invalidArgument
    case .sessionExists, .settingsIDReused, .recordingExists: .alreadyExists
    case .etagMismatch, .operationInterrupted: .aborted
    case .eventsLost: .outOfRange
    case .frameDamaged: .dataLoss
    case .tooManyRequests, .outOfBuffers, .bandwidthExceeded, .videoStorageFull, .diskFull, .libraryFull:
      .resourceExhausted
    }
  }
}
