internal import CaptureCore
internal import FirstlightAPI
internal import MovieRecording
internal import RPCCore
internal import SwiftProtobuf
internal import SystemClocks

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
