import FirstlightAPI
import FirstlightServices
import FirstlightTestKit
import RPCCore
import SwiftProtobuf
import Testing

/// What FaultInjectionService makes of requests.
@Suite(.timeLimit(.minutes(1))) struct FaultRequestTests {
  private typealias Request = Firstlight_Drill_V1_InjectFaultRequest
  private static let method = Firstlight_Drill_V1_FaultInjectionService.injectFault

  @Test(
    arguments: [
      (Request.with { $0.unplug = .init() }, InjectedFault.unplug),
      (.with { $0.replug = .init() }, .replug),
      (.with { $0.stall.duration.seconds = 60 }, .stall(60_000_000_000)),
      (.with { $0.late.delay.nanos = 5 }, .late(5)),
      (.with { $0.drop.frames = 3 }, .drop(3)),
      (.with { $0.corrupt.frames = 4 }, .corrupt(4)),
      (.with { $0.startLatency.latency.seconds = 2 }, .startLatency(2_000_000_000)),
      (.with { $0.outputInitDelay.delay.seconds = 1 }, .outputInitDelay(1_000_000_000, output: nil)),
      (
        .with { ($0.outputInitDelay.delay.seconds, $0.outputInitDelay.output) = (1, "photo") },
        .outputInitDelay(1_000_000_000, output: "photo")
      ),
      (.with { $0.settling.frames = 600 }, .settling(600)),
      (.with { ($0.loseSound.duration.nanos, $0.loseSound.suspended) = (7, true) }, .loseSound(7, suspended: true)),
      (.with { $0.cardClock.partsPerMillion = -2000 }, .cardClock(-2000)),
    ] as [(Firstlight_Drill_V1_InjectFaultRequest, InjectedFault)])
  func everyFaultReachesItsDevice(_ request: Firstlight_Drill_V1_InjectFaultRequest, _ fault: InjectedFault)
    async throws
  {
    try await InProcessDaemon.run { daemon in
      var request = request
      request.device = "devices/any"
      try await daemon.perform(Self.method, request)
      #expect(daemon.injectedFaults.map(\.fault) == [fault])
      #expect(daemon.injectedFaults.map(\.device) == ["any"])
    }
  }

  /// A duration is told with its sign and unit.
  @Test(arguments: [
    (Int64(-3), Int32(0), "-3 s"), (0, -500_000_000, "-0.5 s"), (90, 1, "90.000000001 s"),
  ]) func aDurationOutOfRangeIsToldAsItIs(_ seconds: Int64, _ nanos: Int32, _ text: String) async throws {
    try await InProcessDaemon.run { daemon in
      let request = Request.with {
        $0.device = "devices/any"
        ($0.stall.duration.seconds, $0.stall.duration.nanos) = (seconds, nanos)
      }
      let error = try await daemon.refusal(of: Self.method, request)
      #expect(error.summary == "INVALID_ARGUMENT INVALID_ARGUMENT")
      #expect(error.message.contains("stall.duration is \(text); it must be from 0 s to 60 s."))
      #expect(error.metadata == ["value": text, "minimum": "0 s", "maximum": "60 s"])
      #expect(error.fields == ["stall.duration"])
    }
  }

  @Test(
    arguments: [
      (Request.with { $0.late.delay.seconds = 11 }, "late.delay"),
      (.with { $0.drop.frames = 0 }, "drop.frames"), (.with { $0.corrupt.frames = 10_001 }, "corrupt.frames"),
      (.with { $0.startLatency.latency.seconds = -1 }, "start_latency.latency"),
      (.with { $0.outputInitDelay.delay.seconds = 11 }, "output_init_delay.delay"),
      (.with { $0.settling.frames = 601 }, "settling.frames"),
      (.with { $0.loseSound.duration.seconds = 1 }, "lose_sound.duration"),
      (.with { $0.cardClock.partsPerMillion = 2001 }, "card_clock.parts_per_million"), (Request(), "fault"),
    ] as [(Firstlight_Drill_V1_InjectFaultRequest, String)])
  func aFaultOutOfRangeIsRefusedByName(_ request: Firstlight_Drill_V1_InjectFaultRequest, _ field: String) async throws
  {
    try await InProcessDaemon.run { daemon in
      var request = request
      request.device = "devices/any"
      let error = try await daemon.refusal(of: Self.method, request)
      #expect(error.summary == "INVALID_ARGUMENT INVALID_ARGUMENT")
      #expect(error.fields == [field])
      #expect(daemon.injectedFaults.isEmpty)
    }
  }
}
