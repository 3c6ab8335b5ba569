public import CaptureCore

/// Why a recording ended. The file of a recording plays whatever the reason is, unless nothing was written.
public enum RecordingEnd: Hashable, Sendable {
  /// A client stopped it.
  case stopped
  /// The movie reached its longest duration.
  case maximumDuration
  /// The file reached its largest size.
  case maximumFileSize
  /// The file system had no more than the free space that the recording leaves.
  case minimumFreeSpace
  /// The session stopped, was interrupted or was given another configuration.
  case session(CaptureError)
  /// The movie could not be encoded or written.
  case failed(CaptureError)
}
