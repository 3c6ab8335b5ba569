import FirstlightAPI
import FirstlightTestKit
import RPCCore
import SwiftProtobuf

/// A method of the contract with a request that names a resource in each field for one, read from the descriptor set.
struct ContractMethod {
  let descriptor: MethodDescriptor
  /// The request, all of whose fields are unknown to its type here.
  let request: Anything
  /// The resource names that the access check may read from the request. Empty for a method without such a field.
  let resources: Set<String>

  /// The fields that name what a request is about.
  private static let fields: Set = ["name", "session", "device", "session_id", "writer_name"]

  /// Every method of the descriptor set, those of gRPC's own services too.
  static func all() throws -> [ContractMethod] {
    let files = try Google_Protobuf_FileDescriptorSet(serializedBytes: FirstlightDescriptorSet.bytes).file
    var messages: [String: Google_Protobuf_DescriptorProto] = [:]
    for file in files {
      for message in file.messageType { messages[".\(file.package).\(message.name)"] = message }
    }
    return try files.flatMap { file in
      try file.service.flatMap { service in
        try service.method.map { method in
          let (bytes, names) = content(of: method.inputType, in: messages)
          let kind: MethodDescriptor.Kind =
            switch (method.clientStreaming, method.serverStreaming) {
            case (false, false): .unary
            case (false, true): .serverStreaming
            case (true, false): .clientStreaming
            case (true, true): .bidirectional
            }
          return ContractMethod(
            descriptor: MethodDescriptor(
              service: "\(file.package).\(service.name)", method: method.name, kind: kind),
            request: try Anything(serializedBytes: bytes),
            resources: Set(names.flatMap { $0 == "session_id" ? ["sessions/\($0)"] : [$0] }))
        }
      }
    }
  }

  /// A message whose fields for resource names have their own names as values, also in the first message of a oneof,
  /// with which a stream of requests begins.
  private static func content(
    of type: String, in messages: [String: Google_Protobuf_DescriptorProto]
  ) -> (bytes: [UInt8], names: [String]) {
    guard let message = messages[type] else { return ([], []) }
    var (bytes, names): ([UInt8], [String]) = ([], [])
    for field in message.field where field.type == .string && field.label != .repeated && fields.contains(field.name) {
      bytes += [UInt8(field.number << 3 | 2), UInt8(field.name.utf8.count)] + Array(field.name.utf8)
      names.append(field.name)
    }
    let start = message.field.first { $0.hasOneofIndex && $0.oneofIndex == 0 && !$0.proto3Optional }
    if names.isEmpty, let start, start.type == .message {
      let inner = content(of: start.typeName, in: messages)
      bytes += [UInt8(start.number << 3 | 2), UInt8(inner.bytes.count)] + inner.bytes
      names += inner.names
    }
    return (bytes, names)
  }
}
