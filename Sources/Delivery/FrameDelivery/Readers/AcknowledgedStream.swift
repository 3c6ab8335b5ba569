/// A stream whose client says which frames it has consumed.
public protocol AcknowledgedStream: AnyObject, Sendable {
  /// Names the stream: 128 random bits in hexadecimal.
  var token: String { get }

  /// Says that the client has consumed the frame of `sequence` and all frames sent before that frame. A sequence that
  /// is acknowledged already, or was never sent, changes nothing.
  func acknowledge(_ sequence: UInt64)
}
