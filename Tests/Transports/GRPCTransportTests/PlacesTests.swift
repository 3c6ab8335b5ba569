import Testing

/// These tests check as a value which connections may come, and which older connections give way to them.
struct PlacesTests {
  /// When all places are taken, a new connection takes the place of the oldest connection without a call.
  @Test func oldestConnectionWithoutACallGivesWay() {
    let places = TestPlaces(3, perAddress: 3)
    places.busy = [1]
    #expect((1...3).map { places.come($0, from: "a") } == [.room, .room, .room])
    #expect(places.come(4, from: "b") == .inPlaceOf(2))
    #expect(places.come(5, from: "b") == .inPlaceOf(3))
  }

  /// A connection with a call never gives way. When all connections have calls, a new one is refused.
  @Test func connectionWithACallKeepsItsPlace() {
    let places = TestPlaces(2, perAddress: 2)
    places.busy = [1, 2]
    #expect([places.come(1, from: "a"), places.come(2, from: "b")] == [.room, .room])
    #expect(places.come(3, from: "c") == .refused)
    places.busy = [1]
    #expect(places.come(3, from: "c") == .inPlaceOf(2))
  }

  /// Of the connections without a call, the oldest one of the address with the most connections gives way. An address
  /// with few connections therefore keeps them.
  @Test func addressWithTheMostConnectionsGivesWay() {
    let places = TestPlaces(5, perAddress: 5)
    _ = places.come(1, from: "a")
    for id in Int32(2)...4 { _ = places.come(id, from: "b") }
    _ = places.come(5, from: "c")
    #expect(places.come(6, from: "c") == .inPlaceOf(2))
    // Now each of the addresses b and c has two connections, and the oldest of these gives way.
    #expect(places.come(7, from: "d") == .inPlaceOf(3))
  }

  /// When an address has all the connections that it may have, a new connection of this address takes the place of one
  /// of the address's own, although there is room for other addresses.
  @Test func fullAddressGivesUpOneOfItsOwnConnections() {
    let places = TestPlaces(10, perAddress: 2)
    places.busy = [3]
    #expect((1...2).map { places.come($0, from: "a") } == [.room, .room])
    #expect(places.come(3, from: "a") == .inPlaceOf(1))
    #expect(places.come(4, from: "b") == .room)
    places.busy = [2, 3]
    #expect(places.come(5, from: "a") == .refused)
    places.go(2)
    #expect(places.come(5, from: "a") == .room)
  }

  /// When a connection was cut, its address is refused for the time of the limits, and other addresses are not.
  @Test func anAddressIsRefusedForAWhileAfterACut() {
    let places = TestPlaces(10, perAddress: 10, refusal: 5)
    _ = places.come(1, from: "a")
    places.go(1, wasCut: true)
    #expect(places.come(2, from: "a") == .refused)
    #expect(places.come(2, from: "b") == .room)
    places.now = 4.9
    #expect(places.come(3, from: "a") == .refused)
    places.now = 5
    #expect(places.come(3, from: "a") == .room)
  }

  /// The calls and bytes that ended connections have used count for their address. An address that has used too much is
  /// refused until enough is forgotten, so that a client gains little by connecting again and again.
  @Test func usedBudgetStaysWithTheAddress() {
    let places = TestPlaces(10, perAddress: 10)
    // An address may use sixteen times the bytes of one connection, or ten times its calls.
    for id in Int32(1)...16 {
      #expect(places.come(id, from: "a") == .room)
      places.go(id, bytes: 10_001)
    }
    #expect(places.come(17, from: "a") == .refused)
    for id in Int32(21)...30 {
      #expect(places.come(id, from: "b") == .room)
      places.go(id, calls: 1001)
    }
    #expect(places.come(31, from: "b") == .refused)
    #expect(places.come(31, from: "c") == .room)
    places.now = 1
    #expect(places.come(17, from: "a") == .room)
    #expect(places.come(32, from: "b") == .room)
  }

  /// When many connections of an address end at once, the address is refused only for a bounded time. All viewers
  /// behind one address may leave together.
  @Test func debtOfManyConnectionsIsSoonForgotten() {
    let places = TestPlaces(1000, perAddress: 1000)
    for id in Int32(1)...500 { _ = places.come(id, from: "a") }
    for id in Int32(1)...500 { places.go(id, calls: 1000, bytes: 160_000) }
    #expect(places.come(501, from: "a") == .refused)
    places.now = 101
    #expect(places.come(501, from: "a") == .room)
  }

  /// A connection whose address is unknown is never refused because of what other connections did.
  @Test func connectionWithoutAnAddressIsNeverRefused() {
    let places = TestPlaces(2, perAddress: 1)
    for id in Int32(1)...2 { #expect(places.come(id, from: "") == .room) }
    #expect(places.come(3, from: "") == .inPlaceOf(1))
    places.go(3, wasCut: true)
    #expect(places.come(4, from: "") == .room)
  }

  /// Addresses without connections are forgotten when there are very many, so that a client with many addresses cannot
  /// fill the daemon's memory.
  @Test func addressesWithoutConnectionsAreForgotten() {
    let places = TestPlaces(10, perAddress: 10)
    for id in Int32(1)...20_000 {
      #expect(places.come(id, from: "address-\(id)") == .room)
      places.go(id, wasCut: id % 2 == 0)
    }
    // Among so many addresses, one is forgotten although it is still refused for a cut.
    #expect(places.come(1, from: "address-2") == .room)
    #expect(places.come(3, from: "address-20000") == .refused)
  }
}
