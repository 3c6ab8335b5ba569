public import SystemClocks

/// What happens to a recording, in this order: `started`, any number of `paused`, `resumed` and `continued`,
/// `willFinish`,
/// `finished`. A recording without a frame never starts, but it finishes like any other, and exactly once.
public enum RecordingEvent: Hashable, Sendable {
  /// The movie has its first frame, with this time stamp.
  case started(MonotonicInstant)
  /// A client paused the recording: frames are left out of the movie from now on, and it gets no gap there.
  case paused
  /// A client resumed the recording: the next frame follows the last one before the pause.
  case resumed
  /// The movie has its first frame after a pause, whose length is known by now. Clients are not told.
  case continued
  /// The movie has its last frame, and its file is being completed.
  case willFinish(RecordingEnd)
  /// The file is complete and on the disk, or the recording failed.
  case finished(RecordingEnd)
}
