import CaptureTestKit
import Foundation
import Testing

@testable import SystemPressure

/// How the daemon finds the kernel's group of thermal events, filters the events and waits for them.
struct ThermalEventsTests {
  private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

  private static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
    let padding = [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
    return bytes(UInt16(4 + value.count)) + bytes(type) + value + padding
  }

  /// A multicast group as an attribute of the answer, with its name and its number.
  private static func group(_ index: UInt16, _ name: String, _ number: UInt32) -> [UInt8] {
    attribute(index, attribute(2, bytes(number)) + attribute(1, Array((name + "\0").utf8)))
  }

  /// The answer of the kernel's netlink controller to a question for the family `thermal`, in the form in which
  /// `ctrl_fill_info` of the kernel's `net/netlink/genetlink.c` puts it together. The types of nested attributes carry
  /// the flag 0x8000.
  private static let answer: [UInt8] =
    bytes(200 as UInt32) + bytes(16 as UInt16) + bytes(0 as UInt16) + bytes(1 as UInt32) + bytes(0 as UInt32)
    + [1, 2, 0, 0] + attribute(2, Array("thermal\0".utf8)) + attribute(1, bytes(22 as UInt16))
    + attribute(0x8007, group(0x8001, "sampling", 4) + group(0x8002, "event", 5))

  /// The parser returns the number of the group `event`, not that of the group `sampling` before it.
  @Test func theGroupOfEventsIsFound() {
    #expect(ThermalEvents.eventGroup(in: Self.answer) == 5)
  }

  @Test func anErrorMessageIsNoAnswer() {
    var error = Self.answer
    error[4] = 2
    #expect(ThermalEvents.eventGroup(in: error) == nil)
    #expect(ThermalEvents.eventGroup(in: []) == nil)
  }

  /// Parsing ends for every truncated and every corrupted answer, and a truncated answer never gives the number of
  /// another group.
  @Test func parsingEndsForAnyAnswer() {
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

  /// The filter drops changes of processor capabilities (command 14), so that they do not wake the polling thread. The
  /// test attaches the filter to a socket that the test can send to; on a netlink socket the filter sees the same
  /// bytes.
  @Test func changesOfProcessorCapabilitiesAreDropped() throws {
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

  /// A wake ends the present wait, or the next one when no thread waits, whether or not this kernel has thermal events.
  /// Wakes never block, even when the thread does not wait for a long time.
  @Test func aWakeEndsThePresentOrTheNextWait() {
    let wait = PollWait(events: ThermalEvents())
    for _ in 0..<100_000 { wait.wake() }
    wait.wait(nanoseconds: 3_600_000_000_000)
    wait.wake()
    wait.wait(nanoseconds: 3_600_000_000_000)
  }
}
