internal import CaptureCore
internal import FirstlightAPI
internal import Locking
internal import MovieRecording
internal import RPCCore
internal import ServiceLifecycle
internal import SwiftProtobuf

extension AssetWriterHandlers {
  func appendSamples(
    _ requests: RequestStream<Firstlight_V1_AppendSamplesRequest>, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_AppendSamplesResponse>
  ) async throws {
    var iterator = requests.makeAsyncIterator()
    guard case .writerName(let name)? = try await iterator.next()?.content else {
      throw CaptureError(.invalidArgument, "The first request must be writer_name.", field: "writer_name")
    }
    let assetWriter = try self.writer(name, field: "writer_name")
    try await assetWriter.whileUsed {
      let (states, end) = assetWriter.states()
      let source = try assetWriter.beginAppending(whenEnded: end)
      defer { assetWriter.endAppending(source) }
      let appending = Appending()
      await withDiscardingTaskGroup { group in
        group.addTask {
          do {
            for try await request in requests { try await append(request, to: assetWriter, from: source) }
            appending.end(.success(()))
          } catch { appending.end(.failure(error)) }
          end()
        }
        // The states are sent in the group's parent task, because cancelling a write in the middle of a message would
        // break off the call, and the client would not get its status.
        do {
          for await state in states.cancelOnGracefulShutdown() {
            try await writer.write(.with { $0.writer = state.proto })
          }
          appending.end(.failure(source.ending ?? Self.shuttingDown))
        } catch { appending.end(.failure(error)) }
        group.cancelAll()
      }
      try await writer.write(.with { $0.writer = assetWriter.state.proto })
      try appending.outcome.get()
    }
  }

  private static var shuttingDown: CaptureError {
    CaptureError(.shuttingDown, "The daemon is shutting down; connect again later.")
  }

  private func append(
    _ request: Firstlight_V1_AppendSamplesRequest, to writer: AssetWriter, from source: WriterSource
  ) async throws {
    guard case .sample(let sample) = request.content else {
      throw CaptureError(
        .invalidArgument, "Only the first request is writer_name; all later ones are sample.", field: "sample")
    }
    try await writer.append(sample.data, to: sample.input, at: sample.presentationTimeNs, from: source)
  }
}

/// How the appending of a call's samples ended: what ends it first counts. Thread-safe.
private final class Appending: Sendable {
  private let first = Locked<Result<Void, any Error>?>(nil)

  /// The outcome. Success until something ends the appending.
  var outcome: Result<Void, any Error> { first.withLock { $0 } ?? .success(()) }

  func end(_ outcome: Result<Void, any Error>) { first.withLock { if $0 == nil { $0 = outcome } } }
}
