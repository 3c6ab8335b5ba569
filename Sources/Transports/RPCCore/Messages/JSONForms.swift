internal import GoogleRPC
internal import SwiftProtobuf

/// Converts the messages of one method between protobuf's encoding and JSON. A transport whose client sends and
/// receives JSON uses the functions, and the handler sees no difference.
package struct JSONForms: Sendable {
  /// Returns the encoding of a request. The function takes the request's JSON text.
  ///
  /// A field that the message does not have makes the request invalid, so that the client learns of a misspelt name.
  /// The function throws ``RPCError`` `INVALID_ARGUMENT` `MALFORMED_REQUEST` for a text that is not the JSON of a
  /// request.
  package let request: @Sendable ([UInt8]) throws -> [UInt8]
  /// Returns the JSON text of a response. The function throws SwiftProtobuf's error when the message is not a response
  /// of the method or has no JSON form.
  package let response: @Sendable (LentMessage) throws -> [UInt8]

  init<Q: Message, A: Message>(of method: MethodName, _: Q.Type, _: A.Type) {
    Self.registerDetails
    request = { json in
      let message: Q
      do {
        message = try Q(jsonUTF8Bytes: json)
      } catch {
        throw RPCError(
          .invalidArgument, "The request of \(method) is not the JSON of a \(Q.protoMessageName): \(reason(error)).",
          reason: "MALFORMED_REQUEST", metadata: ["method": method.description, "message": Q.protoMessageName])
      }
      return try message.serializedBytes()
    }
    response = { message in
      let bytes = message.payload.withUnsafeBytes { message.header + $0 }
      return try A(serializedBytes: bytes).jsonUTF8Bytes()
    }
  }

  /// Registers the details of errors. A response may contain a `google.rpc.Status`, and SwiftProtobuf writes the JSON
  /// of a packed message only when the message's type is registered.
  private static let registerDetails: Void = {
    for detail in [Google_Rpc_BadRequest.self, Google_Rpc_ErrorInfo.self, Google_Rpc_RetryInfo.self]
      as [any Message.Type]
    {
      Google_Protobuf_Any.register(messageType: detail)
    }
  }()
}

/// Says in words why SwiftProtobuf cannot read a JSON text.
private func reason(_ error: any Error) -> String {
  switch error as? JSONDecodingError {
  case .unknownField(let name): "the message has no field \"\(name)\""
  case .unrecognizedEnumValue: "an enum has no such value"
  case .numberRange, .malformedNumber, .leadingZero: "a number is malformed or out of range"
  case .malformedBool: "a value is neither true nor false"
  case .malformedString: "a text is malformed or is no text"
  case .malformedDuration: "a duration is malformed"
  case .malformedTimestamp: "a time is malformed"
  case .malformedFieldMask: "a field mask is malformed"
  case .invalidUTF8: "the text is not UTF-8"
  case .illegalNull: "null stands where a value is needed"
  case .schemaMismatch: "a value has the wrong type"
  case .conflictingOneOf: "two fields are set of which a message has only one"
  case .truncated: "the text ends too early"
  case .trailingGarbage: "something follows the message"
  case .messageDepthLimit: "messages are nested too deeply"
  default: "the text is not valid JSON of this message"
  }
}
