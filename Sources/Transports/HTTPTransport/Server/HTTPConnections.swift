internal import Locking
internal import NIOCore

/// The open connections of the server, and which of them have a request. Limits how many are open at once.
/// Thread-safe.
final class HTTPConnections: Sendable {
  private struct Connection {
    let channel: any Channel
    /// A number that grows with each accepted connection.
    let order: UInt64
    var isBusy = false
    /// Called once when the connection ends.
    var onClose: (@Sendable () -> Void)?
  }
  private struct State {
    var open: [ObjectIdentifier: Connection] = [:]
    var accepted: UInt64 = 0
  }
  private let maximum: Int
  private let state = Locked(State())

  init(maximum: Int) { self.maximum = maximum }

  /// Adds a new connection. When there are then more than the maximum, closes the oldest connection that has no
  /// request, or the new one when all others have a request.
  func admit(_ channel: any Channel) {
    let surplus: (any Channel)? = state.withLock { state in
      state.accepted += 1
      var surplus: (any Channel)?
      if state.open.count >= maximum {
        guard let oldest = state.open.values.filter({ !$0.isBusy }).min(by: { $0.order < $1.order }) else {
          return channel
        }
        state.open[ObjectIdentifier(oldest.channel)] = nil
        surplus = oldest.channel
      }
      state.open[ObjectIdentifier(channel)] = Connection(channel: channel, order: state.accepted)
      return surplus
    }
    surplus?.close(promise: nil)
  }

  /// Says whether a connection has a request that is not answered yet.
  func set(_ channel: any Channel, isBusy: Bool) {
    state.withLock { $0.open[ObjectIdentifier(channel)]?.isBusy = isBusy }
  }

  /// Sets the function that is called once when the connection ends, at once if it has ended already. Nil forgets the
  /// function.
  func onClose(of channel: any Channel, _ function: (@Sendable () -> Void)?) {
    let isOpen = state.withLock { state in
      guard state.open[ObjectIdentifier(channel)] != nil else { return false }
      state.open[ObjectIdentifier(channel)]?.onClose = function
      return true
    }
    if !isOpen { function?() }
  }

  /// Forgets a connection that has ended.
  func remove(_ channel: any Channel) {
    state.withLock { $0.open.removeValue(forKey: ObjectIdentifier(channel)) }?.onClose?()
  }

  /// Closes all connections.
  func closeAll() {
    for connection in state.withLock({ Array($0.open.values) }) { connection.channel.close(promise: nil) }
  }
}
