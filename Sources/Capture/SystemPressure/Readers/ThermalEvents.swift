import Glibc

/// Listens for news of the kernel's thermal framework: a zone crossed a trip, a zone came or went, or a cooling device
/// works harder. Changes of what a processor's firmware thinks of the processor's speed, which come several times a
/// second, do not count as news.
///
/// The news comes by generic netlink, from the group `event` of the family `thermal` (the kernel's
/// `include/uapi/linux/thermal.h`). The content of the news does not matter, because the monitor reads everything
/// anyway. The numbers below are those of `linux/netlink.h` and `linux/genetlink.h`, which are stable; Swift does not
/// import these headers.
final class ThermalEvents: Sendable {
  /// Readable when there is news. The object owns the descriptor.
  let descriptor: Int32

  /// Joins the group.
  ///
  /// - Returns: nil where the kernel has no such events, or where a container may not listen to them.
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

  /// Discards the news that waits. Reads at most 64 messages, so that the call ends even while more news comes.
  func drain() {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 4) { buffer in
      for _ in 0..<64 {
        // recv(2) fails with ENOBUFS when news was lost, which is news too. The next call of `drain` then discards the
        // rest.
        if recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) <= 0 { return }
      }
    }
  }

  /// Has the kernel drop messages on the capabilities of processors (`THERMAL_GENL_EVENT_CPU_CAPABILITY_CHANGE`), so
  /// that these messages do not wake the polling thread. Where the kernel takes no filter, each such message only wakes
  /// the thread without need.
  static func ignoreCapabilityChanges(_ descriptor: Int32) {
    // The tuples have the layout of `struct sock_filter` and `sock_fprog` of the kernel's `linux/filter.h`. The filter
    // loads the byte behind the netlink header, which is the command. When the command is 14, the filter keeps 0 bytes
    // of the message and so drops it.
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
    // The kernel answers before send(2) returns.
    var answer = [UInt8](repeating: 0, count: 8192)
    let count = recv(descriptor, &answer, answer.count, Int32(MSG_DONTWAIT))
    guard count > 0, var group = eventGroup(in: Array(answer[..<count])) else { return false }
    let solNetlink: Int32 = 270
    let addMembership: Int32 = 1
    return setsockopt(descriptor, solNetlink, addMembership, &group, socklen_t(MemoryLayout<UInt32>.size)) == 0
  }

  /// The message that asks the controller (family 16, command 3) for the family `thermal` (attribute 2).
  private static var familyQuestion: [UInt8] {
    let name = Array("thermal\0".utf8)
    let attribute = bytes(UInt16(4 + name.count)) + bytes(2 as UInt16) + name
    let command: [UInt8] = [3, 1, 0, 0]
    let length = UInt32(16 + command.count + attribute.count)
    let request: UInt16 = 1
    return bytes(length) + bytes(16 as UInt16) + bytes(request) + bytes(1 as UInt32) + bytes(0 as UInt32) + command
      + attribute
  }

  /// The number of the group `event` in the controller's answer; nil when the answer does not name that group.
  static func eventGroup(in answer: [UInt8]) -> UInt32? {
    // The answer begins with two headers, of 16 and 4 bytes. The groups are attribute 7, and each group has its name as
    // attribute 1 and its number as attribute 2.
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

  /// Splits bytes into netlink attributes. Each attribute is a length that includes its own header of four bytes, a
  /// type whose two upper bits are flags, and a value that is padded to four bytes.
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
