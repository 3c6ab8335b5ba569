import CaptureSessions
import CaptureTestKit
import FirstlightAPI
import FirstlightTestKit
import RPCCore
import SwiftProtobuf
import Testing

/// A session that runs while somebody watches it, on a clock that the test steers.
@Suite(.timeLimit(.minutes(1))) struct OnDemandCallsTests {
  private typealias Preview = ResponseStream<Firstlight_V1_StreamPreviewResponse>

  private func preview(_ daemon: InProcessDaemon) throws -> Preview {
    try daemon.stream(
      Firstlight_V1_PreviewService.streamPreview,
      Firstlight_V1_StreamPreviewRequest.with { $0.session = "sessions/door" })
  }

  @Test func theFirstViewerStartsItAndItStopsAfterTheLastWhenTheTimeIsOver() async throws {
    let clock = ManualClock()
    try await InProcessDaemon.run {
      $0.clock = clock
    } _: { daemon in
      _ = try await daemon.sessions.create(id: "door", idleTimeout: 0, onDemand: .seconds(30))
      let configured = try await daemon.configure("sessions/door", .small()).session
      #expect(configured.onDemand && configured.state == .stopped)
      let first = try preview(daemon)
      _ = try await first.through { $0.frame.streamID != 0 }
      let second = try preview(daemon)
      _ = try await second.through { $0.frame.streamID != 0 }
      first.cancel()
      clock.advance(by: .seconds(60))
      #expect(try await daemon.session("sessions/door").state == .running, "the second viewer is there")
      second.cancel()
      while try await daemon.session("sessions/door").state != .stopped { clock.advance(by: .seconds(30)) }
      #expect(try await preview(daemon).next() != nil)
    }
  }

  /// Time passes only when the test says so.
  @Test func itStaysAwakeForItsIdleTimeout() async throws {
    try await InProcessDaemon.run {
      $0.clock = ManualClock()
    } _: { daemon in
      _ = try await daemon.sessions.create(id: "door", idleTimeout: 0, onDemand: .nanoseconds(1))
      try await daemon.configure("sessions/door", .small())
      var streams: Set<UInt64> = []
      for _ in 0..<3 {
        let viewer = try preview(daemon)
        streams.insert(try #require(try await viewer.through { $0.frame.streamID != 0 }.last).frame.streamID)
        viewer.cancel()
      }
      #expect(streams.count == 1)
    }
  }
}
