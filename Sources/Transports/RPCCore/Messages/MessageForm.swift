/// A transport's own form of a ``LentMessage``, for example the buffer that a C library writes. The message makes the
/// form once, keeps the form for all writes, and frees the form when the message itself is freed.
///
/// The form is an address and not an object, because an object would cost one more allocation per frame. A transport
/// whose form is an object passes the object through `Unmanaged`.
package protocol MessageForm: SendableMetatype {
  /// Makes the form of a message. The form may retain the message's payload, but must not retain the message: the
  /// message owns the form, so the two would never be freed.
  ///
  /// - Returns: nil when memory is short. The next write then tries again.
  static func make(of message: LentMessage) -> UnsafeMutableRawPointer?
  /// Frees a form that ``make(of:)`` returned.
  static func free(_ form: UnsafeMutableRawPointer)
}
