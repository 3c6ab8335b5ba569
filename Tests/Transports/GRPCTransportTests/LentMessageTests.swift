import RPCCore
import RPCTestKit
import SwiftProtobuf
import Synchronization
import Testing

/// The transport sends lent memory without a copy, and releases the memory exactly once, whatever happens to the call.
/// Memory that is not released would be missing in the pool of frames, and memory that is released twice would be
/// written while it is sent.
@Suite(.timeLimit(.minutes(1)))
struct LentMessageTests {
  /// The header and the lent payload reach the client as one message.
  @Test func headerAndPayloadAreOneMessage() async throws {
    let payload = [UInt8]((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
    try await withServer { router in
      router.serverStreaming(.test("Frames", .serverStreaming)) {
        (_: Text, _, writer: ResponseWriter<Google_Protobuf_BytesValue>) in
        try await writer.write(CountedPayload.message(payload, Signal()))
      }
    } body: { server in
      let call = await server.client().start(.test("Frames"))
      try await call.send(Text())
      let received: Google_Protobuf_BytesValue? = try await call.receive()
      #expect(received.map { [UInt8]($0.value) } == payload)
    }
  }

  /// Each payload of a stream is released exactly once when the client reads the stream to its end.
  @Test func payloadIsReleasedOnceWhenTheStreamCompletes() async throws {
    let released = Signal<Void>()
    let count = 20
    try await withServer { router in
      router.serverStreaming(.test("Frames", .serverStreaming)) {
        (_: Text, _, writer: ResponseWriter<Google_Protobuf_BytesValue>) in
        for _ in 0..<count {
          try await writer.write(CountedPayload.message([UInt8](repeating: 1, count: 10_000), released))
        }
      }
    } body: { server in
      let call = await server.client().start(.test("Frames"))
      try await call.send(Text())
      var messages = 0
      while await call.read() != nil { messages += 1 }
      #expect(messages == count)
      #expect(await call.finish().code == .ok)
      // A payload that is released twice crashes the test, and one that is never released makes the test wait here.
      for _ in 0..<count { #expect(await released.next() != nil) }
    }
  }

  /// Each payload is released when the client cancels the call while writes are under way.
  @Test func payloadIsReleasedWhenTheClientCancels() async throws {
    let made = Atomic(0)
    let released = Signal<Void>()
    let ended = Signal<Int>()
    try await withServer { router in
      router.serverStreaming(.test("Frames", .serverStreaming)) {
        (_: Text, _, writer: ResponseWriter<Google_Protobuf_BytesValue>) in
        do {
          while true {
            made.add(1, ordering: .relaxed)
            try await writer.write(CountedPayload.message([UInt8](repeating: 1, count: 1 << 20), released))
          }
        } catch is CancellationError {
          ended.send(made.load(ordering: .relaxed))
        }
      }
    } body: { server in
      let call = await server.client().start(.test("Frames"))
      try await call.send(Text())
      #expect(await call.read() != nil)
      call.cancel()
      let count = try #require(await ended.next())
      for _ in 0..<count { #expect(await released.next() != nil) }
      #expect(await call.finish().code == .cancelled)
    }
  }

  /// Several streams can write the same message at once, and the payload is released after the last write.
  @Test func sharedPayloadServesManyStreams() async throws {
    let released = Signal<Void>()
    try await withServer { router in
      let message = CountedPayload.message([UInt8](repeating: 7, count: 300_000), released)
      router.serverStreaming(.test("Frames", .serverStreaming)) {
        (_: Text, _, writer: ResponseWriter<Google_Protobuf_BytesValue>) in
        for _ in 0..<3 { try await writer.write(message) }
      }
    } body: { server in
      try await withThrowingTaskGroup { group in
        for _ in 0..<8 {
          group.addTask {
            let call = await server.client().start(.test("Frames"))
            try await call.send(Text())
            var count = 0
            while let received: Google_Protobuf_BytesValue = try await call.receive() {
              count += 1
              #expect(received.value.count == 300_000)
              #expect(received.value.allSatisfy { $0 == 7 })
            }
            #expect(count == 3)
            #expect(await call.finish().code == .ok)
          }
        }
        try await group.waitForAll()
      }
    }
    // The message lives until the server's router is freed, because the handler holds it.
    #expect(await released.next() != nil)
  }
}

/// Memory that reports when it is freed.
private final class CountedPayload: LentPayload, @unchecked Sendable {
  private let memory: UnsafeMutableRawBufferPointer
  private let released: Signal<Void>

  init(_ bytes: [UInt8], _ released: Signal<Void>) {
    memory = .allocate(byteCount: bytes.count, alignment: 1)
    memory.copyBytes(from: bytes)
    self.released = released
  }

  deinit {
    memory.deallocate()
    released.send()
  }

  func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try body(UnsafeRawBufferPointer(memory))
  }

  /// Makes a message that is a `BytesValue` with the given bytes.
  static func message(_ bytes: [UInt8], _ released: Signal<Void>) -> LentMessage {
    var header: [UInt8] = [0x0a]
    var length = bytes.count
    while length >= 0x80 {
      header.append(UInt8(length & 0x7f) | 0x80)
      length >>= 7
    }
    header.append(UInt8(length))
    return LentMessage(header: header, payload: CountedPayload(bytes, released))
  }
}
