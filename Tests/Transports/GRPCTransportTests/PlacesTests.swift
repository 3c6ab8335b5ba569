import Testing

/// Who may connect, as values.
struct PlacesTests {
  @Test func theOldestWithoutACallGivesWay() {
    let places = TestPlaces(3, perAddress: 3)
    places.busy = [1]
    #expect((1...3).map { places.come($0, from: "a") } == [.room, .room, .room])
    #expect(places.come(4, from: "b") == .inPlaceOf(2))
    #expect(places.come(5, from: "b") == .inPlaceOf(3))
  }

  @Test func whoHasACallKeepsItsPlace() {
    let places = TestPlaces(2, perAddress: 2)
    places.busy = [1, 2]
    #expect([places.come(1, from: "a"), places.come(2, from: "b")] == [.room, .room])
    #expect(places.come(3, from: "c") == .refused)
    places.busy = [1]
    #expect(places.come(3, from: "c") == .inPlaceOf(2))
  }

  @Test func theAddressWithTheMostConnectionsGivesWay() {
    let places = TestPlaces(5, perAddress: 5)
    _ = places.come(1, from: "a")
    for id in Int32(2)...4 { _ = places.come(id, from: "b") }
    _ = places.come(5, from: "c")
    #expect(places.come(6, from: "c") == .inPlaceOf(2))
    // Of the others each has two now, but for the oldest.
    #expect(places.come(7, from: "d") == .inPlaceOf(3))
  }

  @Test func anAddressThatIsFullGivesWayToItself() {
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

  @Test func whatConnectionsUsedStaysWithTheirAddress() {
    let places = TestPlaces(10, perAddress: 10)
    // Sixteen times what one connection may have at once, and ten times its calls.
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

  @Test func manyThatEndAtOnceAreSoonForgotten() {
    let places = TestPlaces(1000, perAddress: 1000)
    for id in Int32(1)...500 { _ = places.come(id, from: "a") }
    for id in Int32(1)...500 { places.go(id, calls: 1000, bytes: 160_000) }
    #expect(places.come(501, from: "a") == .refused)
    places.now = 101
    #expect(places.come(501, from: "a") == .room)
  }

  @Test func whoseAddressIsUnknownIsNeverRefused() {
    let places = TestPlaces(2, perAddress: 1)
    for id in Int32(1)...2 { #expect(places.come(id, from: "") == .room) }
    #expect(places.come(3, from: "") == .inPlaceOf(1))
    places.go(3, wasCut: true)
    #expect(places.come(4, from: "") == .room)
  }

  @Test func addressesWithoutConnectionsAreForgotten() {
    let places = TestPlaces(10, perAddress: 10)
    for id in Int32(1)...20_000 {
      #expect(places.come(id, from: "address-\(id)") == .room)
      places.go(id, wasCut: id % 2 == 0)
    }
    // Among so many a cut is forgotten sooner.
    #expect(places.come(1, from: "address-2") == .room)
    #expect(places.come(3, from: "address-20000") == .refused)
  }
}
