/// How a call ends: what the transport sends last.
package struct CallEnding: Sendable {
  /// The outcome.
  package let status: CallStatus
  /// The metadata after the last message.
  package let trailingMetadata: Metadata
}
