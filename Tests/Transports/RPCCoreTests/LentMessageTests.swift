import RPCCore
import RPCTestKit
import SwiftProtobuf
import Synchronization
import Testing

/// Each transport converts a message into a form of its own only once, although many calls write the message.
@Suite struct LentMessageTests {
  /// All uses of a message by one transport share one form, which is freed together with the message.
  @Test func aFormIsMadeOnceAndFreedWithTheMessage() throws {
    enum Counted: MessageForm {
      static let made = Atomic(0)
      static let freed = Atomic(0)

      static func make(of message: LentMessage) -> UnsafeMutableRawPointer? {
        made.add(1, ordering: .relaxed)
        return .allocate(byteCount: 1, alignment: 1)
      }

      static func free(_ form: UnsafeMutableRawPointer) {
        freed.add(1, ordering: .relaxed)
        form.deallocate()
      }
    }
    var message: LentMessage? = try LentMessage(Text("a"))
    var seen: Set<UnsafeMutableRawPointer?> = []
    for _ in 0..<3 { message?.withForm(Counted.self) { _ = seen.insert($0) } }
    #expect(seen.count == 1 && !seen.contains(nil))
    #expect(Counted.made.load(ordering: .relaxed) == 1)
    #expect(Counted.freed.load(ordering: .relaxed) == 0)
    message = nil
    #expect(Counted.freed.load(ordering: .relaxed) == 1)
  }

  /// Several transports can write the same message, each with its own form.
  @Test func eachTransportHasAFormOfItsOwn() throws {
    let message = try LentMessage(Text("a"))
    var forms: [UnsafeMutableRawPointer?] = []
    for maker in [First.self, Second.self, Third.self, First.self, Second.self, Third.self] as [any MessageForm.Type] {
      message.withForm(maker) { forms.append($0) }
    }
    #expect(Set(forms).count == 3)
    #expect(Array(forms.prefix(3)) == Array(forms.suffix(3)))
  }

  /// Messages with the same payload share the forms of the payload, and keep the forms of whole messages apart.
  @Test func messagesAroundOnePayloadShareItsForm() throws {
    let message = try LentMessage(Text("a"))
    let other = LentMessage(header: [1], sharingPayloadOf: message)
    let third = LentMessage(header: [2], sharingPayloadOf: other)
    var forms: [UnsafeMutableRawPointer?] = []
    for each in [message, other, third] { each.withPayloadForm(First.self) { forms.append($0) } }
    #expect(Set(forms).count == 1)
    var whole: [UnsafeMutableRawPointer?] = []
    for each in [other, third] { each.withForm(First.self) { whole.append($0) } }
    #expect(Set(whole + forms).count == 3)
    #expect(third.payload === message.payload)
  }

  /// When there is no memory for the form, the next use of the message tries again.
  @Test func aFormThatCouldNotBeMadeIsTriedAgain() throws {
    enum Failing: MessageForm {
      static let tries = Atomic(0)

      static func make(of message: LentMessage) -> UnsafeMutableRawPointer? {
        tries.add(1, ordering: .relaxed)
        return nil
      }

      static func free(_ form: UnsafeMutableRawPointer) { Issue.record("free was called although no form was made") }
    }
    let message = try LentMessage(Text("a"))
    for _ in 0..<2 { message.withForm(Failing.self) { #expect($0 == nil) } }
    #expect(Failing.tries.load(ordering: .relaxed) == 2)
  }
}

private protocol Allocated: MessageForm {}

extension Allocated {
  static func make(of message: LentMessage) -> UnsafeMutableRawPointer? { .allocate(byteCount: 1, alignment: 1) }

  static func free(_ form: UnsafeMutableRawPointer) { form.deallocate() }
}

private enum First: Allocated {}
private enum Second: Allocated {}
private enum Third: Allocated {}
