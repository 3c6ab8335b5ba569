// Shows whether ThreadSanitizer knows enough about Swift's runtime for its findings to mean anything: `handed` must be
// silent, and `raced` must be reported. The sanitizer's step runs both with the libraries of this folder.
import Foundation
import Synchronization

final class Box: @unchecked Sendable {
  var value: Int
  init(_ value: Int) { self.value = value }
}

final class Shared: Sendable {
  let isResumed = Atomic(false)
  let sum = Mutex(0)
}

/// Hands a value over by a continuation that is resumed before its task waits, or after. Neither is a race.
func handed(_ value: Int, early: Bool) async -> Int {
  let shared = Shared()
  let box: Box = await withCheckedContinuation { continuation in
    Thread.detachNewThread {
      if !early { usleep(1000) }
      continuation.resume(returning: Box(value))
      shared.isResumed.store(true, ordering: .relaxed)
    }
    // The relaxed loads order the two threads in time, but are no edge.
    while early && !shared.isResumed.load(ordering: .relaxed) { usleep(100) }
  }
  return box.value
}

/// Adds under a Mutex that many tasks want at once, so that the Mutex takes its slow path.
func locked() async -> Int {
  let shared = Shared()
  await withTaskGroup(of: Void.self) { group in
    for _ in 0..<8 {
      group.addTask { for _ in 0..<10_000 { shared.sum.withLock { $0 += 1 } } }
    }
  }
  return shared.sum.withLock { $0 }
}

/// Uses one variable in two threads without a hand-over, which is a race.
func raced() async -> Int {
  let box = Box(0)
  Thread.detachNewThread { box.value = 1 }
  usleep(100_000)
  return box.value
}

@main struct Edges {
  static func main() async {
    guard CommandLine.arguments.last == "handed" else { return print(await raced()) }
    for value in 0..<20 {
      _ = await handed(value, early: true)
      _ = await handed(value, early: false)
    }
    print(await locked())
  }
}
