public import SwiftProtobuf
internal import Synchronization

/// An encoded message in two pieces: a copied header and a payload that is lent. Many writers may share one payload. It
/// costs least when they write the very same message, because a transport then converts it once for all of them.
public final class LentMessage: Sendable {
  /// Encoded fields up to and including the tag and length of the last field, which is of type bytes.
  public let header: [UInt8]
  /// The bytes of that field.
  public let payload: any LentPayload
  private let forms = Mutex(Forms())

  public init(header: [UInt8], payload: any LentPayload) {
    self.header = header
    self.payload = payload
  }

  /// Encodes a message. A message with pixels should not come this way, which copies them.
  public convenience init(_ message: some Message) throws {
    let bytes: SerializedMessage = try message.serializedBytes()
    self.init(header: [], payload: bytes.memory)
  }

  deinit { forms.withLock { $0.free() } }

  /// Calls `body` with a transport's form of this message. The first call makes it.
  ///
  /// - Parameter body: gets what all writes of this message share, or nil when there is no memory left.
  package func withForm(_ maker: any MessageForm.Type, _ body: (UnsafeMutableRawPointer?) -> Void) {
    let address = forms.withLock { $0.address(maker, of: self) }
    withExtendedLifetime(self) { body(UnsafeMutableRawPointer(bitPattern: address)) }
  }
}

/// What transports made of one message.
private struct Forms {
  private struct Form {
    let maker: any MessageForm.Type
    /// A number instead of a pointer, since a lock's value has to be free of pointers to be handed out.
    let address: UInt
  }
  /// The first form has a place of its own, so that a message that one transport writes needs no array.
  private var first: Form?
  private var others: [Form] = []

  /// - Returns: 0 when there is no memory left.
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
