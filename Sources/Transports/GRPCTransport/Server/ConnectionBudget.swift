/// The budget of one TCP connection: the calls that it may open, and the bytes that it may send beside messages, such
/// as pings, settings and resets.
///
/// A call beyond ``callsAtOnce`` fails with `RESOURCE_EXHAUSTED` `TOO_MANY_CALLS`, and the server cuts a connection
/// that opens twice as many. The server also cuts a connection that sends more than ``bytesAtOnce``. The bytes of a
/// request count until the request is complete, so the server allows more bytes as long as they can be an incomplete
/// request.
public struct ConnectionBudget: Hashable, Sendable {
  /// The number of calls that a client may open at once. Not limited when ``callsPerSecond`` is 0.
  public var callsAtOnce = 2500
  /// The number of further calls that a client may open each second. 0 means any number of calls.
  public var callsPerSecond = 200
  /// The bytes that a client may send at once, beside complete messages, 2 KiB or the metadata of each call, 64 bytes
  /// for each response, and one byte for each 256 bytes that the client acknowledged.
  public var bytesAtOnce = 16 << 10
  /// The number of further bytes that a client may send each second.
  public var bytesPerSecond = 1 << 10

  /// Makes the default budget, which honest clients never use up. The arithmetic is in docs/limits.md.
  public init() {}
}
