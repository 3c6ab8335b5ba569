public import CaptureCore

/// Why a recording ended. The file of a recording plays whatever the reason is, unless nothing was written.
public enum RecordingEnd: Hashable, Sendable {
  /// A client stopped it.
  case stopped
  /// The movie reached its longest duration.
  case maximumDuration
  /// The file reached the size at which the recording ends.
  case maximumFileSize
  /// The file system has only the free space at which the recording ends.
  case minimumFreeSpace
  /// The continuous recording goes on in the next segment, which begins with the next frame.
  case nextSegment
  /// The session stopped, was interrupted or was given another configuration.
  case session(CaptureError)
  /// The movie could not be encoded or written.
  case failed(CaptureError)
  /// The daemon ended before the recording was finished. The text says what the repair of the file found.
  case interrupted(String)

  /// The end of a recording that an error befell while it was ending for this reason. The first failure counts, because
  /// the later ones often follow from it.
  func followed(by error: CaptureError) -> RecordingEnd {
    if case .failed = self { self } else { .failed(error) }
  }

  /// The end of a recording whose daemon ended too early. `problem` says what the repair found.
  static func daemonEnded(_ problem: String?) -> RecordingEnd {
    let texts = ["The daemon ended before the recording was finished.", problem]
    return .interrupted(texts.compactMap(\.self).joined(separator: " "))
  }

  /// Whether a continuous recording has to try again after this end.
  var isFailure: Bool {
    switch self {
    case .failed, .minimumFreeSpace: true
    case .stopped, .maximumDuration, .maximumFileSize, .nextSegment, .session, .interrupted: false
    }
  }
}
