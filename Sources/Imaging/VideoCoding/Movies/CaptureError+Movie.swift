internal import CaptureCore

extension CaptureError {
  /// A movie cannot be written because the system refused.
  static func writing(_ number: Int32) -> CaptureError { .system(MovieFileSink.action, number) }

  /// A movie cannot be made with the libraries that are installed.
  static func withoutLibrary(_ cause: String) -> CaptureError {
    CaptureError(
      .formatNotSupported, "The movie cannot be made: \(cause); install FFmpeg's libraries, or ask for another codec.",
      metadata: ["cause": cause])
  }
}

/// Calls a function of C that writes a message when it fails.
func withMessage<R>(_ body: (UnsafeMutablePointer<CChar>) -> R) -> (R, message: String) {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: 160) { message in
    message.initialize(repeating: 0)
    let result = body(message.baseAddress!)
    return (result, String(cString: message.baseAddress!))
  }
}
