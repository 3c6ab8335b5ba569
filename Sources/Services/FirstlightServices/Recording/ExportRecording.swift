internal import CaptureCore
internal import FirstlightAPI
internal import Foundation
internal import MovieRecording
internal import RPCCore
internal import SwiftProtobuf
internal import SystemClocks

extension RecordingHandlers {
  func exportRecording(
    _ request: Firstlight_V1_ExportRecordingRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_ExportRecordingResponse>
  ) async throws {
    guard let start = WallInstant(request.startTime), request.hasStartTime else {
      throw CaptureError(
        .invalidArgument, "start_time is not a time between 1970 and 2554.",
        metadata: ["seconds": "\(request.startTime.seconds)"], field: "start_time")
    }
    let reader = try await exports.open(
      ExportSpan(
        session: ResourceName.id(in: request.session, "sessions", field: "session"),
        output: request.output.isEmpty ? nil : request.output, start: start,
        duration: request.duration.unsignedNanoseconds ?? 0, isExact: request.hasExact ? request.exact : true))
    let movie = reader.movie
    guard request.offset <= movie.size else {
      throw CaptureError(
        .invalidArgument, "offset is \(request.offset); the movie has \(movie.size) bytes.",
        metadata: ["offset": "\(request.offset)", "byte_count": "\(movie.size)"], field: "offset")
    }
    var offset = request.offset
    repeat {
      let bytes = try await reader.read(at: offset, count: RecordingFile.maximumRead)
      try await writer.write(
        .with {
          $0.offset = offset
          $0.data = Data(bytes)
          guard offset == request.offset else { return }
          $0.movieSize = movie.size
          $0.startTime = Google_Protobuf_Timestamp(movie.startTime)
          $0.container = movie.container.proto
          $0.hiddenDuration = Google_Protobuf_Duration(nanoseconds: Int64(movie.hiddenDuration))
        })
      offset += UInt64(bytes.count)
    } while offset < movie.size
  }

  func listRecordingSpans(
    _ request: Firstlight_V1_ListRecordingSpansRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_ListRecordingSpansResponse {
    let session =
      try request.session.isEmpty ? nil : ResourceName.id(in: request.session, "sessions", field: "session")
    let times = try Validation.timeRange(
      request.hasStartTime ? request.startTime : nil, request.hasEndTime ? request.endTime : nil)
    let spans = try await recordings.spans { record in
      (session == nil || record.session == session)
        && (request.output.isEmpty || record.output == request.output) && record.overlaps(times)
    }
    let range = "\(times.lowerBound.nanoseconds)..<\(times.upperBound.nanoseconds)"
    let (page, next) = try Paging.page(
      of: spans,
      by: { Paging.key($0.startTime.nanoseconds) + $0.recordings[0] }, size: request.pageSize,
      token: request.pageToken, query: "ListRecordingSpans \(request.session) \(request.output) \(range)")
    return .with {
      $0.recordingSpans = page.map(\.proto)
      $0.nextPageToken = next
    }
  }
}

extension RecordingSpan {
  fileprivate var proto: Firstlight_V1_RecordingSpan {
    .with {
      $0.session = "sessions/\(session)"
      $0.output = output
      $0.startTime = Google_Protobuf_Timestamp(startTime)
      $0.endTime = Google_Protobuf_Timestamp(endTime)
      $0.recordingNames = recordings.map { "recordings/\($0)" }
      $0.dropped = dropped.proto
      $0.device = ResourceName.camera(device)
    }
  }
}
