// StreamPreview as grpc-swift-2 over NIO would serve it. It does the same as ../native_server, which explains usage and
// output.

import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2Posix

/// A serializer of messages that are bytes already.
struct Raw: MessageSerializer, MessageDeserializer {
  func serialize<Bytes: GRPCContiguousBytes>(_ message: [UInt8]) -> Bytes { Bytes(message) }
  func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) -> [UInt8] { bytes.withUnsafeBytes { Array($0) } }
}

struct PreviewService: RegistrableRPCService {
  let camera: Camera

  func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
    let method = MethodDescriptor(fullyQualifiedService: "firstlight.v1.PreviewService", method: "StreamPreview")
    router.registerHandler(forMethod: method, deserializer: Raw(), serializer: Raw()) { _, _ in
      StreamingServerResponse { writer in
        for await message in camera.frames() { try await writer.write(message) }
        return [:]
      }
    }
  }
}

guard CommandLine.arguments.count == 3, let payload = Int(CommandLine.arguments[1]),
  let rate = UInt64(CommandLine.arguments[2])
else { fatalError("usage: swift_server PAYLOAD_BYTES FRAMES_PER_SECOND") }
let camera = Camera(payload: payload, rate: rate)
let transport = HTTP2ServerTransport.Posix(
  address: .ipv4(host: "127.0.0.1", port: 0), transportSecurity: .plaintext)
let server = GRPCServer(transport: transport, services: [PreviewService(camera: camera)])
Thread.detachNewThread { camera.run() }
try await withThrowingDiscardingTaskGroup { group in
  group.addTask { try await server.serve() }
  guard let port = try await server.listeningAddress?.ipv4?.port else { fatalError("it does not listen") }
  print("listening on 127.0.0.1:\(port)")
  fflush(nil)
}
