import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import CaptureSessions

/// Tests the launches of single cameras in the timeline of a session, as plain values.
@Suite struct CameraLaunchTests {
  private var timeline = LaunchTimeline()

  init() {
    timeline.restart(at: 10)
    timeline.beginOpening("cam-0", at: 20)
    timeline.endOpening("cam-0", at: 30)
    timeline.noteFirstFrame(captured: 40, streamID: 1, of: "cam-0")
  }

  /// A camera that comes back after an interruption brings a first frame too, which is not that of its launch.
  @Test func onlyTheFirstOpeningOfALaunchCounts() {
    var later = timeline
    later.beginOpening("cam-0", at: 50)
    later.endOpening("cam-0", at: 60)
    later.noteFirstFrame(captured: 70, streamID: 2, of: "cam-0")
    #expect(later == timeline)
    #expect(timeline.cameras == ["cam-0": .launched(10, 20, 30, 40, stream: 1)])
  }

  /// A commit begins the launches of the cameras that it asks for, and removes those of the inputs that it removes. The
  /// times of the session stay.
  @Test("L1: a commit begins the launch of a camera") func aCommitBeginsALaunch() {
    var later = timeline
    let added = LaunchTimeline.Camera.launched(100, 110, 120, nil, stream: nil)
    later.commit(at: 130, inputs: ["cam-0", "cam-1"], asked: ["cam-1": added])
    #expect(later.cameras == ["cam-0": .launched(10, 20, 30, 40, stream: 1), "cam-1": added])
    later.noteFirstFrame(captured: 140, streamID: 2, of: "cam-1")
    #expect(later.cameras["cam-1"] == .launched(100, 110, 120, 140, stream: 2))
    #expect((later.firstFrame?.captured, later.firstFrame?.streamID, later.configurationCommitted) == (40, 1, 130))
    later.commit(at: 150, inputs: ["cam-1"], asked: [:])
    #expect(later.cameras.keys.sorted() == ["cam-1"])
  }

  /// The report of the first frame of the former camera may come when a commit has replaced that camera already.
  @Test("L1: a late report of the former stream does not count") func aLateReportDoesNotCount() {
    var later = timeline
    var swapped = LaunchTimeline.Camera.launched(100, 110, 120, nil, stream: nil)
    swapped.earliestStream = 3
    later.commit(at: 130, inputs: ["cam-0"], asked: ["cam-0": swapped])
    later.noteFirstFrame(captured: 105, streamID: 2, of: "cam-0")
    #expect(later.cameras["cam-0"]?.firstFrame?.captured == nil)
    later.noteFirstFrame(captured: 140, streamID: 3, of: "cam-0")
    #expect(later.cameras["cam-0"]?.firstFrame?.captured == 140)
  }

  /// A camera that a commit asks for and that cannot run yet opens later, and its launch begins with the commit
  /// nevertheless. A commit without a time is that of a configuration for which the start asked.
  @Test("L1: a launch begins with the call that asks for the camera") func aLaunchBeginsWithItsRequest() {
    var later = timeline
    let asked = ["cam-1": LaunchTimeline.Camera(requested: 100), "cam-2": LaunchTimeline.Camera()]
    later.commit(at: 130, inputs: ["cam-0", "cam-1", "cam-2"], asked: asked)
    for input in ["cam-1", "cam-2"] { later.beginOpening(input, at: 200) }
    #expect(later.cameras["cam-1"] == .launched(100, 200, nil, nil, stream: nil))
    #expect(later.cameras["cam-2"] == .launched(10, 200, nil, nil, stream: nil))
  }
}

