internal import Locking
public import SwiftProtobuf

/// An encoded message in two pieces: a header that the transport copies, and a payload whose memory is lent to the
/// transport. Several messages may share one payload. Many calls cost least when they write the same `LentMessage`
/// object, because each transport then converts the message once for all of these calls.
public final class LentMessage: Sendable {
  /// The encoded fields before the payload. A header that is not empty ends with the tag and the length of the
  /// message's last field, whose type is `bytes`. An empty header means that the payload is the whole message.
  public let header: [UInt8]
  /// The bytes of the last field, or of the whole message when the header is empty.
  public let payload: any LentPayload
  /// The message whose payload this message shares. Nil for a message with a payload of its own.
  private let origin: LentMessage?
  private let forms = Locked(Forms())

  /// Makes a message of encoded fields and the payload of the last field. The caller is responsible for a valid
  /// encoding.
  public init(header: [UInt8], payload: any LentPayload) {
    self.header = header
    self.payload = payload
    origin = nil
  }

  /// Makes a message with another header around the payload of `other`. The two messages also share the forms of the
  /// payload, see ``withPayloadForm(_:_:)``.
  public init(header: [UInt8], sharingPayloadOf other: LentMessage) {
    self.header = header
    payload = other.payload
    origin = other.origin ?? other
  }

  /// Encodes a message. The new message's header is empty, and its payload is the encoding. Messages with pixels should
  /// use the other initializer, because encoding copies the pixels.
  ///
  /// - Throws: SwiftProtobuf's error when the message cannot be encoded.
  public convenience init(_ message: some Message) throws {
    let bytes: SerializedMessage = try message.serializedBytes()
    self.init(header: [], payload: bytes.memory)
  }

  deinit { forms.withLock { $0.free() } }

  /// Calls `body` with the transport's own form of this message. The first call makes the form, and later calls share
  /// the form.
  ///
  /// - Parameters:
  ///   - maker: the type that makes and frees the form.
  ///   - body: receives the form, or nil when memory is short. The form is valid until `body` returns.
  package func withForm(_ maker: any MessageForm.Type, _ body: (UnsafeMutableRawPointer?) -> Void) {
    let address = forms.withLock { $0.address(maker, of: self) }
    withExtendedLifetime(self) { body(UnsafeMutableRawPointer(bitPattern: address)) }
  }

  /// Does the same as ``withForm(_:_:)`` with a form that depends only on the payload. All messages that share the
  /// payload also share this form.
  package func withPayloadForm(_ maker: any MessageForm.Type, _ body: (UnsafeMutableRawPointer?) -> Void) {
    (origin ?? self).withForm(maker, body)
  }
}

/// The forms that transports made of one message.
private struct Forms {
  private struct Form {
    let maker: any MessageForm.Type
    /// The form's address as a number instead of a pointer. The compiler lets a value leave `Locked.withLock` only when
    /// the value can be sent to another thread, and a pointer cannot.
    let address: UInt
  }
  /// The first form has a property of its own, so that a message that only one transport writes needs no array.
  private var first: Form?
  private var others: [Form] = []

  /// Returns the address of the form that `maker` makes of `message`, and makes the form if there is none. Returns 0
  /// when memory is short.
  mutating func address(_ maker: any MessageForm.Type, of message: LentMessage) -> UInt {
    if let first, first.maker == maker { return first.address }
    if let form = others.first(where: { $0.maker == maker }) { return form.address }
    guard let made = maker.make(of: message) else { return 0 }
    let form = Form(maker: maker, address: UInt(bitPattern: made))
    if first == nil { first = form } else { others.append(form) }
    return form.address
  }

  mutating func free() {
    if let first { first.maker.free(UnsafeMutableRawPointer(bitPattern: first.address)!) }
    for form in others { form.maker.free(UnsafeMutableRawPointer(bitPattern: form.address)!) }
  }
}

/// Memory that its owner lends to the transport, so that the transport does not copy the bytes into a message.
public protocol LentPayload: AnyObject, Sendable {
  /// Calls `body` with the bytes. The bytes must neither move nor change while the object lives. The transport retains
  /// the object until the transport no longer reads the bytes.
  func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R
}
