internal import SwiftProtobuf

/// Memory into which SwiftProtobuf encodes a message, and which is then lent to the transport. The bytes of a large
/// response are therefore written once and not copied afterwards.
struct SerializedMessage: SwiftProtobufContiguousBytes {
  final class Memory: LentPayload, @unchecked Sendable {
    // Unchecked because of the pointer. SwiftProtobuf writes the memory while it encodes the message, and from then on
    // the memory is only read.
    fileprivate let bytes: UnsafeMutableRawBufferPointer

    fileprivate init(count: Int) {
      bytes = .allocate(byteCount: count, alignment: 1)
    }

    deinit { bytes.deallocate() }

    func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
      try body(UnsafeRawBufferPointer(bytes))
    }
  }

  let memory: Memory

  init(repeating value: UInt8, count: Int) {
    memory = Memory(count: count)
    memory.bytes.initializeMemory(as: UInt8.self, repeating: value)
  }

  init<S: Sequence>(_ sequence: S) where S.Element == UInt8 {
    let array = Array(sequence)
    memory = Memory(count: array.count)
    memory.bytes.copyBytes(from: array)
  }

  var count: Int { memory.bytes.count }

  func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try body(UnsafeRawBufferPointer(memory.bytes))
  }

  mutating func withUnsafeMutableBytes<R>(_ body: (UnsafeMutableRawBufferPointer) throws -> R) rethrows -> R {
    try body(memory.bytes)
  }
}

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

/// The bytes of one message from the client, in the transport's memory.
package protocol ReceivedBytes: Sendable {
  /// The length of the message in bytes.
  var count: Int { get }
  /// Calls `body` with the bytes. The bytes never change, and the pointer is valid until `body` returns.
  func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R
}
