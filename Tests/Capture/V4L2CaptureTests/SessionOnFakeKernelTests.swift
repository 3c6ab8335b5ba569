import CaptureCore
import CaptureTestKit
import Glibc
import Logging
import Testing

@testable import CaptureSessions
@testable import V4L2Capture

/// Which calls of the driver a session makes, and how the driver's answers change what the session resolves.
@Suite(.timeLimit(.minutes(1))) struct SessionOnFakeKernelTests {
  private let files = TemporaryTree()
  private let kernel = FakeKernel()

  private static let formats = [
    FakeKernel.Format(
      "YUYV", sizes: [.discrete(Size(width: 64, height: 48)), .discrete(Size(width: 32, height: 24))])
  ]

  /// A session on a camera of the fake kernel.
  ///
  /// - Parameters:
  ///   - encodedPixels: how many pixels a core encodes in a second; nil when nothing is known about the machine.
  ///   - formats: the formats of the camera at the provider's first look, which comes after this call.
  private func makeSession(
    encodedPixels: Double? = nil, formats: [FakeKernel.Format] = Self.formats
  ) async throws -> CaptureSession {
    files.write("dev/video0")
    kernel.change { $0.formats = formats }
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let provider = V4L2DeviceProvider(logger: logger, tree: files.tree, syscalls: kernel)
    let machine = encodedPixels.map {
      MachineCapacity(
        core: CoreThroughput(copiedBytes: 1e9, convertedPixels: 1e9, encodedPixels: $0), cores: 1, sustainedShare: 1)
    }
    let devices = DeviceRegistry(providers: [PatientProvider(provider: provider)], machine: MachineGauge(machine))
    let sessions = SessionRegistry(devices: devices, logger: logger, makeComposition: FakeComposition.make) {
      output, _ in
      FakeOutput(id: output.id)
    }
    return try await sessions.create(id: "s", idleTimeout: 0)
  }

  private func configuration(_ width: Int, _ height: Int, id: String? = nil) -> SessionConfiguration {
    var configuration = SessionConfiguration()
    let format = SessionConfiguration.Format(pixelFormat: .yuyv, size: Size(width: width, height: height))
    configuration.inputs = [.init(id: id, deviceID: "fake-000", format: format)]
    configuration.preview = .init()
    configuration.photo = .init()
    return configuration
  }

  @Test("B3: the rate that the driver confirms is resolved") func theDriversRateIsResolved() async throws {
    let session = try await makeSession()
    kernel.change { $0.insistsOnDuration = Rational(1, 25) }
    var asked = configuration(64, 48)
    asked.inputs[0].frameRate = Rational(30, 1)
    let committed = try await session.configure(asked, etag: "", validateOnly: false).snapshot
    #expect(committed.resolved.input?.frameRate == Rational(30, 1), "the rate in the driver's list")
    let started = try await session.start(requestedAt: 0)
    #expect(started.resolved.input?.frameRate == Rational(25, 1))
    #expect(await session.committed.format(at: 0)?.frameRate == Rational(25, 1))
    #expect(await session.committed.demand?.cameras.first?.rate == Rational(25, 1))
    #expect(
      try await session.serially { $0.pipelines[0].frames.ring.currentLimits.maximumFrames } == 16,
      "as many as 600 ms have at that rate")
    #expect(started.etag == committed.etag, "no client asked for another configuration")
    var told: [ConfigurationCost] = []
    for id in 0..<session.events.lastID {
      if case .costChanged(let cost) = try await session.events.entry(after: id).payload { told.append(cost) }
    }
    #expect(told == [started.cost])

    var again = asked
    again.inputs[0].frameRate = started.resolved.input?.frameRate
    again.inputs[0].id = "front"
    let same = try await session.configure(again, etag: "", validateOnly: false)
    #expect(same.snapshot.resolved.input?.frameRate == Rational(25, 1), "a resolved rate resolves to itself")
    #expect(count("VIDIOC_STREAMON") == 1)

    asked.inputs[0].frameRate = Rational(15, 1)
    kernel.change { $0.insistsOnDuration = nil }
    let slower = try await session.configure(asked, etag: "", validateOnly: false).snapshot
    #expect(slower.resolved.input?.frameRate == Rational(15, 1))
    #expect((count("VIDIOC_STREAMON"), await session.committed.demand?.cameras.first?.rate) == (2, Rational(15, 1)))
    _ = try await session.stop(etag: "")
  }

  @Test("E6: suggestions count with the rate that the driver confirmed, as ConfigureSession does")
  func suggestionsUseTheDriversRate() async throws {
    let rate = Rational(25, 1)
    // A core can encode 25 frames a second, but not 30.
    let session = try await makeSession(encodedPixels: 27 * 64 * 48)
    kernel.change { $0.insistsOnDuration = rate.reciprocal }
    var asked = configuration(64, 48)
    asked.inputs[0].frameRate = Rational(30, 1)
    _ = try await session.configure(asked, etag: "", validateOnly: false)
    _ = try await session.start(requestedAt: 0)
    #expect(await session.snapshot().cost.hardware < 1)
    #expect(try await session.suggestLowerCost(of: nil).isEmpty)
    asked.inputs[0].frameRate = rate
    #expect(try await session.suggestLowerCost(of: asked).isEmpty, "a resolved rate resolves to itself")
    _ = try await session.stop(etag: "")
  }

  @Test("B3: a client may ask another preset for the rate that the driver confirmed for one format")
  func theDriversRateOfAnotherPreset() async throws {
    let session = try await makeSession(formats: [
      .init("YUYV", sizes: [.discrete(Size(width: 640, height: 480))]),
      .init(
        "UYVY", sizes: [.discrete(Size(width: 320, height: 240))],
        durations: .discrete([Rational(1, 30), Rational(1, 25)])),
    ])
    kernel.change { $0.insistsOnDuration = Rational(1, 25) }
    var asked = configuration(0, 0)
    asked.inputs[0].format = nil
    asked.preset = .high
    _ = try await session.configure(asked, etag: "", validateOnly: false)
    #expect(try await session.start(requestedAt: 0).resolved.input?.frameRate == Rational(25, 1))
    kernel.change { $0.insistsOnDuration = nil }
    asked.inputs[0].frameRate = Rational(25, 1)
    #expect(try await session.configure(asked, etag: "", validateOnly: false).reconfigured == false)
    asked.preset = .low
    _ = try await session.configure(asked, etag: "", validateOnly: false)
    #expect(kernel.rate == Rational(1, 25))
    _ = try await session.stop(etag: "")
  }

  @Test("B3: the rate confirmed at the last start is resolved until the next start") func theRateOfTheLastStart()
    async throws
  {
    let session = try await makeSession()
    kernel.change { $0.insistsOnDuration = Rational(1, 25) }
    _ = try await session.configure(configuration(64, 48), etag: "", validateOnly: false)
    _ = try await session.start(requestedAt: 0)
    _ = try await session.stop(etag: "")
    let again = try await session.configure(configuration(64, 48, id: "front"), etag: "", validateOnly: false)
    #expect(again.snapshot.resolved.input?.frameRate == Rational(25, 1))
    #expect(await session.committed.demand?.cameras.first?.rate == Rational(25, 1))
    _ = try await session.start(requestedAt: 0)
    let other = try await session.configure(configuration(32, 24), etag: "", validateOnly: false)
    #expect(other.reconfigured)
    #expect(
      other.snapshot.resolved.input?.frameRate == Rational(25, 1), "a commit that starts the camera has it at once")
    _ = try await session.stop(etag: "")
  }

  @Test("B3: a format that a failed commit restores has the rate that the driver confirms then")
  func theRateOfARestoredFormat() async throws {
    let session = try await makeSession()
    _ = try await session.configure(configuration(64, 48), etag: "", validateOnly: false)
    #expect(try await session.start(requestedAt: 0).resolved.input?.frameRate == Rational(30, 1))
    kernel.change { $0.insistsOnDuration = Rational(1, 20) }
    kernel.fail("VIDIOC_STREAMON", with: ENOSPC)
    await #expect(throws: CaptureError.self) {
      _ = try await session.configure(configuration(32, 24), etag: "", validateOnly: false)
    }
    #expect(await session.snapshot().resolved.input?.frameRate == Rational(20, 1))
    _ = try await session.stop(etag: "")
  }

  @Test("B3: without a list of rates the driver decides the rate") func aDriverThatListsNoRates() async throws {
    let session = try await makeSession()
    kernel.change {
      $0.formats[0].durations = .discrete([])
      $0.insistsOnDuration = Rational(1, 20)
    }
    var asked = configuration(64, 48)
    asked.inputs[0].frameRate = Rational(60, 1)
    let committed = try await session.configure(asked, etag: "", validateOnly: false).snapshot
    #expect(committed.resolved.input?.frameRate == Rational(60, 1))
    let started = try await session.start(requestedAt: 0)
    #expect(started.resolved.input?.frameRate == Rational(20, 1))
    _ = try await session.stop(etag: "")
  }

  @Test("B3: each size in a range has the driver's rates for that size") func ratesOfASizeInARange() async throws {
    let session = try await makeSession()
    kernel.change {
      let sizes = SizeRange(
        minimum: Size(width: 32, height: 24), maximum: Size(width: 640, height: 480), step: Size(width: 8, height: 8))
      $0.formats[0].sizes = [.range(sizes)]
    }
    var asked = configuration(64, 48)
    asked.inputs[0].frameRate = Rational(60, 1)
    let error = await #expect(throws: ConfigurationError.self) {
      _ = try await session.configure(asked, etag: "", validateOnly: false)
    }
    #expect(error?.issues.map(\.reason) == [.formatNotSupported])
    #expect(error?.issues.first?.field == "configuration.inputs[0].frame_rate_override")
    #expect(error?.issues.first?.metadata["frame_rates"] == "30")
    asked.inputs[0].frameRate = Rational(2997, 100)
    let taken = try await session.configure(asked, etag: "", validateOnly: false).snapshot
    #expect(taken.resolved.input?.frameRate == Rational(30, 1))
  }

  /// How often the driver got a call whose name begins with `call`.
  private func count(_ call: String) -> Int { kernel.log.filter { $0.hasPrefix(call) }.count }

  @Test("A9: one commit and one start set the format once") func aLaunchSetsTheFormatOnce() async throws {
    let session = try await makeSession()
    _ = try await session.configure(configuration(64, 48), etag: "", validateOnly: true)
    _ = try await session.configure(configuration(64, 48), etag: "", validateOnly: false)
    #expect(count("VIDIOC_S_") == 0, "a stopped session only tries formats")
    #expect(kernel.openCount == 0)
    _ = try await session.start(requestedAt: 0)
    #expect((count("VIDIOC_S_FMT"), count("VIDIOC_S_PARM"), count("VIDIOC_STREAMON")) == (1, 1, 1))

    let tried = count("VIDIOC_TRY_FMT")
    _ = try await session.configure(configuration(64, 48), etag: "", validateOnly: false)
    _ = try await session.configure(configuration(64, 48, id: "front"), etag: "", validateOnly: false)
    _ = try await session.start(requestedAt: 0)
    #expect((count("VIDIOC_S_FMT"), count("VIDIOC_STREAMON")) == (1, 1), "none of this concerns the driver")
    #expect(count("VIDIOC_TRY_FMT") == tried)

    _ = try await session.configure(configuration(32, 24), etag: "", validateOnly: false)
    #expect((count("VIDIOC_S_FMT"), count("VIDIOC_STREAMON")) == (2, 2))
    _ = try await session.stop(etag: "")
    #expect(kernel.openCount == 0)
  }

  @Test("C4: a commit asks cameras for their formats only when the known formats do not suffice")
  func aCommitUsesTheKnownFormats() async throws {
    let session = try await makeSession()
    _ = try await session.configure(configuration(64, 48), etag: "", validateOnly: false)
    let known = kernel.formatQuestions
    #expect(known > 0, "the provider looked at the camera first")
    _ = try await session.configure(configuration(32, 24), etag: "", validateOnly: false)
    #expect(kernel.formatQuestions == known)
    // The formats of a capture card change like this when its source changes, and no event tells the daemon.
    kernel.change { $0.formats = [.init("YUYV", sizes: [.discrete(Size(width: 128, height: 96))])] }
    _ = try await session.configure(configuration(128, 96), etag: "", validateOnly: false)
    #expect(kernel.formatQuestions > known)
    #expect(await session.snapshot().resolved.input?.request.size == Size(width: 128, height: 96))
  }

  @Test("C4: a commit takes no format from an old list when the driver refuses the format now")
  func aCommitDoesNotUseAStaleList() async throws {
    let session = try await makeSession()
    var asked = configuration(64, 48)
    asked.inputs[0].format = nil
    asked.preset = .high
    _ = try await session.configure(asked, etag: "", validateOnly: false)
    let other = Size(width: 128, height: 96)
    kernel.change {
      $0.formats = [.init("YUYV", sizes: [.discrete(other)])]
      $0.insistsOn = other
    }
    asked.inputs[0].id = "front"
    let committed = try await session.configure(asked, etag: "", validateOnly: false).snapshot
    #expect(committed.resolved.input?.request.size == other)
    let questions = kernel.formatQuestions
    asked.inputs[0].id = "back"
    _ = try await session.configure(asked, etag: "", validateOnly: false)
    #expect(kernel.formatQuestions == questions, "the known formats suffice again")
  }

  @Test(
    "A9: when the driver refuses half-way, the camera gets its former format back",
    arguments: [
      ("VIDIOC_S_FMT", EBUSY, .deviceInUse), ("VIDIOC_S_FMT", EINVAL, .formatNotSupported),
      ("VIDIOC_REQBUFS", EINVAL, .deviceFailed), ("mmap", ENOMEM, .deviceFailed),
      ("VIDIOC_QBUF", EINVAL, .deviceFailed), ("VIDIOC_STREAMON", ENOSPC, .bandwidthExceeded),
    ] as [(String, Int32, CaptureError.Reason)])
  func aDriverThatRefusesHalfWay(_ call: String, _ errno: Int32, _ reason: CaptureError.Reason) async throws {
    let session = try await makeSession()
    _ = try await session.configure(configuration(64, 48), etag: "", validateOnly: false)
    _ = try await session.start(requestedAt: 0)
    let before = await session.snapshot()
    // The same call releases the buffers of the former format, and its failure there has no consequence. Only the
    // second failure concerns the new format.
    if call == "VIDIOC_REQBUFS" { kernel.fail(call, with: errno) }
    kernel.fail(call, with: errno)
    let error = await #expect(throws: CaptureError.self) {
      _ = try await session.configure(configuration(32, 24), etag: before.etag, validateOnly: false)
    }
    #expect(error?.reason == reason)
    var after = await session.snapshot()
    #expect(after.eventID == before.eventID + 2, "two events: the camera's reconfiguration began and ended")
    after.eventID = before.eventID
    #expect(after == before)
    #expect(kernel.openCount == 1)
    let streaming = kernel.log.lastIndex(of: "VIDIOC_STREAMON")
    #expect(kernel.log.endIndex - 1 == streaming, "the former format streams again")
    _ = try await session.stop(etag: "")
  }
}

