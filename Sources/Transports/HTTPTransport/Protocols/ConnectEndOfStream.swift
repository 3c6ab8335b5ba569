internal import RPCCore

/// The last envelope of a stream of Connect, which says whether the call succeeded.
struct ConnectEndOfStream: Encodable {
  private let error: ConnectError?
  private let metadata: [String: [String]]?

  /// Makes the end of a stream.
  ///
  /// - Parameters:
  ///   - error: the error of the call. Nil for a call that succeeded.
  ///   - metadata: the trailing metadata of the call.
  init(_ error: RPCError?, metadata: Metadata) {
    self.error = error.map(ConnectError.init)
    let values = Dictionary(grouping: metadata.fields, by: \.name).mapValues { $0.map(\.value) }
    self.metadata = values.isEmpty ? nil : values
  }

  /// The payload of the envelope.
  var json: [UInt8] { connectJSON(fallback: #"{"error":{"code":"internal"}}"#) }

  /// The whole envelope.
  var envelope: [UInt8] {
    let json = json
    return Envelope.prefix(flags: Envelope.endOfStream, count: json.count) + json
  }
}
