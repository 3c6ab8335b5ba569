/// The budget that a connection exceeded so far that it was cut.
enum ConnectionExcess: String, Sendable {
  case calls, bytes
}
