internal import SwiftProtobuf

/// The JSON of a message as a part of a larger JSON text.
struct JSONValue: Encodable {
  private let value: Google_Protobuf_Value

  private init(_ value: Google_Protobuf_Value) { self.value = value }

  /// Makes the JSON of a message. Nil when the message has no JSON.
  init?(_ message: some Message) {
    guard let json: [UInt8] = try? message.jsonUTF8Bytes() else { return nil }
    guard let value = try? Google_Protobuf_Value(jsonUTF8Bytes: json) else { return nil }
    self.value = value
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch value.kind {
    case .stringValue(let text): try container.encode(text)
    case .numberValue(let number): try container.encode(number)
    case .boolValue(let flag): try container.encode(flag)
    case .structValue(let object): try container.encode(object.fields.mapValues { JSONValue($0) })
    case .listValue(let list): try container.encode(list.values.map { JSONValue($0) })
    case .nullValue, nil: try container.encodeNil()
    }
  }
}