/// Tests which cameras of a session a commit gives a launch of their own.
@Suite(.timeLimit(.minutes(1))) struct CommitLaunchTests {
  /// Adding a camera, swapping it and connecting it again each begin a launch. The other camera keeps its own.
  @Test("L1: a camera that a commit adds, swaps or connects again has a launch") func aCommitBeginsLaunches()
    async throws
  {
    let bench = Bench.ofCameras()
    let session = try await bench.run(.cameras([0]))
    try bench.source(0).send()
    await session.port.drain()
    let first = try #require(await session.launchTimeline().cameras["cam-0"])
    #expect(first.requested == 1)
    var last: LaunchTimeline.Camera?
    let swapped = SessionConfiguration.cameras([0, 1]) { $0.inputs[1].deviceID = "fake-2" }
    let closed = SessionConfiguration.cameras([0, 1], disabled: [1]) { $0.inputs[1].deviceID = "fake-2" }
    for (configuration, begins) in [
      (SessionConfiguration.cameras([0, 1]), true), (swapped, true), (closed, false), (swapped, true),
    ] {
      let before = MonotonicInstant.now()
      _ = try await session.configure(configuration, etag: "", validateOnly: false)
      let launch = try #require(await session.launchTimeline().cameras["cam-1"])
      #expect((launch.requested ?? 0) >= before || !begins)
      #expect((launch != last) == begins)
      guard begins else { continue }
      let (requested, begin, end) = (launch.requested, launch.start.begin, launch.start.end)
      let times = try [requested, begin, end].map { try #require($0) }
      #expect(times == times.sorted() && launch.firstFrame == nil)
      let source = try #require(bench.provider.sources.all.last)
      let frame = try #require(source.send())
      await session.port.drain()
      last = await session.launchTimeline().cameras["cam-1"]
      #expect((last?.firstFrame?.captured, last?.firstFrame?.streamID) == (frame.time.monotonic, source.streamID))
      #expect(await session.launchTimeline().cameras["cam-0"] == first)
    }
  }

  /// The first frame of an added or swapped camera may come before its start returns, so before the commit is taken
  /// over. The events name the camera that brought it.
  @Test("L1: a first frame that comes during the commit is that of the new camera", arguments: [[0, 1], [2]])
  func aFirstFrameDuringTheCommitCounts(cameras: [Int]) async throws {
    let bench = Bench.ofCameras()
    let session = try await bench.run(.cameras([0]))
    try bench.source(0).send()
    bench.provider.started.close()
    let commit = Task { try await session.configure(.cameras(cameras), etag: "", validateOnly: false) }
    let source = try #require(try await bench.provider.sources.wait(count: 2).last)
    let frame = try #require(source.send())
    await session.port.drain()
    bench.provider.started.open()
    _ = try await commit.value
    let input = "cam-\(cameras.last!)"
    let launch = await session.launchTimeline().cameras[input]
    #expect((launch?.firstFrame?.captured, launch?.firstFrame?.streamID) == (frame.time.monotonic, source.streamID))
    let named = try await events(of: session).compactMap {
      if case .streamChanged(_, _, let input) = $0 { input } else { nil }
    }
    #expect(named == (cameras == [2] ? [input] : []))
  }

  /// A commit that fails leaves the launches as they were.
  @Test("A9: a commit that fails begins no launch") func aFailedCommitBeginsNoLaunch() async throws {
    let bench = Bench.ofCameras()
    let session = try await bench.run(.cameras([0]))
    let before = await session.launchTimeline()
    bench.provider.failStarts(.busFull, of: "fake-1")
    #expect(
      await reason { _ = try await session.configure(.cameras([0, 1]), etag: "", validateOnly: false) }
        == .bandwidthExceeded)
    #expect(await session.launchTimeline() == before)
  }
}

extension LaunchTimeline.Camera {
  fileprivate static func launched(
    _ requested: MonotonicInstant, _ begin: MonotonicInstant?, _ end: MonotonicInstant?, _ frame: MonotonicInstant?,
    stream: UInt64?
  ) -> Self {
    var camera = Self(requested: requested)
    camera.start = .init(begin: begin, end: end)
    if let frame, let stream { camera.firstFrame = .init(captured: frame, streamID: stream) }
    return camera
  }
}
