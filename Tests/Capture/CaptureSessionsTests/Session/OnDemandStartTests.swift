import CaptureTestKit
import SystemClocks
import Testing

@testable import CaptureSessions

/// Tests when a session on demand asks to be started and stopped, from the coming and going of its viewers alone.
@Suite struct OnDemandStartTests {
  /// The wait that the only action begins; nil for any other actions.
  private func wait(_ actions: [OnDemandStart.Action]) -> OnDemandStart.Wait? {
    guard case .wait(let wait)? = actions.first, actions.count == 1 else { return nil }
    return wait
  }

  /// Every viewer asks for a start, because only the session knows whether it runs, stops or was stopped. The launch
  /// begins when the viewer came.
  @Test func everyViewerAsksForAStart() {
    var demand = OnDemandStart()
    #expect(!demand.isWanted)
    #expect(demand.handle(.viewerCame(at: 5)) == [.start(requestedAt: 5)])
    #expect(demand.handle(.viewerCame(at: 7)) == [.start(requestedAt: 7)])
    #expect(demand.isWanted)
  }

  /// The idle timeout begins when the last of several viewers leaves, and the session is to stop after it.
  @Test func theLastViewerThatLeavesBeginsTheIdleTimeout() throws {
    var demand = OnDemandStart()
    _ = demand.handle(.viewerCame(at: 1))
    _ = demand.handle(.viewerCame(at: 2))
    #expect(demand.handle(.viewerLeft).isEmpty)
    #expect(demand.isWanted)
    let begun = try #require(wait(demand.handle(.viewerLeft)))
    #expect(!demand.isWanted)
    #expect(demand.isDue(begun))
  }

  /// A viewer who comes during the idle timeout ends it. A timer that has fired at the same moment stops nothing.
  @Test func aViewerEndsTheIdleTimeout() throws {
    var demand = OnDemandStart()
    _ = demand.handle(.viewerCame(at: 1))
    let begun = try #require(wait(demand.handle(.viewerLeft)))
    #expect(demand.handle(.viewerCame(at: 2)) == [.endWait, .start(requestedAt: 2)])
    #expect(!demand.isDue(begun))
  }

  /// After a viewer has come and left, only the newest idle timeout counts.
  @Test func onlyTheNewestIdleTimeoutCounts() throws {
    var demand = OnDemandStart()
    _ = demand.handle(.viewerCame(at: 1))
    let former = try #require(wait(demand.handle(.viewerLeft)))
    _ = demand.handle(.viewerCame(at: 2))
    let newest = try #require(wait(demand.handle(.viewerLeft)))
    #expect(!demand.isDue(former))
    #expect(demand.isDue(newest))
  }

  /// A capture counts as long as it is under way, although the viewer who asked for it has left. It asks for no start.
  @Test func aCaptureCountsWhenItsViewerHasLeft() throws {
    var demand = OnDemandStart()
    _ = demand.handle(.viewerCame(at: 1))
    #expect(demand.handle(.captureBegan).isEmpty)
    #expect(demand.handle(.viewerLeft).isEmpty)
    #expect(demand.isWanted)
    let begun = try #require(wait(demand.handle(.viewerLeft)))
    #expect(demand.isDue(begun))
  }

  /// A commit may heal what kept the session from starting, so it asks for a start while somebody waits.
  @Test func aCommitAsksForAStartForThoseWhoWait() {
    var demand = OnDemandStart()
    #expect(demand.handle(.committed(at: 1)).isEmpty)
    _ = demand.handle(.viewerCame(at: 2))
    _ = demand.handle(.started)
    #expect(demand.handle(.committed(at: 3)) == [.start(requestedAt: 3)])
  }

  /// After a client has stopped the session, no commit starts it. A viewer who comes does, and commits then count
  /// again.
  @Test func aCommitDoesNotUndoAStopByAClient() {
    var demand = OnDemandStart()
    _ = demand.handle(.viewerCame(at: 1))
    _ = demand.handle(.started)
    #expect(demand.handle(.committed(at: 2)) == [.start(requestedAt: 2)])
    #expect(demand.handle(.stopped).isEmpty)
    // The start that the commit asked for has its turn after the stop.
    #expect(!demand.mayStart)
    #expect(demand.handle(.committed(at: 2)).isEmpty)
    #expect(demand.handle(.viewerCame(at: 3)) == [.start(requestedAt: 3)])
    #expect(demand.mayStart)
    _ = demand.handle(.started)
    #expect(demand.handle(.committed(at: 4)) == [.start(requestedAt: 4)])
  }

  /// A start by a client begins the idle timeout anew while nobody watches, and changes nothing while somebody does.
  @Test func aStartByAClientBeginsTheIdleTimeout() throws {
    var demand = OnDemandStart()
    let former = try #require(wait(demand.handle(.started)))
    let newest = try #require(wait(demand.handle(.started)))
    #expect(!demand.isDue(former))
    #expect(demand.isDue(newest))
    _ = demand.handle(.viewerCame(at: 1))
    #expect(demand.handle(.started).isEmpty)
  }
}
