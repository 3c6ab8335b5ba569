import Testing

@testable import FirstlightServices

/// What a viewfinder sends next.
@Suite struct ViewfinderQueueTests {
  /// What comes next, as a text: `event NAME`, `preview NUMBER` or `nothing`.
  private func next(_ queue: inout ViewfinderQueue<String>) -> String {
    switch queue.next() {
    case .event(let name): "event \(name)"
    case .preview(let part): "preview \(part)"
    case nil: "nothing"
    }
  }

  @Test func anEventGoesBeforeAPictureThatCameEarlier() {
    var queue = ViewfinderQueue<String>()
    queue.add(preview: 1)
    queue.noteReady(1)
    queue.enqueue("first", from: 2)
    queue.enqueue("second", from: 3)
    let served = (0..<4).map { _ in next(&queue) }
    #expect(served == ["event first", "event second", "preview 1", "nothing"])
  }

  /// An event of a part that the first status announced must not go before the second status.
  @Test func anEventThatReplacesAnotherTakesItsPlace() {
    var queue = ViewfinderQueue<String>()
    queue.enqueue("first status", from: 0)
    queue.enqueue("event", from: 1)
    queue.replace("second status", from: 0)
    var served = (0..<3).map { _ in next(&queue) }
    #expect(served == ["event second status", "event event", "nothing"])
    queue.enqueue("event", from: 1)
    queue.replace("third status", from: 0)
    served = (0..<3).map { _ in next(&queue) }
    #expect(served == ["event event", "event third status", "nothing"])
  }

  @Test func previewsTakeTurns() {
    var queue = ViewfinderQueue<String>()
    for part in 1...3 { queue.add(preview: part) }
    queue.noteReady(1)
    let first = next(&queue)
    #expect(first == "preview 1")
    // The preview that was served last has its next picture before the others have one.
    for part in [1, 3, 2] { queue.noteReady(part) }
    let served = (0..<4).map { _ in next(&queue) }
    #expect(Set(served[..<2]) == ["preview 2", "preview 3"])
    #expect(served[2...] == ["preview 1", "nothing"])
  }

  /// Over a link that takes one picture while every preview brings several, each preview gets the same share.
  @Test func previewsShareASlowLink() {
    var queue = ViewfinderQueue<String>()
    for part in 1...4 { queue.add(preview: part) }
    var pictures: [String: Int] = [:]
    for _ in 0..<400 {
      // The camera of preview 4 always brings its picture last.
      for part in 1...4 { queue.noteReady(part) }
      pictures[next(&queue), default: 0] += 1
    }
    #expect(pictures == ["preview 1": 100, "preview 2": 100, "preview 3": 100, "preview 4": 100])
  }

  @Test func aPreviewWithoutAPictureIsAskedAgain() {
    var queue = ViewfinderQueue<String>()
    queue.add(preview: 1)
    queue.add(preview: 2)
    #expect(Set(queue.unready) == [1, 2])
    queue.noteReady(2)
    #expect(queue.unready == [1])
    let served = next(&queue)
    #expect(served == "preview 2")
    #expect(Set(queue.unready) == [1, 2])
  }

  @Test func aRemovedPartLeavesNothingBehind() {
    var queue = ViewfinderQueue<String>()
    queue.add(preview: 1)
    queue.noteReady(1)
    queue.enqueue("of 1", from: 1)
    queue.enqueue("of 2", from: 2)
    let removed = queue.remove(1)
    #expect(removed == ["of 1"])
    queue.noteReady(1)
    let served = [next(&queue), next(&queue)]
    #expect(served == ["event of 2", "nothing"])
    queue.enqueue("last", from: 2)
    let left = queue.removeAll()
    #expect(left == ["last"])
  }
}
