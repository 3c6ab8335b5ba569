internal import CGRPCTestClient

/// A budget of a connection, on a clock of its own.
final class TestBudget {
  private let budget: OpaquePointer
  /// Seconds.
  var now = 0.0

  static let limits = ctest_budget_limits(
    open_calls: 100, calls_at_once: 1000, calls_per_second: 10, bytes_at_once: 10_000, bytes_per_second: 1000,
    message_bytes: 200_000, large_message_bytes: 6_000_000)

  init(_ limits: ctest_budget_limits = TestBudget.limits) { budget = ctest_budget_create(limits) }

  deinit { ctest_budget_destroy(budget) }

  enum Verdict: Int32 { case within, refuse, cut }

  func openCall(alive: UInt64 = 1) -> Verdict { Verdict(rawValue: ctest_budget_open_call(budget, alive, now))! }

  /// Nil when the connection is to be cut, else the share that is left.
  func look(_ traffic: ctest_traffic) -> Double? {
    let left = ctest_budget_look(budget, traffic, now)
    return left < 0 ? nil : left
  }

  func forgive(isLarge: Bool) { ctest_budget_forgive(budget, isLarge, now) }

  var debt: (calls: Double, bytes: Double) {
    (ctest_budget_debt_calls(budget, now), ctest_budget_debt_bytes(budget, now))
  }
}

/// Places for connections, on a clock of their own.
final class TestPlaces {
  private let places: OpaquePointer
  /// Seconds.
  var now = 0.0
  /// The connections with a call.
  var busy: [Int32] = []

  init(_ inAll: Int, perAddress: Int, refusal: Double = 5) {
    places = ctest_places_create(inAll, perAddress, refusal, TestBudget.limits)
  }

  deinit { ctest_places_destroy(places) }

  enum Answer: Equatable {
    case room, refused
    case inPlaceOf(Int32)
  }

  func come(_ id: Int32, from address: String) -> Answer {
    switch ctest_places_come(places, id, address, busy, busy.count, now) {
    case -1: .refused
    case 0: .room
    case let other: .inPlaceOf(other)
    }
  }

  func go(_ id: Int32, calls: Double = 0, bytes: Double = 0, wasCut: Bool = false) {
    ctest_places_go(places, id, calls, bytes, wasCut, now)
  }
}
