import FirstlightAPI
import FirstlightTestKit
import RPCCore
import SwiftProtobuf

extension InProcessDaemon {
  /// The events of a session from now on, or after an event.
  func watchSession(_ name: String, after: String = "") throws -> ResponseStream<Firstlight_V1_WatchSessionResponse> {
    try stream(
      Firstlight_V1_SessionService.watchSession,
      Firstlight_V1_WatchSessionRequest.with { ($0.name, $0.afterEventID) = (name, after) })
  }

  /// The events of a session after its snapshot, which has come when the method returns. The stream then has all that
  /// happens afterwards. Without the wait, a call that follows may come first, and the snapshot have its result.
  func followSession(_ name: String) async throws -> ResponseStream<Firstlight_V1_WatchSessionResponse> {
    let stream = try watchSession(name)
    _ = try await stream.take(1)
    return stream
  }
}

extension ResponseStream<Firstlight_V1_WatchSessionResponse> {
  /// The events up to the first change to a state.
  func events(until state: Firstlight_V1_Session.State) async throws -> [Firstlight_V1_SessionEvent] {
    try await through { $0.event.stateChanged.sessionState == state }.map(\.event)
  }
}

extension [Firstlight_V1_SessionEvent] {
  /// The states to which the session moved.
  var states: [Firstlight_V1_Session.State] {
    compactMap { event in
      guard case .stateChanged(let change) = event.event else { return nil }
      return change.sessionState
    }
  }
}
