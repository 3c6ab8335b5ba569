import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

/// Tests of commits of sessions with several cameras: what a commit does to one of them leaves the others alone.
@Suite(.timeLimit(.minutes(1))) struct SeveralCamerasCommitTests {
  /// When a camera that a commit adds does not start, the others have not been touched, whatever else the commit would
  /// change: no restart, no frame lost, the same snapshot.
  @Test("A9: a commit whose third camera fails leaves the others alone") func aFailedCommitTouchesNoOtherCamera()
    async throws
  {
    let bench = Bench.ofCameras()
    let session = try await bench.run(.cameras([0, 1]))
    let before = await session.snapshot()
    let running = try [bench.source(0), bench.source(1)]
    bench.provider.failStarts(.busFull, of: "fake-2")
    // The commit also gives an output of the first camera to the third, which must not be seen before that runs.
    let bad = SessionConfiguration.cameras([0, 1, 2]) {
      $0.connections[2].output = "data-0"
      $0.connections[0].output = "data-2"
    }
    for _ in 0..<2 {
      #expect(
        await reason { _ = try await session.configure(bad, etag: "", validateOnly: false) } == .bandwidthExceeded)
      var after = await session.snapshot()
      after.eventID = before.eventID
      #expect(after == before)
      #expect(running.allSatisfy { $0.isLive && $0.stops.count == 0 })
      running[0].send()
      #expect(bench.output("data-0")?.frames.all.last?.configRevision == before.revision)
      #expect(bench.output("data-0")?.frames.all.last?.input == "cam-0")
    }
    #expect(bench.output("data-0")?.frames.count == 2)
    #expect(bench.devices.holders == ["fake-0": "s", "fake-1": "s"])
  }

  /// Removing, adding and swapping cameras, and another order of them, leaves the others streaming.
  @Test("A16: a commit leaves the cameras alone that it does not change") func otherCamerasStreamOn() async throws {
    let bench = Bench.ofCameras()
    let session = try await bench.run(.cameras([0, 1, 2]))
    let (first, second, third) = try (bench.source(0), bench.source(1), bench.source(2))
    for cameras in [[1, 2], [2, 1], [2, 1, 3], [2, 1, 4], [2, 1]] {
      _ = try await session.configure(.cameras(cameras), etag: "", validateOnly: false)
      #expect(await session.inputStates == cameras.map { "cam-\($0) running" })
      second.send()
      #expect(bench.output("data-1")?.frames.all.last?.configRevision == (await session.snapshot().revision))
      #expect(bench.devices.holders.keys.sorted() == cameras.map { "fake-\($0)" }.sorted())
    }
    #expect(!first.isLive && second.isLive && third.isLive)
    #expect(second.stops.count == 0 && third.stops.count == 0)
    #expect(bench.output("data-1")?.frames.count == 5)
  }

  /// A camera whose connection is disabled is closed and stays claimed; it opens again with the connection. The session
  /// runs on, even when that holds for all its cameras.
  @Test("L1: a camera without an enabled connection is closed") func anUnusedCameraIsClosed() async throws {
    let bench = Bench.ofCameras()
    let session = try await bench.run(.cameras([0, 1]))
    let (first, second) = try (bench.source(0), bench.source(1))
    _ = try await session.configure(.cameras([0, 1], disabled: [1]), etag: "", validateOnly: false)
    #expect(await session.inputStates == ["cam-0 running", "cam-1 stopped"])
    #expect(first.isLive && !second.isLive)
    #expect(bench.devices.holders == ["fake-0": "s", "fake-1": "s"])
    _ = try await session.configure(.cameras([0, 1], disabled: [0, 1]), etag: "", validateOnly: false)
    #expect(await session.snapshot().status.state == .running)
    #expect(!first.isLive)
    _ = try await session.configure(.cameras([0, 1], disabled: [0]), etag: "", validateOnly: false)
    #expect(await session.inputStates == ["cam-0 stopped", "cam-1 running"])
    _ = try await session.stop(etag: "")
    #expect(bench.devices.holders.isEmpty)
    // A start opens only the cameras that have a purpose, and claims the others.
    #expect(try await session.start(requestedAt: 0).status.state == .running)
    #expect(await session.inputStates == ["cam-0 stopped", "cam-1 running"])
    #expect(bench.devices.holders == ["fake-0": "s", "fake-1": "s"])
    #expect(try await session.toldStates() == [.starting, .running, .stopping, .stopped, .starting, .running])
  }

  /// The frames of the camera that an output had before are over for the output, whichever of the two streams is newer.
  @Test("A16: no frame of the former camera is shown") func framesOfTheFormerCameraAreOver() async throws {
    let bench = Bench.ofCameras()
    let session = try await bench.run(.cameras([0, 1]))
    let views = await session.views
    let frames = try (0..<2).map { try #require(bench.source($0).send()) }
    #expect(views[0].history.isOver(stream: frames[1].streamID) && !views[0].history.isOver(stream: frames[0].streamID))
    #expect(views[1].history.isOver(stream: frames[0].streamID) && !views[1].history.isOver(stream: frames[1].streamID))
    let swapped = SessionConfiguration.cameras([0, 1]) {
      $0.connections[0].output = "data-1"
      $0.connections[1].output = "data-0"
    }
    _ = try await session.configure(swapped, etag: "", validateOnly: false)
    #expect(views[0].history.isOver(stream: frames[0].streamID) && !views[0].history.isOver(stream: frames[1].streamID))
    for camera in 0..<2 { try bench.source(camera).send() }
    #expect(bench.output("data-0")?.frames.all.map(\.input) == ["cam-0", "cam-1"])
  }

  /// A commit that replaces the only camera, which is away, with another prepares the outputs of that camera, although
  /// nothing streams then.
  @Test("L1: a camera that a commit starts has prepared outputs") func aStartedCameraHasPreparedOutputs() async throws {
    let bench = Bench.ofCameras(clock: ManualClock())
    let session = try await bench.run(.cameras([0]))
    bench.provider.disconnect("fake-0")
    _ = try await event(of: session) { $0 == .stateChanged(.init(.interrupted, interruption: .deviceDisconnected)) }
    bench.provider.connect(.fake(id: "fake-0"))
    _ = try await session.configure(.cameras([0, 1]), etag: "", validateOnly: false)
    #expect(await session.inputStates == ["cam-0 interrupted", "cam-1 running"])
    #expect(bench.output("data-1")?.prepared.count == 1)
  }

  /// While one of two restarted cameras may still fail, no output gets a frame of the new configuration.
  @Test("A9: no output gets frames of a commit that fails") func noOutputGetsFramesOfAFailedCommit() async throws {
    let bench = Bench.ofCameras()
    let session = try await bench.run(.cameras([0, 1]))
    let revision = await session.snapshot().revision
    bench.provider.failStarts(.busFull, of: "fake-1")
    bench.provider.started.close()
    let commit = Task {
      _ = try await session.configure(
        .cameras([0, 1]) { for place in 0..<2 { $0.inputs[place].frameRate = Rational(15, 1) } }, etag: "",
        validateOnly: false)
    }
    _ = try await bench.provider.started.arrivals.wait(count: 3)
    try bench.source(0).send()
    bench.provider.started.open()
    #expect(await reason { try await commit.value } == .bandwidthExceeded)
    #expect(bench.output("data-0")?.frames.all.allSatisfy { $0.configRevision == revision } == true)
    try bench.source(0).send()
    #expect(bench.output("data-0")?.frames.count == 1)
  }

  /// A camera that a commit lets run again may stream while another one of the same commit fails, whether that one is
  /// added or swapped.
  @Test("A9: no output gets frames of a camera that a failed commit opened", arguments: [[0, 1, 2], [2, 1]])
  func noOutputGetsFramesOfAnOpenedCamera(cameras: [Int]) async throws {
    let bench = Bench.ofCameras()
    let session = try await bench.run(.cameras([0, 1], disabled: [1]))
    bench.provider.failStarts(.busFull, of: "fake-2")
    bench.provider.started.close()
    let commit = Task { try await session.configure(.cameras(cameras), etag: "", validateOnly: false) }
    _ = try await bench.provider.started.arrivals.wait(count: 2)
    try bench.source(1).send()
    bench.provider.started.open()
    #expect(await reason { _ = try await commit.value } == .bandwidthExceeded)
    #expect(bench.output("data-1")?.frames.count == 0)
    #expect(await session.inputStates == ["cam-0 running", "cam-1 stopped"])
    #expect(try !bench.source(1).isLive)
  }

  /// An output expects frames of the new revision while a commit may still fail, because its camera may bring some, and
  /// then those of the former revision again.
  @Test("A9: an output expects the former revision when a commit has failed") func theFormerRevisionIsExpectedAgain()
    async throws
  {
    let bench = Bench.ofCameras()
    let session = try await bench.run(.cameras([0, 1]))
    let revision = await session.snapshot().revision
    let output = try #require(bench.output("data-0"))
    #expect(output.expectedRevision == revision)
    var slower = SessionConfiguration.cameras([0, 1])
    slower.inputs[0].frameRate = Rational(15, 1)
    bench.provider.starting.close()
    let commit = Task { [slower] in try await session.configure(slower, etag: "", validateOnly: false) }
    _ = try await bench.provider.starting.arrivals.wait(count: 3)
    #expect(output.expectedRevision == revision + 1)
    bench.provider.failStarts(.busFull, of: "fake-0")
    bench.provider.starting.open()
    #expect(await reason { _ = try await commit.value } == .bandwidthExceeded)
    #expect(output.expectedRevision == revision)
  }

  /// What a camera has brought counts on when the commit fails that was to replace it, and not when it succeeds.
  @Test("A9: a failed commit keeps the counts of a camera") func aFailedCommitKeepsTheCounts() async throws {
    let bench = Bench.ofCameras()
    let session = try await bench.run(.cameras([0, 1]))
    func counts() async -> [String] {
      await session.cameraFigures().map { "\($0.input) \($0.counts.frames) \($0.counts.damagedPictures)" }
    }
    try bench.source(1).send(count: 3)
    try bench.source(1).damage()
    bench.provider.failStarts(.busFull, of: "fake-2")
    let other = SessionConfiguration.cameras([0, 2])
    #expect(
      await reason { _ = try await session.configure(other, etag: "", validateOnly: false) } == .bandwidthExceeded)
    try bench.source(1).send()
    #expect(await counts() == ["cam-0 0 0", "cam-1 4 1"])
    bench.provider.failStarts(nil)
    _ = try await session.configure(other, etag: "", validateOnly: false)
    #expect(await counts() == ["cam-0 0 0", "cam-2 0 0"])
    _ = try await session.configure(.cameras([0, 1]), etag: "", validateOnly: false)
    #expect(await counts() == ["cam-0 0 0", "cam-1 0 0"])
  }

  /// A camera that is unplugged, in use or hung does not keep a commit from changing the others. A commit that asks it
  /// for something else is refused.
  @Test("A9: a camera that is away refuses no commit") func aCameraThatIsAwayRefusesNoCommit() async throws {
    let bench = Bench.ofCameras(clock: ManualClock())
    let session = try await bench.run(.cameras([0, 1]))
    let first = try bench.source(0)
    bench.provider.disconnect("fake-1")
    _ = try await event(of: session) { if case .wasInterrupted(_, _, "cam-1") = $0 { true } else { false } }
    _ = try await session.configure(
      .cameras([0, 1]) { $0.inputs[0].frameRate = Rational(15, 1) }, etag: "", validateOnly: false)
    #expect(!first.isLive)
    #expect(await session.inputStates == ["cam-0 running", "cam-1 interrupted"])
    let other = SessionConfiguration.cameras([0, 1]) { $0.inputs[1].frameRate = Rational(15, 1) }
    #expect(await reason { _ = try await session.configure(other, etag: "", validateOnly: false) } == .deviceNotFound)
    #expect(await session.inputStates == ["cam-0 running", "cam-1 interrupted"])
  }
}

extension CaptureSession {
  /// What the outputs see of the session, in the order of their ids.
  fileprivate var views: [CameraOutputContext] { outputs.hosted.sorted { $0.key < $1.key }.map(\.value.view) }
}
