internal import CGRPCTestClient
internal import Dispatch
internal import GoogleRPC
internal import RPCCore
internal import SwiftProtobuf

/// A gRPC client with a connection of its own to the server under test.
final class TestClient: @unchecked Sendable {
  // Unchecked because of the pointer. Channels are thread-safe.
  private let channel: OpaquePointer

  /// Makes a client, which connects when its first call starts.
  ///
  /// - Parameter target: the server's address, `127.0.0.1:4711` or `unix:/path`.
  init(_ target: String) { channel = ctest_channel_create(target) }

  deinit { ctest_channel_destroy(channel) }

  /// Starts a call of any kind.
  func start(
    _ method: MethodName, metadata: (key: String, value: String)? = nil, timeoutMilliseconds: Int64 = -1
  ) async -> TestCall {
    await TestCall.start(on: self) {
      ctest_call_create(self.channel, method.path, metadata?.key, metadata?.value, timeoutMilliseconds)
    }
  }

  /// Starts a call with bytes as metadata. No byte of the value may be 0.
  func start(_ method: MethodName, binaryMetadata: (key: String, value: [CChar])) async -> TestCall {
    await TestCall.start(on: self) {
      (binaryMetadata.value + [0]).withUnsafeBufferPointer {
        ctest_call_create(self.channel, method.path, binaryMetadata.key, $0.baseAddress, -1)
      }
    }
  }

  /// Makes a call with one request and returns its response.
  ///
  /// - Throws: ``TestStatus`` when the call fails.
  func unary<A: Message>(
    _ method: MethodName, _ request: some Message, metadata: (key: String, value: String)? = nil,
    timeoutMilliseconds: Int64 = -1
  ) async throws -> A {
    let call = await start(method, metadata: metadata, timeoutMilliseconds: timeoutMilliseconds)
    try await call.send(request)
    _ = await call.endWrites()
    let response: A? = try await call.receive()
    let status = await call.finish()
    guard status.code == .ok, let response else { throw status }
    return response
  }
}

/// One call. Only one operation may be under way.
final class TestCall: @unchecked Sendable {
  // Unchecked because of the pointer. All functions except `cancel` run on one serial queue.
  private let call: OpaquePointer
  private let queue: DispatchQueue
  private let client: TestClient

  private init(_ call: OpaquePointer, _ queue: DispatchQueue, _ client: TestClient) {
    self.call = call
    self.queue = queue
    self.client = client
  }

  deinit {
    let box = UncheckedPointer(value: call)
    // Destroying the call waits for its status, so the thread that frees this object must not do it.
    queue.async { [client] in
      ctest_call_destroy(box.value)
      _ = client
    }
  }

  fileprivate static func start(
    on client: TestClient, _ create: @escaping @Sendable () -> OpaquePointer
  ) async -> TestCall {
    let queue = DispatchQueue(label: "test.call")
    return await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: TestCall(create(), queue, client)) }
    }
  }

  private func blocking<R: Sendable>(_ body: @escaping @Sendable (OpaquePointer) -> R) async -> R {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: body(self.call)) }
    }
  }

  /// Writes a request. Returns false when the call is broken.
  func write(_ bytes: [UInt8]) async -> Bool {
    await blocking { call in bytes.withUnsafeBytes { ctest_call_write(call, $0.baseAddress, $0.count) } }
  }

  /// Encodes and writes a request. A test learns from the responses and the status whether the server has got the
  /// request.
  func send(_ message: some Message) async throws { _ = await write(try message.serializedBytes()) }

  /// Waits for the next response. Returns nil after the last one, or when the call is broken.
  func receive<M: Message>() async throws -> M? {
    guard let bytes = await read() else { return nil }
    return try M(serializedBytes: bytes)
  }

  /// Tells the server that no more requests will come. Returns false when the call is broken.
  func endWrites() async -> Bool { await blocking { ctest_call_end_writes($0) } }

  /// Waits for the next response as bytes. Returns nil after the last one, or when the call is broken.
  func read() async -> [UInt8]? {
    await blocking { call in
      var message = ctest_bytes()
      guard ctest_call_read(call, &message) else { return nil }
      return [UInt8](message)
    }
  }

  /// Waits for the status.
  func finish() async -> TestStatus {
    await blocking { call in
      TestStatus(
        code: RPCError.Code(rawValue: Int(ctest_call_finish(call)))!,
        message: String(decoding: [UInt8](ctest_call_status_message(call)), as: UTF8.self),
        details: [UInt8](ctest_call_status_details(call)))
    }
  }

  /// Returns the first entry of the trailing metadata under a key, or no bytes when there is none. May be called only
  /// after ``finish()``.
  func trailer(_ key: String) async -> [UInt8] {
    await blocking { [UInt8](ctest_call_trailer($0, key)) }
  }

  /// Cancels the call. May be called from any thread.
  func cancel() { ctest_call_cancel(call) }
}

/// The status of a call as the client received it.
struct TestStatus: Error, Sendable {
  let code: RPCError.Code
  let message: String
  /// The value of `grpc-status-details-bin`.
  let details: [UInt8]

  /// The `google.rpc.Status` in the details.
  var rpcStatus: Google_Rpc_Status { get throws { try Google_Rpc_Status(serializedBytes: details) } }

  /// The first `ErrorInfo` in the details. Nil when there is none.
  var errorInfo: Google_Rpc_ErrorInfo? { detail() }

  /// The reason in ``errorInfo``. Nil when there is none.
  var reason: String? { errorInfo?.reason }

  /// The first `BadRequest` in the details. Nil when there is none.
  var badRequest: Google_Rpc_BadRequest? { detail() }

  private func detail<M: Message>() -> M? {
    guard let any = try? rpcStatus.details.first(where: { $0.isA(M.self) }) else { return nil }
    return try? M(unpackingAny: any)
  }
}

private struct UncheckedPointer: @unchecked Sendable { let value: OpaquePointer }

extension [UInt8] {
  fileprivate init(_ bytes: ctest_bytes) {
    self.init(UnsafeRawBufferPointer(start: bytes.base, count: bytes.count))
  }
}
