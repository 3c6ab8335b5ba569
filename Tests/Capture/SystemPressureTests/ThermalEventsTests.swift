import CaptureTestKit
import Foundation
import Testing

@testable import SystemPressure

/// The answer of the kernel's netlink controller to a question for the family `thermal`.
struct ThermalEventsTests {
  private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

  private static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
    let padding = [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
    return bytes(UInt16(4 + value.count)) + bytes(type) + value + padding
  }

  private static func group(_ index: UInt16, _ name: String, _ number: UInt32) -> [UInt8] {
    attribute(index, attribute(2, bytes(number)) + attribute(1, Array((name + "\0").utf8)))
  }

  /// As `ctrl_fill_info` of the kernel's `net/netlink/genetlink.c` puts it together; nested types carry the flag 0x8000.
  private static let answer: [UInt8] =
    bytes(200 as UInt32) + bytes(16 as UInt16) + bytes(0 as UInt16) + bytes(1 as UInt32) + bytes(0 as UInt32)
    + [1, 2, 0, 0] + attribute(2, Array("thermal\0".utf8)) + attribute(1, bytes(22 as UInt16))
    + attribute(0x8007, group(0x8001, "sampling", 4) + group(0x8002, "event", 5))

  @Test func theGroupOfEventsIsFound() {
    #expect(ThermalEvents.eventGroup(in: Self.answer) == 5)
  }

  @Test func anErrorIsNoAnswer() {
    var error = Self.answer
    error[4] = 2
    #expect(ThermalEvents.eventGroup(in: error) == nil)
    #expect(ThermalEvents.eventGroup(in: []) == nil)
  }

  @Test func whateverComesReadingEnds() {
    var random = SeededGenerator(seed: 5)
    for length in 0..<Self.answer.count { #expect(ThermalEvents.eventGroup(in: Array(Self.answer[..<length])) != 4) }
    for _ in 0..<10_000 {
      var answer = Self.answer
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        answer[Int.random(in: 0..<answer.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      _ = ThermalEvents.eventGroup(in: answer)
    }
  }

  /// The filter on a socket that can be sent to; on netlink it sees the same bytes.
  @Test func whatFirmwareThinksOfProcessorsWakesNobody() throws {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    ThermalEvents.ignoreCapabilityChanges(ends[0])
    func arrives(_ command: UInt8) -> Bool {
      let message = [UInt8](repeating: 0, count: 16) + [command, 1, 0, 0]
      send(ends[1], message, message.count, 0)
      var byte: UInt8 = 0
      return recv(ends[0], &byte, 1, 0) == 1
    }
    #expect((0...20).filter { !arrives($0) } == [14])
  }

  /// Whatever this kernel has: waiting ends when woken, and a wake before the wait is not lost.
  @Test func aWakeEndsTheWaitNowOrLater() {
    let wait = PollWait(events: ThermalEvents())
    for _ in 0..<100_000 { wait.wake() }
    wait.wait(nanoseconds: 3_600_000_000_000)
    wait.wake()
    wait.wait(nanoseconds: 3_600_000_000_000)
  }
}
