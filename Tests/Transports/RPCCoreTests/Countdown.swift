import RPCCore
import RPCTestKit
import SwiftProtobuf
import Synchronization

/// A source whose messages are the numbers from `first` down to 1, each of which is there immediately. Then it ends
/// with the error `LIFT_OFF`.
final class Countdown: MessageSource {
  private let next: Atomic<Int>

  init(from first: Int) { next = Atomic(first) }

  func asking(_ receiver: @escaping Receiver) -> @Sendable () -> Void {
    { [self] in
      let number = next.wrappingSubtract(1, ordering: .relaxed).oldValue
      receiver(
        Result {
          guard number > 0 else { throw RPCError(.aborted, "over", reason: "LIFT_OFF") }
          return try LentMessage(Text("\(number)"))
        })
    }
  }

  func abandonNext() {}
}
