public import CaptureCore
public import SystemClocks
internal import SystemFiles

/// Decides everything about one recording: which frames belong to the movie and where they lie in it, when the
/// recording ends and why, and what its watchers are told. A value without threads.
///
/// Each change leaves actions behind, which ``takeActions()`` returns.
struct RecordingStateMachine: Sendable {
  enum State: Hashable, Sendable {
    /// No frame was taken yet.
    case starting
    case recording
    case paused
    /// The movie has its last frame, and the file is not complete yet.
    case finishing(RecordingEnd)
    case finished(RecordingEnd)
  }

  enum Action: Hashable, Sendable {
    case tell(RecordingEvent)
    /// Completes the file, after the frames that were taken.
    case finish
  }

  private(set) var state = State.starting
  private(set) var timeline = MovieTimeline()
  private let limits: RecordingLimits
  private var actions: [Action] = []

  init(limits: RecordingLimits) { self.limits = limits }

  /// What changes since the last call left to be done, in order.
  mutating func takeActions() -> [Action] {
    defer { actions = [] }
    return actions
  }

  // MARK: Frames

  /// Whether a frame that comes now belongs to the movie.
  var wantsFrames: Bool { state == .starting || state == .recording }

  /// Whether the movie has its last frame.
  var isEnding: Bool { reason != nil }

  /// What ends or has ended the recording. Nil while it takes frames.
  var reason: RecordingEnd? {
    switch state {
    case .starting, .recording, .paused: nil
    case .finishing(let reason), .finished(let reason): reason
    }
  }

  /// Takes a frame of the camera.
  ///
  /// - Parameters:
  ///   - stamp: the frame's time stamp.
  ///   - period: the time for which the frame is shown when no frame follows, in nanoseconds.
  /// - Returns: the frame's time in the movie, in nanoseconds; nil when the frame does not belong to the movie.
  mutating func take(_ stamp: MonotonicInstant, period: UInt64) -> UInt64? {
    guard wantsFrames else { return nil }
    var placed = timeline
    guard let time = placed.place(stamp, period: period) else { return nil }
    if let limit = limits.duration, placed.duration > limit, time > 0 {
      end(.maximumDuration)
      return nil
    }
    if placed.pauses.count > timeline.pauses.count { actions.append(.tell(.continued)) }
    timeline = placed
    if state == .starting {
      state = .recording
      actions.append(.tell(.started(stamp)))
    }
    return time
  }

  // MARK: Clients

  /// Leaves frames out from now on.
  ///
  /// - Returns: false once the recording ends, which nothing changes any more.
  mutating func pause() -> Bool {
    switch state {
    case .paused: return true
    case .starting, .recording:
      state = .paused
      timeline.cut()
      actions.append(.tell(.paused))
      return true
    case .finishing, .finished: return false
    }
  }

  /// Takes frames again.
  ///
  /// - Returns: false once the recording ends, which nothing changes any more.
  mutating func resume() -> Bool {
    switch state {
    case .starting, .recording: return true
    case .paused:
      // A recording that was paused before its first frame still has to start.
      state = timeline.duration > 0 ? .recording : .starting
      actions.append(.tell(.resumed))
      return true
    case .finishing, .finished: return false
    }
  }

  /// Ends the recording. Only the first reason counts.
  mutating func end(_ reason: RecordingEnd) {
    switch state {
    case .starting, .recording, .paused:
      state = .finishing(reason)
      actions += [.tell(.willFinish(reason)), .finish]
    case .finishing, .finished: return
    }
  }

  // MARK: The file

  /// Decides whether a frame that was taken is written. At a limit of the file the movie ends before the frame, also
  /// when later frames were taken already: neither an encoder that holds frames back nor a slow disk makes the file
  /// larger.
  ///
  /// - Parameters:
  ///   - duration: the duration of the movie without the frame, in nanoseconds.
  ///   - fileSize: the size of the file with the frame, in bytes.
  ///   - freeSpace: the space that is left with the frame, in bytes; nil when nobody knows.
  mutating func mayWrite(after duration: UInt64, fileSize: UInt64, freeSpace: UInt64?) -> Bool {
    switch state {
    case .finishing(.maximumFileSize), .finishing(.minimumFreeSpace): return false
    case .finished: return true
    case .starting, .recording, .paused, .finishing: break
    }
    guard duration > 0 else { return true }
    let limit: RecordingEnd
    if let most = limits.fileSize, fileSize > most {
      limit = .maximumFileSize
    } else if let least = limits.freeSpace, !DiskShare(leftToOthers: least).fits(freeSpace) {
      limit = .minimumFreeSpace
    } else {
      return true
    }
    // What was taken before another end is written only as far as the limit allows, and the limit is then the end.
    if case .finishing = state { state = .finishing(limit) } else { end(limit) }
    timeline.shorten(to: duration)
    return false
  }

  /// Notes that the file is complete, or that it could not be completed.
  mutating func didClose(_ error: CaptureError?) {
    guard case .finishing(let reason) = state else { return }
    let end = error.map(reason.followed(by:)) ?? reason
    state = .finished(end)
    actions.append(.tell(.finished(end)))
  }
}

/// What happens to a recording, in this order: `started`, any number of `paused`, `resumed` and `continued`,
/// `willFinish`, `finished`. A recording without a frame never starts, but it finishes like any other, and exactly
/// once.
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
