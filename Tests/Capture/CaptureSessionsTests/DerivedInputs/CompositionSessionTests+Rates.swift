import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

/// Tests that a composition has the rate that follows from its layout and its present first layer.
extension CompositionSessionTests {
  private func pace(_ rate: UInt32, isSlower: Bool = false) -> CompositionPace {
    CompositionPace(rate: Rational(rate, 1), isSlower: isSlower)
  }

  /// A composition is told whether its first layer's camera is faster than itself, also when a commit changes that
  /// camera's rate.
  @Test("L1: a composition leaves frames out of a faster camera only") func itLeavesFramesOutOfAFasterCamera()
    async throws
  {
    let bench = Self.bench()
    let session = try await running(bench)
    let both = try composition(in: bench)
    #expect(both.plans.all.last?.pace == pace(30))
    var wanted = Self.configuration()
    wanted.inputs[2].composition?.frameRate = Rational(15, 1)
    _ = try await session.configure(wanted, etag: "", validateOnly: false)
    let slower = pace(15, isSlower: true)
    #expect(both.plans.all.suffix(2).map(\.pace) == [slower, slower], "before the new stream, and after the commit")
    wanted.inputs[0].frameRate = Rational(15, 1)
    _ = try await session.configure(wanted, etag: "", validateOnly: false)
    #expect(both.plans.all.last?.pace == pace(15))
    #expect(both.sources.all.map(\.isLive) == [false, true])
  }

  /// A composition that began with a slow first layer becomes faster with another one, and with another rate of it,
  /// without a restart. Everything that depends on the rate follows.
  @Test("L1: the rate of a composition follows its first layer") func theRateFollowsTheFirstLayer() async throws {
    let bench = Self.bench()
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    func commit(_ shown: [Int], _ rates: [UInt32]) async throws -> Rational? {
      var wanted = Self.configuration(of: shown)
      for (index, rate) in rates.enumerated() { wanted.inputs[index].frameRate = Rational(rate, 1) }
      let result = try await session.configure(wanted, etag: "", validateOnly: false)
      return result.snapshot.resolved.inputs[2].frameRate
    }
    #expect(try await commit([0, 1], [15, 30]) == Rational(15, 1))
    _ = try await session.start(requestedAt: 1)
    let both = try composition(in: bench)
    #expect(both.plans.all.last?.pace == pace(15))
    #expect(await session.rate(ofPipeline: 2) == Rational(15, 1))
    #expect(try await commit([1, 0], [15, 30]) == Rational(30, 1), "another first layer")
    #expect(both.plans.all.last?.pace == pace(30))
    #expect(await session.rate(ofPipeline: 2) == Rational(30, 1))
    #expect(try await commit([1, 0], [15, 15]) == Rational(15, 1), "another rate of the first layer")
    #expect(both.plans.all.last?.pace == pace(15))
    #expect(await session.rate(ofPipeline: 2) == Rational(15, 1))
    #expect(await session.snapshot().resolved.inputs[2].frameRate == Rational(15, 1))
    #expect(both.sources.all.map(\.isLive) == [true])
  }

  /// A driver may set another rate than it was asked for, or tell none, which the session learns when the camera
  /// streams.
  @Test(
    "L1: a composition is told the rate that the driver set",
    arguments: [(60, 30, true), (15, 15, false), (0, 30, true)] as [(UInt32, UInt32, Bool)])
  func theDriverSetsAnotherRate(confirmed: UInt32, composed: UInt32, isSlower: Bool) async throws {
    let bench = Self.bench()
    bench.provider.setRate(Rational(confirmed, 1), of: "fake-0")
    let session = try await running(bench)
    #expect(try composition(in: bench).plans.all.last?.pace == pace(composed, isSlower: isSlower))
    #expect(await session.snapshot().resolved.inputs[2].frameRate == Rational(composed, 1))
    #expect(await session.rate(ofPipeline: 2) == Rational(composed, 1))
  }
}
