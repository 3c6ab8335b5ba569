import Glibc

/// An error that the daemon reports, with a stable, machine-readable reason and a message for people.
public struct CaptureError: Error, Hashable, Sendable {
  /// The stable, machine-readable reason. The raw value is `ErrorInfo.reason` on the wire; each reason maps to exactly
  /// one gRPC code.
  public enum Reason: String, Sendable, CaseIterable {
    case deviceNotFound = "DEVICE_NOT_FOUND"
    case deviceInUse = "DEVICE_IN_USE"
    case deviceDisconnected = "DEVICE_DISCONNECTED"
    case deviceNotResponding = "DEVICE_NOT_RESPONDING"
    case deviceAccessDenied = "DEVICE_ACCESS_DENIED"
    case deviceFailed = "DEVICE_FAILED"
    case noSignal = "NO_SIGNAL"
    case deviceClaimed = "DEVICE_CLAIMED"
    case controlNotFound = "CONTROL_NOT_FOUND"
    case controlWrongType = "CONTROL_WRONG_TYPE"
    case controlReadOnly = "CONTROL_READ_ONLY"
    case controlInactive = "CONTROL_INACTIVE"
    case controlGrabbed = "CONTROL_GRABBED"
    case bandwidthExceeded = "BANDWIDTH_EXCEEDED"
    case hardwareCostExceeded = "HARDWARE_COST_EXCEEDED"
    case noLowerCost = "NO_LOWER_COST"
    case formatNotSupported = "FORMAT_NOT_SUPPORTED"
    case notSupportedInConfiguration = "NOT_SUPPORTED_IN_CONFIGURATION"
    case noInput = "NO_INPUT"
    case noOutput = "NO_OUTPUT"
    case outputNotFound = "OUTPUT_NOT_FOUND"
    case outputRemoved = "OUTPUT_REMOVED"
    case sessionNotFound = "SESSION_NOT_FOUND"
    case sessionExists = "SESSION_EXISTS"
    case sessionNotRunning = "SESSION_NOT_RUNNING"
    case sessionDeclared = "SESSION_DECLARED"
    case automaticDeferredStart = "AUTOMATIC_DEFERRED_START"
    case etagMismatch = "ETAG_MISMATCH"
    case eventsLost = "EVENTS_LOST"
    case invalidArgument = "INVALID_ARGUMENT"
    case unsupportedValue = "UNSUPPORTED_VALUE"
    case messageLimit = "MESSAGE_LIMIT"
    case settingsIDReused = "SETTINGS_ID_REUSED"
    case captureNotFound = "CAPTURE_NOT_FOUND"
    case captureNotFinished = "CAPTURE_NOT_FINISHED"
    case recordingNotFound = "RECORDING_NOT_FOUND"
    case recordingExists = "RECORDING_EXISTS"
    case recordingInProgress = "RECORDING_IN_PROGRESS"
    case recordingEnded = "RECORDING_ENDED"
    case diskFull = "DISK_FULL"
    case recordingNotExportable = "RECORDING_NOT_EXPORTABLE"
    case writerNotFound = "WRITER_NOT_FOUND"
    case writerNotStarted = "WRITER_NOT_STARTED"
    case writerStarted = "WRITER_STARTED"
    case writerEnded = "WRITER_ENDED"
    case videoStorageNotSupported = "VIDEO_STORAGE_NOT_SUPPORTED"
    case videoStorageNotConfigured = "VIDEO_STORAGE_NOT_CONFIGURED"
    case videoStorageBusy = "VIDEO_STORAGE_BUSY"
    case videoStorageFull = "VIDEO_STORAGE_FULL"
    case assetNotFound = "ASSET_NOT_FOUND"
    case invalidResource = "INVALID_RESOURCE"
    case libraryFull = "LIBRARY_FULL"
    case libraryUnavailable = "LIBRARY_UNAVAILABLE"
    case permissionRequired = "PERMISSION_REQUIRED"
    case operatorRequired = "OPERATOR_REQUIRED"
    case streamNotFound = "STREAM_NOT_FOUND"
    case systemPressure = "SYSTEM_PRESSURE"
    case systemSuspend = "SYSTEM_SUSPEND"
    case operationInterrupted = "OPERATION_INTERRUPTED"
    case tooManyRequests = "TOO_MANY_REQUESTS"
    case outOfBuffers = "OUT_OF_BUFFERS"
    case frameDamaged = "FRAME_DAMAGED"
    case processingFailed = "PROCESSING_FAILED"
    case shuttingDown = "SHUTTING_DOWN"
  }

  /// The stable, machine-readable reason.
  public var reason: Reason
  /// A short text for people that says what happened and what to do.
  public var message: String
  /// The values that the message names, by name.
  public var metadata: [String: String]
  /// The request field that caused the error, as a path such as `configuration.inputs[0].device`; nil when no field
  /// caused it.
  public var field: String?

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - message: a short text for people that says what happened and what to do.
  ///   - metadata: the values that the message names, by name.
  ///   - field: the path of the request field that caused the error; nil when no field caused it.
  public init(_ reason: Reason, _ message: String, metadata: [String: String] = [:], field: String? = nil) {
    self.reason = reason
    self.message = message
    self.metadata = metadata
    self.field = field
  }
}

extension CaptureError {
  /// The system refused something.
  ///
  /// - Parameters:
  ///   - action: the beginning of the sentence, which says what was refused.
  ///   - number: the number of the system's error.
  public static func system(_ action: String, _ number: Int32) -> CaptureError {
    let cause = String(cString: strerror(number))
    return CaptureError(.processingFailed, "\(action): \(cause).", metadata: ["errno": "\(number)", "cause": cause])
  }

  /// The system refused something, and said in `errno` why.
  ///
  /// - Parameter action: the beginning of the sentence, which says what was refused.
  public static func system(_ action: String) -> CaptureError { system(action, errno) }

  /// The number of the system's error that caused this one; nil for another cause.
  public var errorNumber: Int32? { metadata["errno"].flatMap { Int32($0) } }
}

/// Makes names that cannot be guessed and never repeat, for streams, for event logs and for runs of the daemon.
public enum RandomToken {
  /// Makes a name from the system's random number generator.
  ///
  /// - Parameter words: how many random numbers of 64 bits the name has.
  /// - Returns: 16 hexadecimal digits for each word.
  public static func make(words: Int = 2) -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<words).map { _ in
      let digits = String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}

/// Writes durations in texts for people.
enum Seconds {
  /// The duration in seconds with one decimal, rounded down, for example `"2.4"`.
  static func tenths(_ nanoseconds: UInt64) -> String {
    let tenths = nanoseconds / 100_000_000
    return "\(tenths / 10).\(tenths % 10)"
  }
}
