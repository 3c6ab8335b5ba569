internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import Locking
internal import MovieRecording
internal import RPCCore
internal import ServiceLifecycle
internal import SwiftProtobuf

/// The handlers of AssetWriterService. Those of AppendSamples, AttachToOutput and WatchWriter are in files of their
/// own.
struct AssetWriterHandlers: AssetWriterServiceHandler {
  let sessions: SessionRegistry
  let writers: AssetWriters
  let videoStorage: VideoStorageRule

  func createWriter(
    _ request: Firstlight_V1_CreateWriterRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_CreateWriterResponse {
    let configuration = try WriterConfiguration(request.writerConfiguration)
    try await videoStorage.check(configuration)
    let writer = try await writers.create(configuration)
    return .with { $0.writer = writer.state.proto }
  }

  func configureWriter(
    _ request: Firstlight_V1_ConfigureWriterRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_ConfigureWriterResponse {
    let writer = try writer(request.name)
    let configuration = try WriterConfiguration(request.writerConfiguration)
    try await configuration.checkOnThread()
    try await videoStorage.check(configuration)
    try writer.configure(configuration)
    return .with { $0.writer = writer.state.proto }
  }

  func getWriter(
    _ request: Firstlight_V1_GetWriterRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetWriterResponse {
    let writer = try writer(request.name)
    return .with { $0.writer = writer.state.proto }
  }

  func listWriters(
    _ request: Firstlight_V1_ListWritersRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_ListWritersResponse {
    let (page, next) = try Paging.page(
      of: writers.all, by: \.id, size: request.pageSize, token: request.pageToken, query: "ListWriters")
    return .with {
      $0.writers = page.map(\.proto)
      $0.nextPageToken = next
    }
  }

  func startWriting(
    _ request: Firstlight_V1_StartWritingRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_StartWritingResponse {
    let writer = try writer(request.name)
    try await writer.start()
    return .with { $0.writer = writer.state.proto }
  }

  func endSession(
    _ request: Firstlight_V1_EndSessionRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_EndSessionResponse {
    let writer = try writer(request.name)
    try writer.endSession()
    return .with { $0.writer = writer.state.proto }
  }

  func finishWriting(
    _ request: Firstlight_V1_FinishWritingRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_FinishWritingResponse {
    let writer = try writer(request.name)
    try await writer.finish()
    return .with { $0.writer = writer.state.proto }
  }

  func cancelWriting(
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

extension AssetWriterHandlers {
  func attachToOutput(
    _ request: Firstlight_V1_AttachToOutputRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_AttachToOutputResponse {
    let writer = try writer(request.name)
    let session = try await sessions.session(named: request.session, field: "session")
    let output = try await session.output(request.output, as: MovieOutput.self, named: "movie")
    try await session.whileViewed(since: context.arrival) {
      try await session.awaitStartOnDemand(since: context.arrival)
      try await output.awaitDeferredStart()
      // The writer goes on when the client leaves, and needs the session as long.
      try writer.attach(to: output, whenDetached: session.beginCapture())
    }
    return .with { $0.writer = writer.state.proto }
  }
}

extension AssetWriterHandlers {
  func watchWriter(
    _ request: Firstlight_V1_WatchWriterRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_WatchWriterResponse>
  ) async throws {
    let assetWriter = try self.writer(request.name)
    try await assetWriter.whileUsed {
      for await state in assetWriter.states().0.cancelOnGracefulShutdown() {
        try await writer.write(.with { $0.writer = state.proto })
        if state.isOver { return }
        // Each sample changes the state. Of those that come meanwhile, the newest waits.
        try await Task.sleep(for: .milliseconds(100))
      }
      try Task.checkCancellation()
      throw CaptureError(.shuttingDown, "The daemon is shutting down; connect again later.")
    }
  }
}
