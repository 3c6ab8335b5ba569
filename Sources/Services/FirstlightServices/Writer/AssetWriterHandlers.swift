internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import MovieRecording
internal import RPCCore
internal import SwiftProtobuf

/// The handlers of AssetWriterService. Those of AppendSamples, AttachToOutput and WatchWriter are in files of their
/// own.
struct AssetWriterHandlers: Sendable {
  let sessions: SessionRegistry
  let writers: AssetWriters
  let videoStorage: VideoStorageRule
  let changes: ChangeLog

  func register(on router: inout RPCRouter) {
    router.unary(Firstlight_V1_AssetWriterService.createWriter, loggedBy: changes, createWriter)
    router.unary(Firstlight_V1_AssetWriterService.configureWriter, configureWriter)
    router.unary(Firstlight_V1_AssetWriterService.getWriter, getWriter)
    router.unary(Firstlight_V1_AssetWriterService.listWriters, listWriters)
    router.unary(Firstlight_V1_AssetWriterService.startWriting, startWriting)
    router.bidirectional(Firstlight_V1_AssetWriterService.appendSamples, requests: .large, appendSamples)
    router.unary(Firstlight_V1_AssetWriterService.attachToOutput, loggedBy: changes, attachToOutput)
    router.unary(Firstlight_V1_AssetWriterService.endSession, endSession)
    router.unary(Firstlight_V1_AssetWriterService.finishWriting, loggedBy: changes, finishWriting)
    router.unary(Firstlight_V1_AssetWriterService.cancelWriting, loggedBy: changes, cancelWriting)
    router.serverStreaming(Firstlight_V1_AssetWriterService.watchWriter, watchWriter)
  }

  private func createWriter(
    _ request: Firstlight_V1_CreateWriterRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_CreateWriterResponse {
    let configuration = try WriterConfiguration(request.writerConfiguration)
    try await videoStorage.check(configuration)
    let writer = try await writers.create(configuration)
    return .with { $0.writer = writer.state.proto }
  }

  private func configureWriter(
    _ request: Firstlight_V1_ConfigureWriterRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_ConfigureWriterResponse {
    let writer = try writer(request.name)
    let configuration = try WriterConfiguration(request.writerConfiguration)
    try await configuration.checkOnThread()
    try await videoStorage.check(configuration)
    try writer.configure(configuration)
    return .with { $0.writer = writer.state.proto }
  }

  private func getWriter(
    _ request: Firstlight_V1_GetWriterRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetWriterResponse {
    let writer = try writer(request.name)
    return .with { $0.writer = writer.state.proto }
  }

  private func listWriters(
    _ request: Firstlight_V1_ListWritersRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_ListWritersResponse {
    let (page, next) = try Paging.page(
      of: writers.all, by: \.id, size: request.pageSize, token: request.pageToken, query: "ListWriters")
    return .with {
      $0.writers = page.map(\.proto)
      $0.nextPageToken = next
    }
  }

  private func startWriting(
    _ request: Firstlight_V1_StartWritingRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_StartWritingResponse {
    let writer = try writer(request.name)
    try await writer.start()
    return .with { $0.writer = writer.state.proto }
  }

  private func endSession(
    _ request: Firstlight_V1_EndSessionRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_EndSessionResponse {
    let writer = try writer(request.name)
    try writer.endSession()
    return .with { $0.writer = writer.state.proto }
  }

  private func finishWriting(
    _ request: Firstlight_V1_FinishWritingRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_FinishWritingResponse {
    let writer = try writer(request.name)
    try await writer.finish()
    return .with { $0.writer = writer.state.proto }
  }

  private func cancelWriting(
    _ request: Firstlight_V1_CancelWritingRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_CancelWritingResponse {
    let writer = try writer(request.name)
    try await writer.cancel()
    return .with { $0.writer = writer.state.proto }
  }

  /// The writer that a request names.
  ///
  /// - Throws: `invalidArgument`, `writerNotFound`.
  func writer(_ name: String, field: String = "name") throws(CaptureError) -> AssetWriter {
    try writers.writer(ResourceName.id(in: name, "writers", field: field))
  }
}
