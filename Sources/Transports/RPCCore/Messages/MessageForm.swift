/// A transport's own form of a ``LentMessage``, for example the buffer that a C library writes. The message makes it
/// once, keeps it for every write, and frees it with itself.
///
/// The form is an address and not an object, because an object would be one more allocation for each frame. A transport
/// whose form is an object passes it through `Unmanaged`.
package protocol MessageForm: SendableMetatype {
  /// Makes the form. It must not retain the message, which would then live for ever; it may retain the payload.
  ///
  /// - Returns: nil when there is no memory left. The next write tries again.
  static func make(of message: LentMessage) -> UnsafeMutableRawPointer?
  /// Frees what ``make(of:)`` returned.
  static func free(_ form: UnsafeMutableRawPointer)
}
