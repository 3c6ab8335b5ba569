internal import SwiftProtobuf

/// Memory that SwiftProtobuf encodes into and that is then lent to the transport, so that a large response is written
/// once.
struct SerializedMessage: SwiftProtobufContiguousBytes {
  final class Memory: LentPayload, @unchecked Sendable {
    // Unchecked because of the pointer. The memory is written while the message is encoded and only read afterwards.
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
