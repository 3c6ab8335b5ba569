internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import Foundation
internal import MovieRecording
internal import RPCCore
internal import SwiftProtobuf
internal import SystemClocks

/// The handlers of RecordingService. Those of StartRecording, ListRecordings, DownloadRecording and of
/// ExportRecording with ListRecordingSpans are in files of their own.
struct RecordingHandlers: RecordingServiceHandler {
  let sessions: SessionRegistry
  let recordings: Recordings
  let exports: RecordingExports

  func stopRecording(
    _ request: Firstlight_V1_StopRecordingRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_StopRecordingResponse {
    let id = try Self.id(request.name)
    let record =
      if let recording = recordings.live(id) { await recording.stop() } else { try await recordings.record(id) }
    if record.isSegment, record.state != .finished { throw Self.isSegment(id) }
    return .with { $0.recording = record.proto }
  }

  func pauseRecording(
    _ request: Firstlight_V1_PauseRecordingRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_PauseRecordingResponse {
    let recording = try await live(request.name)
    try recording.pause()
    return .with { $0.recording = recording.record.proto }
  }

  func resumeRecording(
    _ request: Firstlight_V1_ResumeRecordingRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_ResumeRecordingResponse {
    let recording = try await live(request.name)
    try recording.resume()
    return .with { $0.recording = recording.record.proto }
  }

  func getRecording(
    _ request: Firstlight_V1_GetRecordingRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetRecordingResponse {
    let record = try await recordings.record(Self.id(request.name))
    return .with { $0.recording = record.proto }
  }

  func deleteRecording(
    _ request: Firstlight_V1_DeleteRecordingRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_DeleteRecordingResponse {
    let id = try Self.id(request.name)
    let record = try await recordings.record(id)
    // What the configuration file has recorded goes by its limits, or by the operator.
    if record.isSegment, recordings.recordsContinuously(record.session) {
      try OperatorRight.check(context, "delete a segment of session \(record.session)", session: record.session)
    }
    try await recordings.store.delete(id)
    return .init()
  }

  /// Returns the recording that a request names while it is being made.
  ///
  /// - Throws: `invalidArgument`, `recordingNotFound`, `recordingEnded`; `notSupportedInConfiguration` for a segment.
  private func live(_ name: String) async throws(CaptureError) -> Recording {
    let id = try Self.id(name)
    if let recording = recordings.live(id) { return recording }
    let record = try await recordings.record(id)
    if record.isSegment, record.state != .finished { throw Self.isSegment(id) }
    throw CaptureError(
      .recordingEnded, "Recording \(id) has ended; start another one.", metadata: ["recording": id])
  }

  private static func isSegment(_ id: String) -> CaptureError {
    CaptureError(
      .notSupportedInConfiguration,
      "Recording \(id) is a segment of a continuous recording, which goes on as long as its session runs; stop the "
        + "session.", metadata: ["recording": id])
  }

  /// Returns the id in the name of a recording, from the request's field `name`.
  static func id(_ name: String) throws(CaptureError) -> String {
    try ResourceName.id(in: name, "recordings", field: "name")
  }
}

extension RecordingHandlers {
  func listRecordings(
    _ request: Firstlight_V1_ListRecordingsRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_ListRecordingsResponse {
    if case .UNRECOGNIZED(let value) = request.state { throw Validation.unknownEnum(value, field: "state") }
    let session =
      try request.session.isEmpty ? nil : ResourceName.id(in: request.session, "sessions", field: "session")
    let times = try Validation.timeRange(
      request.hasStartTime ? request.startTime : nil, request.hasEndTime ? request.endTime : nil)
    let found = try await recordings.all().filter { record in
      (session == nil || record.session == session)
        && (request.output.isEmpty || record.output == request.output)
        && (request.state == .unspecified || record.state.proto == request.state)
        && times.contains(record.requestTime)
    }
    let range = "\(times.lowerBound.nanoseconds)..<\(times.upperBound.nanoseconds)"
    let (page, next) = try Paging.page(
      of: found, by: { Paging.key($0.requestTime.nanoseconds) + $0.id }, isDescending: true, size: request.pageSize,
      token: request.pageToken,
      query: "ListRecordings \(request.session) \(request.output) \(request.state.rawValue) \(range)")
    let looked = try await recordings.looked(at: page)
    return .with {
      $0.recordings = looked.map(\.proto)
      $0.nextPageToken = next
    }
  }
}

extension RecordingHandlers {
  func downloadRecording(
    _ request: Firstlight_V1_DownloadRecordingRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_DownloadRecordingResponse>
  ) async throws {
    let file = try await recordings.open(Self.id(request.name))
    let count = file.size
    var offset = try Validation.offset(request.offset, of: count)
    while offset < count {
      let bytes = try await file.read(at: offset, count: Int(min(count - offset, UInt64(RecordingFile.maximumRead))))
      guard !bytes.isEmpty else { return }
      try await writer.write(
        .with {
          $0.offset = offset
          $0.data = Data(bytes)
        })
      offset += UInt64(bytes.count)
    }
  }
}
