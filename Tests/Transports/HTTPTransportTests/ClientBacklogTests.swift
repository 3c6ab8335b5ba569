import Testing

@testable import HTTPTransport

/// The estimate of what waits unread in a client's kernel.
struct ClientBacklogTests {
  /// A connection whose client offers a window of 6 MB and then stops or reads.
  private final class Connection {
    var backlog = ClientBacklog()
    var window = 6_000_000
    var acknowledged: UInt64 = 0
    var received: UInt64 = 300

    init() { look() }

    func look() {
      backlog.take(ClientBacklog.Look(window: window, acknowledged: acknowledged, received: received))
    }

    func send(isRead: Bool) {
      acknowledged += UInt64(message)
      if !isRead { window -= message }
      look()
    }

    func mustWait(_ waited: Duration = .zero, after bytes: Int = message) -> Bool {
      backlog.isTooLarge(after: bytes, waited: waited)
    }
  }

  @Test func aClientThatReadsNeverWaits() {
    let connection = Connection()
    for _ in 0..<1000 {
      connection.send(isRead: true)
      #expect(!connection.mustWait())
    }
  }

  @Test func aStoppedClientGetsAMegabyte() {
    let connection = Connection()
    var sent = 0
    while !connection.mustWait() {
      connection.send(isRead: false)
      sent += message
    }
    #expect((1_000_000...1_200_000).contains(sent))
    connection.window = 6_000_000
    connection.look()
    #expect(!connection.mustWait())
  }

  @Test func aLargeMessageMayBeUnreadAsAWhole() {
    let connection = Connection()
    connection.window -= 3_000_000
    connection.look()
    #expect(!connection.mustWait(after: 3_000_000))
    #expect(connection.mustWait())
  }

  @Test func aWindowThatShrankForGoodStopsTheStreamOnce() {
    let connection = Connection()
    connection.window = 3_000_000
    connection.look()
    #expect(connection.mustWait())
    #expect(connection.mustWait(.seconds(4)))
    #expect(!connection.mustWait(.seconds(5)))
    for _ in 0..<100 {
      connection.send(isRead: true)
      #expect(!connection.mustWait())
    }
  }

  @Test func aClientThatStaysStoppedGetsEverLess() {
    let connection = Connection()
    var gone = Duration.zero
    var sent = 0
    while gone < .seconds(30) {
      var waited = Duration.zero
      while connection.mustWait(waited) { waited += .milliseconds(50) }
      gone += waited
      connection.send(isRead: false)
      sent += message
    }
    #expect(sent < 2_500_000)
  }

  @Test func aClientThatSendsSomethingReads() {
    let connection = Connection()
    connection.window = 3_000_000
    connection.received += 10
    connection.look()
    #expect(!connection.mustWait())
  }
}

private let message = 100_000
