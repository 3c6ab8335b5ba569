internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import RPCCore
internal import SwiftProtobuf
internal import SystemClocks

extension SessionHandlers {
  func watchSession(
    _ request: Firstlight_V1_WatchSessionRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_WatchSessionResponse>
  ) async throws {
    let session = try await sessions.session(named: request.name, field: "name")
    try await session.idle.whileAttached { try await watch(session, after: request.afterEventID, writer) }
  }

  /// Sends the events of a session. The caller says whether the stream counts as a use of the session.
  ///
  /// - Parameter eventID: the id of the event after which the events begin; empty for a snapshot and the events after
  ///   it.
  func watch(
    _ session: CaptureSession, after eventID: String, _ writer: ResponseWriter<Firstlight_V1_WatchSessionResponse>
  ) async throws {
    var position: UInt64
    if !eventID.isEmpty {
      position = try session.events.number(of: eventID)
    } else {
      let snapshot = await session.snapshot()
      position = snapshot.eventID
      try await writer.write(
        .with {
          $0.event = .with {
            $0.eventID = session.events.eventID(snapshot.eventID)
            $0.eventTime = .init(.now())
            $0.snapshot = snapshot.proto
          }
        })
    }
    while true {
      let entry = try await session.events.entry(after: position)
      position = entry.id
      try await writer.write(.with { $0.event = entry.proto(eventID: session.events.eventID(entry.id)) })
    }
  }
}

extension SessionHandlers {
  func watchAudioLevels(
    _ request: Firstlight_V1_WatchAudioLevelsRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_WatchAudioLevelsResponse>
  ) async throws {
    let session = try await sessions.session(named: request.name, field: "name")
    try await session.idle.whileAttached { try await watchAudioLevels(of: session, writer) }
  }

  /// Sends the levels of sound of a session. The caller says whether the stream counts as a use of the session.
  func watchAudioLevels(
    of session: CaptureSession, _ writer: ResponseWriter<Firstlight_V1_WatchAudioLevelsResponse>
  ) async throws {
    for try await levels in session.audioLevels.watch() {
      try await writer.write(.with { $0.audioLevels = levels.proto })
    }
    // The stream of levels ends without an error only when the task is cancelled.
    try Task.checkCancellation()
  }
}

extension AudioLevels.Reading {
  fileprivate var proto: Firstlight_V1_AudioLevels {
    .with {
      $0.input = input
      $0.captureTime = Google_Protobuf_Timestamp(WallClock.shared.wallInstant(at: reading.end))
      $0.monotonicTimeNs = reading.end.nanoseconds
      $0.channelLevels = reading.levels.map { level in
        .with { ($0.averageLevel, $0.peakLevel) = (Double(level.rms), Double(level.peak)) }
      }
    }
  }
}
