/// The form of the messages in a body. The raw value is the form's name in content types.
enum WireFormat: String, CaseIterable, Hashable, Sendable {
  /// Protobuf's binary encoding.
  case proto
  /// Protobuf's JSON.
  case json
}
