internal import CaptureCore

extension RecordingEnd {
  /// The form of an end on the disk.
  struct Form: Codable {
    enum Kind: String, Codable {
      case stopped, maximumDuration, maximumFileSize, minimumFreeSpace, nextSegment, session, failed, interrupted
    }
    var kind: Kind
    /// The reason of the error, and the error's message. An interrupted recording has only the message.
    var reason, message: String?
    var metadata: [String: String]?

    init(_ end: RecordingEnd) {
      switch end {
      case .stopped: self.init(kind: .stopped)
      case .maximumDuration: self.init(kind: .maximumDuration)
      case .maximumFileSize: self.init(kind: .maximumFileSize)
      case .minimumFreeSpace: self.init(kind: .minimumFreeSpace)
      case .nextSegment: self.init(kind: .nextSegment)
      case .session(let error): self.init(kind: .session, error)
      case .failed(let error): self.init(kind: .failed, error)
      case .interrupted(let text):
        self.init(kind: .interrupted)
        message = text
      }
    }

    private init(kind: Kind, _ error: CaptureError? = nil) {
      self.kind = kind
      reason = error?.reason.rawValue
      message = error?.message
      metadata = error?.metadata
    }

    /// The error. A reason that only another version of the daemon knows becomes `processingFailed`.
    fileprivate var error: CaptureError {
      CaptureError(
        reason.flatMap(CaptureError.Reason.init(rawValue:)) ?? .processingFailed, message ?? "The recording failed.",
        metadata: metadata ?? [:])
    }
  }

  init(_ form: Form) {
    self =
      switch form.kind {
      case .stopped: .stopped
      case .maximumDuration: .maximumDuration
      case .maximumFileSize: .maximumFileSize
      case .minimumFreeSpace: .minimumFreeSpace
      case .nextSegment: .nextSegment
      case .session: .session(form.error)
      case .failed: .failed(form.error)
      case .interrupted: .interrupted(form.message ?? "")
      }
  }
}
