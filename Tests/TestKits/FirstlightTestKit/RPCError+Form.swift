internal import FirstlightAPI
internal import FirstlightServices
internal import GoogleRPC
package import RPCCore
internal import SwiftProtobuf

extension RPCError {
  /// The fields of the request that are wrong.
  package var fields: [String] {
    details.lazy.compactMap { $0 as? Google_Rpc_BadRequest }.first?.fieldViolations.map(\.field) ?? []
  }

  /// The values that the error names.
  package var metadata: [String: String] { errorInfo?.metadata ?? [:] }

  /// The code and the reason, such as `NOT_FOUND DEVICE_NOT_FOUND`.
  package var summary: String { "\(code) \(reason ?? "")" }

  /// Checks that the error has one ErrorInfo of the daemon's domain, that it does not accuse the daemon itself, and
  /// that each field that it names is one of the request.
  ///
  /// - Throws: ``NotRefused``.
  func checkForm<Request: Message>(of request: Request.Type) throws {
    let infos = details.compactMap { $0 as? Google_Rpc_ErrorInfo }
    guard infos.count == 1, infos[0].domain == ErrorMapping.domain, code != .unknown, reason != "INTERNAL" else {
      throw NotRefused(description: "This is no refusal: \(self)")
    }
    for field in fields where !RequestFields.have(field, in: Request.protoMessageName) {
      throw NotRefused(description: "\(Request.protoMessageName) has no field \(field).")
    }
  }
}

/// The fields of all messages of the contract.
enum RequestFields {
  private static let messages: [String: [String: String]] = {
    guard let set = try? Google_Protobuf_FileDescriptorSet(serializedBytes: FirstlightDescriptorSet.bytes) else {
      return [:]
    }
    var found: [String: [String: String]] = [:]
    for file in set.file {
      for message in file.messageType { add(message, in: file.package, to: &found) }
    }
    return found
  }()

  /// Whether a message has the field that a path such as `configuration.inputs[0].device` names. The path may end at a
  /// oneof.
  static func have(_ path: String, in message: String) -> Bool {
    var message = message
    for part in path.split(separator: ".") {
      guard let fields = messages[message], let type = fields[String(part.prefix { $0 != "[" })] else { return false }
      message = type
    }
    return true
  }

  /// Adds the fields of a message, each with the full name of its type. The type of a oneof and of a plain value has no
  /// fields.
  private static func add(
    _ message: Google_Protobuf_DescriptorProto, in scope: String, to found: inout [String: [String: String]]
  ) {
    let name = "\(scope).\(message.name)"
    let oneofs = message.oneofDecl.map { ($0.name, "") }
    let fields = message.field.map { ($0.name, String($0.typeName.drop { $0 == "." })) }
    found[name] = Dictionary(oneofs + fields) { _, last in last }
    for nested in message.nestedType { add(nested, in: name, to: &found) }
  }
}
