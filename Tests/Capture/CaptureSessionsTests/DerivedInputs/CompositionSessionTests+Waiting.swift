import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

/// Tests that a composition does not count as stalled while the session itself keeps its first layer's camera from
/// bringing frames.
extension CompositionSessionTests {
  /// A photo of the first layer's camera that is larger than its stream takes the camera away for a moment.
  @Test("L1: a larger photo of the first layer lets the composition wait") func aLargerPhoto() async throws {
    let bench = Self.bench(clock: ManualClock())
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    var wanted = Self.configuration()
    for index in 0..<2 { wanted.inputs[index].format = .init(pixelFormat: .nv12, size: Size(width: 640, height: 360)) }
    wanted.photo = .init()
    wanted.connections.append(.init(input: "cam-0", output: "photo"))
    _ = try await session.configure(wanted, etag: "", validateOnly: false)
    _ = try await session.start(requestedAt: 1)
    let both = try composition(in: bench)
    let data = try #require(bench.output("data"))
    both.waits.removeAll()
    let shot = Shot(steps: [Shot.Step()], size: Size(width: 1280, height: 720))
    _ = try await session.shoot(shot, while: { true }) { _, _ in
      #expect(both.waits.all == [true])
      #expect(data.statuses.all.last?.isTakingStill == true)
    }
    #expect(both.waits.all == [true, false])
    #expect(data.statuses.all.last == SessionStatus(.running))
    #expect(both.sources.all.map(\.isLive) == [true])
  }

  /// A launch and a commit that restarts the first layer's camera take as long as the camera does.
  @Test("L1: a composition waits while its first layer's camera starts") func aRestart() async throws {
    let bench = Self.bench()
    let session = try await running(bench)
    let both = try composition(in: bench)
    #expect(both.waits.all == [true, false], "the launch")
    bench.provider.starting.close()
    var wanted = Self.configuration()
    wanted.inputs[0].frameRate = Rational(15, 1)
    let commit = Task { [wanted] in try await session.configure(wanted, etag: "", validateOnly: false) }
    try await bench.provider.starting.arrivals.wait(count: 3)
    #expect(both.waits.all == [true, false, true])
    bench.provider.starting.open()
    #expect(try await commit.value.reconfigured)
    #expect(both.waits.all == [true, false, true, false])
    #expect(both.sources.all.map(\.isLive) == [true])
  }

  /// When the machine wakes, the cameras may take longer than a composition may show nothing.
  @Test("L1: a composition waits while its cameras end their rest") func theEndOfARest() async throws {
    let bench = Self.bench()
    let session = try await running(bench)
    let both = try composition(in: bench)
    await session.setSystemAsleep(true)
    #expect(both.waits.all == [true, false], "the launch")
    bench.provider.starting.close()
    let wake = Task { await session.setSystemAsleep(false) }
    try await bench.provider.starting.arrivals.wait(count: 4)
    #expect(both.waits.all == [true, false, true])
    bench.provider.starting.open()
    await wake.value
    #expect(both.waits.all == [true, false, true, false])
    #expect(await states(session) == ["cam-0 running", "cam-1 running", "both running"])
  }

  /// After a commit that fails, the composition waits no more.
  @Test("A9: a failed commit ends the wait") func aFailedCommitEndsTheWait() async throws {
    let bench = Self.bench()
    let session = try await running(bench)
    let both = try composition(in: bench)
    bench.provider.failStarts(CaptureError(.bandwidthExceeded, "The bus is full."))
    var wanted = Self.configuration()
    wanted.inputs[0].frameRate = Rational(15, 1)
    #expect(
      await reason { _ = try await session.configure(wanted, etag: "", validateOnly: false) } == .bandwidthExceeded)
    #expect(both.waits.all == [true, false, true, false])
  }
}
