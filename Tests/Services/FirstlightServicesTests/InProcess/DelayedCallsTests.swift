import FirstlightAPI
import FirstlightTestKit
import RPCCore
import SwiftProtobuf
import Testing

/// What DelayedFeedService refuses.
@Suite(.timeLimit(.minutes(1))) struct DelayedCallsTests {
  private typealias Service = Firstlight_V1_DelayedFeedService
  private typealias Frames = Firstlight_V1_StreamDelayedFramesRequest
  private typealias Chunks = Firstlight_V1_StreamDelayedChunksRequest

  @Test(arguments: [
    (Frames.with { ($0.delay.seconds, $0.delay.nanos) = (60, 1) }, "INVALID_ARGUMENT INVALID_ARGUMENT", ["delay"]),
    (.with { ($0.delay.seconds, $0.output) = (1, "nothing") }, "NOT_FOUND OUTPUT_NOT_FOUND", ["output"]),
    (.with { ($0.delay.seconds, $0.jpegQuality) = (1, 0) }, "INVALID_ARGUMENT INVALID_ARGUMENT", ["jpeg_quality"]),
  ]) func framesThatCannotBeAreRefusedByName(
    _ request: Firstlight_V1_StreamDelayedFramesRequest, _ summary: String, _ fields: [String]
  ) async throws {
    try await InProcessDaemon.run { daemon in
      var request = request
      request.session = try await daemon.createSession(.small()).name
      let error = try await daemon.refusal(of: Service.streamDelayedFrames, request)
      #expect(error.summary == summary)
      #expect(error.fields == fields)
    }
  }

  @Test(arguments: [
    (Chunks.with { $0.latency.nanos = 400_000_000 }, "latency"), (.with { $0.latency.seconds = 61 }, "latency"),
    (.with { ($0.latency.seconds, $0.rotation) = (1, 45) }, "rotation"),
  ]) func chunksThatCannotBeAreRefusedByName(
    _ request: Firstlight_V1_StreamDelayedChunksRequest, _ field: String
  ) async throws {
    try await InProcessDaemon.run { daemon in
      var request = request
      request.session = try await daemon.createSession(.small()).name
      let error = try await daemon.refusal(of: Service.streamDelayedChunks, request)
      #expect(error.summary == "INVALID_ARGUMENT INVALID_ARGUMENT")
      #expect(error.fields == [field])
    }
  }

  @Test func noSessionHasNoFeed() async throws {
    try await InProcessDaemon.run { daemon in
      let frames = try await daemon.refusal(
        of: Service.streamDelayedFrames, Frames.with { ($0.session, $0.delay.seconds) = ("sessions/nobody", 1) })
      #expect(frames.summary == "NOT_FOUND SESSION_NOT_FOUND")
      let chunks = try await daemon.refusal(
        of: Service.streamDelayedChunks, Chunks.with { ($0.session, $0.latency.seconds) = ("sessions/nobody", 1) })
      #expect(chunks.summary == "NOT_FOUND SESSION_NOT_FOUND")
    }
  }

  @Test func thereIsALimitOfReaders() async throws {
    try await InProcessDaemon.run { daemon in
      let session = try await daemon.createSession(.small()).name
      let frames = Frames.with { ($0.session, $0.delay.seconds) = (session, 60) }
      for _ in 0..<64 {
        let reader: ResponseStream<Firstlight_V1_StreamDelayedFramesResponse> = try daemon.stream(
          Service.streamDelayedFrames, frames)
        #expect(try await reader.next() != nil)
      }
      let manyFrames = try await daemon.refusal(of: Service.streamDelayedFrames, frames)
      #expect(manyFrames.summary == "RESOURCE_EXHAUSTED TOO_MANY_REQUESTS")
      let chunks = Chunks.with { ($0.session, $0.latency.seconds) = (session, 60) }
      for _ in 0..<16 {
        let reader: ResponseStream<Firstlight_V1_StreamDelayedChunksResponse> = try daemon.stream(
          Service.streamDelayedChunks, chunks)
        #expect(try await reader.next() != nil)
      }
      let manyChunks = try await daemon.refusal(of: Service.streamDelayedChunks, chunks)
      #expect(manyChunks.summary == "RESOURCE_EXHAUSTED TOO_MANY_REQUESTS")
    }
  }
}
