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
