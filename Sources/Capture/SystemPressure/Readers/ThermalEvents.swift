#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Hears that the kernel's thermal framework has news: a trip was crossed, a zone came or went, something cools harder.
/// What some processors' firmware thinks of their speed, several times a second, is no news.
///
/// Generic netlink, family `thermal`, group `event` (the kernel's `include/uapi/linux/thermal.h`). What is said does not
/// matter, only that something was: everything is read anyway. The numbers below are those of `linux/netlink.h` and
/// `linux/genetlink.h`, which are stable and not imported.
final class ThermalEvents: Sendable {
  /// Readable when there is news.
  let descriptor: Int32

  /// - Returns: nil where the kernel has no such events, or a container may not hear them.
  init?() {
    let netlinkGeneric: Int32 = 16
    let kind = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_NETLINK, kind, netlinkGeneric)
    guard descriptor >= 0 else { return nil }
    guard Self.join(descriptor) else {
      close(descriptor)
      return nil
    }
    Self.ignoreCapabilityChanges(descriptor)
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Forgets what waits. Ends, though more may come meanwhile.
  func drain() {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 4) { buffer in
      for _ in 0..<64 {
        // Fails with ENOBUFS when news were lost, which is news, too; then the next call goes on.
        if recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) <= 0 { return }
      }
    }
  }

  /// Has the kernel drop them (`THERMAL_GENL_EVENT_CPU_CAPABILITY_CHANGE`), so that they wake nobody. Where it does not, each
  /// is one wake-up too many and no harm.
  static func ignoreCapabilityChanges(_ descriptor: Int32) {
    // `struct sock_filter` and `sock_fprog` of the kernel's `linux/filter.h`: takes the byte behind the netlink header, which
    // is the command, and keeps nothing of a message (0 bytes) when that is 14.
    typealias Instruction = (code: UInt16, ifTrue: UInt8, ifFalse: UInt8, value: UInt32)
    let loadByte: UInt16 = 0x30
    let jumpIfEqual: UInt16 = 0x15
    let returnValue: UInt16 = 0x06
    var instructions: [Instruction] = [
      (loadByte, 0, 0, 16), (jumpIfEqual, 0, 1, 14), (returnValue, 0, 0, 0), (returnValue, 0, 0, .max),
    ]
    instructions.withUnsafeMutableBufferPointer { buffer in
      var program = (count: UInt16(buffer.count), first: buffer.baseAddress)
      _ = setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &program, socklen_t(MemoryLayout.size(ofValue: program)))
    }
  }

  private static func join(_ descriptor: Int32) -> Bool {
    let question = familyQuestion
    guard send(descriptor, question, question.count, 0) == question.count else { return false }
    // The kernel answers before `send` returns.
    var answer = [UInt8](repeating: 0, count: 8192)
    let count = recv(descriptor, &answer, answer.count, Int32(MSG_DONTWAIT))
    guard count > 0, var group = eventGroup(in: Array(answer[..<count])) else { return false }
    let solNetlink: Int32 = 270
    let addMembership: Int32 = 1
    return setsockopt(descriptor, solNetlink, addMembership, &group, socklen_t(MemoryLayout<UInt32>.size)) == 0
  }

  /// Asks the controller (family 16, command 3) for the family `thermal` (attribute 2).
  private static var familyQuestion: [UInt8] {
    let name = Array("thermal\0".utf8)
    let attribute = bytes(UInt16(4 + name.count)) + bytes(2 as UInt16) + name
    let command: [UInt8] = [3, 1, 0, 0]
    let length = UInt32(16 + command.count + attribute.count)
    let request: UInt16 = 1
    return bytes(length) + bytes(16 as UInt16) + bytes(request) + bytes(1 as UInt32) + bytes(0 as UInt32) + command
      + attribute
  }

  /// The number of the group `event` in the controller's answer.
  static func eventGroup(in answer: [UInt8]) -> UInt32? {
    // Two headers, of 16 and 4 bytes; the groups are attribute 7, each with its name as 1 and its number as 2.
    guard answer.count > 20, number(UInt16.self, in: answer[4...]) == 16 else { return nil }
    for groups in attributes(of: answer[20...]) where groups.type == 7 {
      for group in attributes(of: groups.value) {
        let parts = attributes(of: group.value)
        guard parts.contains(where: { $0.type == 1 && $0.value.elementsEqual("event\0".utf8) }) else { continue }
        return parts.first { $0.type == 2 }.flatMap { number(UInt32.self, in: $0.value) }
      }
    }
    return nil
  }

  /// Cuts attributes apart: length with its own four bytes, type with two flags above, value, padded to four bytes.
  private static func attributes(of bytes: ArraySlice<UInt8>) -> [(type: UInt16, value: ArraySlice<UInt8>)] {
    var found: [(type: UInt16, value: ArraySlice<UInt8>)] = []
    var rest = bytes
    while let length = number(UInt16.self, in: rest).map(Int.init), length >= 4, length <= rest.count,
      let type = number(UInt16.self, in: rest.dropFirst(2))
    {
      found.append((type & 0x3fff, rest.dropFirst(4).prefix(length - 4)))
      rest = rest.dropFirst((length + 3) & ~3)
    }
    return found
  }

  private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

  private static func number<T: FixedWidthInteger>(_ type: T.Type, in bytes: ArraySlice<UInt8>) -> T? {
    let size = MemoryLayout<T>.size
    return bytes.count < size ? nil : bytes.prefix(size).withUnsafeBytes { $0.loadUnaligned(as: T.self) }
  }
}
