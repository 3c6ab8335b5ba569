internal import CGRPCTestClient

/// The budget of one connection, with a clock that the test sets.
final class TestBudget {
  private let budget: OpaquePointer
  /// The present time in seconds.
  var now = 0.0

  /// The limits of a budget for which the test names no others.
  static let limits = ctest_budget_limits(
    open_calls: 100, calls_at_once: 1000, calls_per_second: 10, bytes_at_once: 10_000, bytes_per_second: 1000,
    message_bytes: 200_000, large_message_bytes: 6_000_000)

  init(_ limits: ctest_budget_limits = TestBudget.limits) { budget = ctest_budget_create(limits) }

  deinit { ctest_budget_destroy(budget) }

  /// What the server must do with a call: serve it, refuse it, or cut the connection.
  enum Verdict: Int32 {
    case within, burst, refuse, cut

    var isServed: Bool { self == .within || self == .burst }
  }

  /// Opens a call while `alive` calls, including this one, are not over.
  func openCall(alive: UInt64 = 1) -> Verdict { Verdict(rawValue: ctest_budget_open_call(budget, alive, now))! }

  /// Whether a connection may go on, sends a message that must be refused, or must be cut.
  enum State: Int32 {
    case fine, messageTooLarge, hostile
  }

  /// Looks at the connection. Returns its state.
  func state(_ traffic: ctest_traffic) -> State { State(rawValue: ctest_budget_look(budget, traffic, now))! }

  /// Looks at the connection. Returns the part of the budget of bytes that is left, or nil when it is used up.
  func look(_ traffic: ctest_traffic) -> Double? {
    state(traffic) == .fine ? ctest_budget_share_left(budget, now) : nil
  }

  /// The server has refused the message that is under way.
  func refusedMessage() { ctest_budget_refused_message(budget, now) }

  /// Forgives the bytes of an incomplete message.
  func forgive(isLarge: Bool) { ctest_budget_forgive(budget, isLarge, now) }

  /// The part of the budget that is used.
  var debt: (calls: Double, bytes: Double) {
    (ctest_budget_debt_calls(budget, now), ctest_budget_debt_bytes(budget, now))
  }
}

/// The places of connections, with a clock that the test sets.
final class TestPlaces {
  private let places: OpaquePointer
  /// The present time in seconds.
  var now = 0.0
  /// The IDs of the connections that have a call.
  var busy: [Int32] = []

  init(_ inAll: Int, perAddress: Int, refusal: Double = 5) {
    places = ctest_places_create(inAll, perAddress, refusal, TestBudget.limits)
  }

  deinit { ctest_places_destroy(places) }

  /// What happens to a new connection: there is room, it is refused, or it takes the place of an older connection.
  enum Answer: Equatable {
    case room, refused
    case inPlaceOf(Int32)
  }

  /// Asks for a place for the connection `id`, and takes the place.
  func come(_ id: Int32, from address: String) -> Answer {
    switch ctest_places_come(places, id, address, busy, busy.count, now) {
    case -1: .refused
    case 0: .room
    case let other: .inPlaceOf(other)
    }
  }

  /// Ends the connection `id`, which has used `calls` and `bytes` of its budget.
  func go(_ id: Int32, calls: Double = 0, bytes: Double = 0, wasCut: Bool = false) {
    ctest_places_go(places, id, calls, bytes, wasCut, now)
  }
}
