public import CaptureCore
internal import Glibc

extension CaptureError {
  /// The error number of the system that caused the error; nil for another cause. ``MovieFileSink`` sets it.
  public var errorNumber: Int32? { metadata["errno"].flatMap { Int32($0) } }

  /// A movie cannot be written because the system refused.
  static func writing(_ number: Int32) -> CaptureError {
    let cause = String(cString: strerror(number))
    return CaptureError(
      .processingFailed, "The movie cannot be written: \(cause).", metadata: ["errno": "\(number)", "cause": cause])
  }

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