/// The fake kernel gives no frames by itself. However slow a test is, its camera does not count as stalled, so that the
/// session starts no stream a second time.
private struct PatientProvider: DeviceProvider {
  let provider: V4L2DeviceProvider

  func devices() async -> [Device] { await provider.devices() }
  func knownDevices() async -> [Device] { await provider.knownDevices() }
  func knownDevice(_ id: String) async -> Device? { await provider.knownDevice(id) }
  func changes() -> AsyncStream<DeviceChange> { provider.changes() }
  func resolve(_ request: StreamRequest, on deviceID: String) async throws(CaptureError) -> StreamFormat {
    try await provider.resolve(request, on: deviceID)
  }
  func controls(of deviceID: String) async throws(CaptureError) -> [Control] {
    try await provider.controls(of: deviceID)
  }
  func set(_ settings: [ControlSetting], on deviceID: String) async throws(CaptureError) -> [ControlResult] {
    try await provider.set(settings, on: deviceID)
  }
  func start(
    _ request: StreamRequest, on deviceID: String, pool: FramePool, sink: any FrameSink
  ) async throws(CaptureError) -> any FrameSource {
    var request = request
    request.patience = StallPatience(betweenFrames: 600_000_000_000, firstFrame: 600_000_000_000)
    return try await provider.start(request, on: deviceID, pool: pool, sink: sink)
  }
}
