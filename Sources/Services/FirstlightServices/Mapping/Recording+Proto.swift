internal import CaptureCore
internal import FirstlightAPI
internal import MovieRecording
internal import SwiftProtobuf
internal import SystemClocks
internal import VideoCoding
internal import VideoStorage

extension RecordingRecord {
  /// The recording as clients get it.
  var proto: Firstlight_V1_Recording {
    .with {
      $0.name = "recordings/\(id)"
      $0.session = isOfWriter ? "" : "sessions/\(session)"
      $0.output = output
      $0.device = ResourceName.camera(device)
      $0.state = state.proto
      $0.file = file
      $0.container = container.proto
      $0.codec = codec.proto
      $0.size = size.proto
      $0.requestTime = .init(requestTime)
      if let startTime { $0.startTime = .init(startTime) }
      $0.startMonotonicTimeNs = startMonotonic?.nanoseconds ?? 0
      $0.recordedDuration = .init(nanoseconds: Int64(clamping: duration))
      $0.recordedFileSize = tally.fileSize
      $0.frameCount = tally.frames
      $0.dropped = tally.dropped.proto
      if let end { $0.end = end.proto }
      $0.playable = isUsable
      $0.continuous = isSegment
      $0.isOptimizedForNetworkUse = isOptimizedForNetworkUse
      $0.audioTracks = audioTracks.enumerated().map { index, track in
        .with {
          $0.input = track.input
          $0.audioCodec = audioCodec.proto
          $0.audioFormat = track.format.proto
          let silence = tally.silence.indices.contains(index) ? tally.silence[index] : 0
          $0.silentDuration = .init(nanoseconds: Int64(clamping: silence))
        }
      }
      $0.pauses = pauses.map { pause in
        .with {
          $0.movieTime = .init(nanoseconds: Int64(clamping: pause.movieTime))
          $0.duration = .init(nanoseconds: Int64(clamping: pause.duration))
        }
      }
      if preRoll > 0 { $0.preRollDuration = .init(nanoseconds: Int64(clamping: preRoll)) }
    }
  }
}

extension RecordingRecord.State {
  var proto: Firstlight_V1_Recording.State {
    switch self {
    case .starting: .starting
    case .recording: .recording
    case .paused: .paused
    case .finishing: .finishing
    case .finished: .finished
    }
  }
}

extension RecordingEnd {
  fileprivate var proto: Firstlight_V1_RecordingEnd {
    .with {
      switch self {
      case .stopped: $0.cause = .stopped
      case .maximumDuration: $0.cause = .maxRecordedDuration
      case .maximumFileSize: $0.cause = .maxRecordedFileSize
      case .minimumFreeSpace: $0.cause = .minFreeDiskSpace
      case .nextSegment: $0.cause = .nextSegment
      case .session(let error): ($0.cause, $0.error) = (.session, error.status)
      case .failed(let error): ($0.cause, $0.error) = (.failed, error.status)
      case .interrupted: $0.cause = .daemonEnded
      }
    }
  }
}

extension EventLog.Entry where Payload == Recording.News {
  /// The event as clients get it.
  var proto: Firstlight_V1_RecordingEvent {
    .with {
      $0.recording = payload.record.proto
      $0.eventTime = .init(time)
      switch payload.kind {
      case .accepted: $0.accepted = .init()
      case .started: $0.started = .init()
      case .paused: $0.paused = .init()
      case .resumed: $0.resumed = .init()
      case .willFinish: $0.willFinish = .init()
      case .finished: $0.finished = .init()
      }
    }
  }
}

extension MovieContainer {
  /// Reads the container that a client asks for. A client that names none gets the first that holds the codecs.
  ///
  /// - Throws: `invalidArgument` for a value that this version does not know.
  init(
    _ proto: Firstlight_V1_MovieContainer, for codec: MovieCodec, _ audio: AudioCodec?, field: String = "container"
  ) throws(CaptureError) {
    switch proto {
    case .unspecified: self = .usual(for: codec, audio)
    case .mp4: self = .mp4
    case .mov: self = .mov
    case .matroska: self = .matroska
    case .mpegTs: self = .mpegTS
    case .UNRECOGNIZED(let value): throw Validation.unknownEnum(value, field: field)
    }
  }

  var proto: Firstlight_V1_MovieContainer {
    switch self {
    case .mp4: .mp4
    case .mov: .mov
    case .matroska: .matroska
    case .mpegTS: .mpegTs
    }
  }
}

extension VideoStorageState {
  /// The state as clients get it.
  var proto: Firstlight_V1_VideoStorage {
    .with {
      $0.supported = unsupportedReason == nil
      $0.unsupportedReason = unsupportedReason ?? ""
      $0.initialCapacity = initialCapacity
      $0.remainingCapacity = remainingCapacity
      $0.busy = busyReason != nil
      $0.busyReasons = busyReason.map { [$0.proto] } ?? []
      if let failure { $0.error = ErrorMapping.status(failure) }
    }
  }
}

extension VideoStorageState.BusyReason {
  fileprivate var proto: Firstlight_V1_VideoStorage.BusyReason {
    switch self {
    case .adjustingCapacity: .adjustingCapacity
    case .replenishing: .replenishing
    case .capturing: .capturing
    }
  }
}
