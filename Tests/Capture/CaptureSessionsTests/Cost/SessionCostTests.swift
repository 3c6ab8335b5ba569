import CaptureCore
import CaptureTestKit
import Logging
import Testing

@testable import CaptureSessions

/// A registry of sessions on fake cameras whose configurations have a cost.
private struct CostBench {
  let provider: FakeProvider
  let sessions: SessionRegistry

  init(_ devices: [Device], machine: MachineGauge = MachineGauge(.round)) {
    provider = FakeProvider(devices: devices)
    sessions = SessionRegistry(
      devices: DeviceRegistry(providers: [provider], machine: machine),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, makeComposition: FakeComposition.make
    ) { output, _ in FakeOutput(id: output.id) }
  }

  /// Creates and configures a session, and does not start it.
  func session(_ configuration: SessionConfiguration, id: String = "s") async throws -> CaptureSession {
    let session = try await sessions.create(id: id, idleTimeout: 0)
    _ = try await session.configure(configuration, etag: "", validateOnly: false)
    return session
  }
}

/// The error that `body` throws, or the first issue of a refused configuration; nil when it throws neither.
private func error(_ body: () async throws -> Void) async -> CaptureError? {
  do { try await body() } catch let error as CaptureError { return error } catch let error as ConfigurationError {
    return error.issues[0]
  } catch { return nil }
  return nil
}

/// Tests what a session does with the cost of its configuration: when it refuses a start or a commit, when it starts
/// nevertheless, and which costs its watchers are told.
@Suite struct SessionCostTests {
  /// What a session's own cameras take of a bus does not count as taken by others, because a commit may give them up.
  @Test func ownCamerasAreNoOthersOnTheBus() throws {
    let devices = DeviceRegistry(providers: [])
    for (place, session) in ["s", "other"].enumerated() {
      try devices.claim("cam-\(place)", for: session)
      let link = USBLink(bus: place, megabitsPerSecond: 480, isochronousSettings: [])
      devices.usb.set(USBDemand(link: link, payload: 1), of: "cam-\(place)")
    }
    #expect(devices.costModel(of: [], in: "s").others.map(\.link.bus) == [1])
    #expect(devices.costModel(of: [], in: nil).others.count == 2)
  }

  private let sensor = Device.sensor()

  /// A stopped session accepts the configuration, so that a client can ask for suggestions. The start is refused with
  /// the resource, the cost and the modes that fit, and no camera is opened. A cheaper configuration starts.
  @Test("E1: a configuration that costs too much can be committed and does not start")
  func aConfigurationThatCostsTooMuchDoesNotStart() async throws {
    let bench = CostBench([sensor])
    let session = try await bench.session(.priced(sensor, .nv12, 3840, 2160, rate: 60))
    #expect(await session.snapshot().cost.hardware > 1.9)
    let refusal = try #require(await error { _ = try await session.start(requestedAt: 0) })
    #expect(refusal.reason == .hardwareCostExceeded)
    #expect(refusal.metadata["resource"] == "SENSOR_READOUT")
    #expect(refusal.metadata["cost"] == "1.914")
    #expect(refusal.metadata["fits"] == "NV12 3840x2160@30, NV12 1920x1080@60, NV12 960x540@60, NV12 640x360@60")
    #expect(refusal.field == nil)
    #expect(bench.provider.sources.count == 0)
    #expect(await session.snapshot().status.state == .stopped)
    let told = try await session.events.entry(after: session.events.lastID - 1).payload
    #expect(told == .runtimeError(refusal, input: nil))

    _ = try await session.configure(.priced(sensor, .nv12, 3840, 2160, rate: 30), etag: "", validateOnly: false)
    #expect(try await session.start(requestedAt: 0).status.state == .running)
  }

  /// Validating tells the cost and the issue; committing is refused, and the running session and its camera are as
  /// before.
  @Test("E1: a running session refuses a configuration that costs too much and goes on")
  func aRunningSessionRefusesACostlyCommitAndGoesOn() async throws {
    let bench = CostBench([sensor])
    let session = try await bench.session(.priced(sensor, .nv12, 1920, 1080, rate: 60))
    _ = try await session.start(requestedAt: 0)
    let before = await session.snapshot()
    let tooMuch = SessionConfiguration.priced(sensor, .nv12, 3840, 2160, rate: 60)
    let checked = try await session.configure(tooMuch, etag: "", validateOnly: true)
    #expect(checked.issues.map(\.reason) == [.hardwareCostExceeded])
    #expect(checked.snapshot.cost.hardware > 1, "validating tells what the configuration would cost")
    let refusal = await error { _ = try await session.configure(tooMuch, etag: "", validateOnly: false) }
    #expect(refusal?.reason == .hardwareCostExceeded)
    let after = await session.snapshot()
    #expect(after.etag == before.etag)
    #expect(after.cost == before.cost)
    #expect(after.eventID == before.eventID)
    #expect(bench.provider.sources.all.map(\.isLive) == [true])
  }

  /// A system pressure above 1 does not refuse a start: the machine can carry the load for a while, and pressure adapts
  /// the session later.
  @Test("E2: a load that cannot last starts") func aLoadThatCannotLastStarts() async throws {
    var machine = MachineCapacity.round
    machine.sustainedShare = 0.01
    let session = try await CostBench([sensor], machine: MachineGauge(machine))
      .session(.priced(sensor, .nv12, 1920, 1080, rate: 60))
    #expect(await session.snapshot().cost.systemPressure > 1)
    #expect(try await session.start(requestedAt: 0).status.state == .running)
  }

  /// A cost above 1 that is only estimated, as that of a USB bus is, does not refuse a start, because the driver
  /// decides.
  @Test func anEstimatedCostAboveOneStarts() async throws {
    let webcam = Device.webcam()
    let session = try await CostBench([webcam]).session(.priced(webcam, .yuyv, 1280, 720, rate: 30))
    #expect(await session.snapshot().cost.hardware > 1)
    #expect(try await session.start(requestedAt: 0).status.state == .running)
  }

  /// When the driver refuses a start for lack of bandwidth, the error names the bus and the modes that should fit, so
  /// that the client can choose one.
  @Test func aFullBusIsReportedWithModesThatFit() async throws {
    let webcam = Device.webcam()
    let bench = CostBench([webcam])
    bench.provider.failStarts(CaptureError(.bandwidthExceeded, "The bus is full.", metadata: ["device": webcam.id]))
    let session = try await bench.session(.priced(webcam, .yuyv, 640, 480, rate: 30))
    let refusal = try #require(await error { _ = try await session.start(requestedAt: 0) })
    #expect(refusal.reason == .bandwidthExceeded)
    #expect(refusal.metadata["bus"] == "2")
    // By the model, this mode fits, and so does 1280x720 at 10. The driver knows better, so only modes that take less
    // than the refused one are named.
    #expect(refusal.metadata["fits"] == "YUYV 640x480@15, MJPG 1280x720@30")
    #expect(refusal.message.hasPrefix("The bus is full."))
  }

  /// The bus has less capacity for a session while a camera of another session streams on it, by the reservation of
  /// that stream, and has its whole capacity again after a stop.
  @Test func runningCamerasOfOtherSessionsReduceTheCapacity() async throws {
    let (one, two) = (Device.webcam(id: "one"), Device.webcam(id: "two"))
    let bench = CostBench([one, two])
    let first = try await bench.session(.priced(one, .yuyv, 640, 480, rate: 30), id: "first")
    let second = try await bench.session(.priced(two, .yuyv, 640, 480, rate: 30), id: "second")
    func room() async -> Double? { await second.snapshot().cost.component(.usbBandwidth)?.capacity }
    #expect(await room() == 48_000_000)
    _ = try await first.start(requestedAt: 0)
    #expect(await room() == 26_496_000)
    _ = try await first.configure(.priced(one, .yuyv, 640, 480, rate: 15), etag: "", validateOnly: false)
    #expect(await room() == 48_000_000 - 10_240_000)
    _ = try await first.stop(etag: "")
    #expect(await room() == 48_000_000)
  }

  /// A session that commits each suggestion has the stated cost each time and can start in the end. Suggestions for a
  /// configuration with an issue are refused with the issue.
  @Test("E6: a session that applies the suggestions has the cost that they state")
  func appliedSuggestionsHaveTheStatedCost() async throws {
    let bench = CostBench([sensor])
    let session = try await bench.session(.priced(sensor, .nv12, 3840, 2160, rate: 60))
    let steps = try await session.suggestLowerCost(of: nil)
    #expect(steps.count == 2)
    for step in steps {
      let result = try await session.configure(step.configuration, etag: "", validateOnly: false)
      #expect(result.snapshot.cost == step.cost)
    }
    #expect(try await session.start(requestedAt: 0).status.state == .running)
    #expect(try await session.suggestLowerCost(of: nil).isEmpty)
    var bad = SessionConfiguration()
    bad.inputs = [.init(deviceID: "nobody")]
    #expect(await error { _ = try await session.suggestLowerCost(of: bad) }?.reason == .deviceNotFound)
  }

  /// Before the machine was measured, a session starts, and its costs of memory and processor are unknown. After the
  /// measurement, watchers are told the costs in an event, and the configuration stays as it is.
  @Test("C2: no commit, suggestion or start waits for the measurement, and an unknown cost refuses nothing")
  func nothingWaitsForTheMeasurement() async throws {
    let gauge = MachineGauge()
    let bench = CostBench([sensor], machine: gauge)
    let telling = Task { await bench.sessions.tellCosts() }
    defer { telling.cancel() }
    let session = try await bench.session(.priced(sensor, .nv12, 1920, 1080))
    let before = try await session.start(requestedAt: 0)
    let memory = try #require(before.cost.component(.memoryBandwidth))
    #expect(memory.certainty == .unknown && memory.demand > 0 && memory.capacity == 0 && memory.cost == 0)
    #expect(before.cost.component(.encoding)?.certainty == .unknown)
    #expect(before.cost.component(.sensorReadout)?.certainty == .exact)
    #expect(before.cost.hardware == before.cost.component(.sensorReadout)?.cost)
    #expect(before.cost.systemPressure == 0)
    #expect(try await session.suggestLowerCost(of: nil).isEmpty)

    gauge.tell(.round)
    var told: ConfigurationCost?
    var last = before.eventID
    while told == nil {
      let entry = try await session.events.entry(after: last)
      last = entry.id
      if case .costChanged(let cost) = entry.payload { told = cost }
    }
    let after = await session.snapshot()
    #expect(told == after.cost)
    #expect(after.cost.component(.memoryBandwidth)?.certainty == .estimated)
    #expect(after.cost.systemPressure > 0)
    #expect(after.etag == before.etag && after.revision == before.revision)

    let empty = try await bench.sessions.create(id: "empty", idleTimeout: 0)
    let quiet = empty.events.lastID
    await empty.machineWasMeasured()
    #expect(empty.events.lastID == quiet, "a session without a camera has no cost to report")
  }
}
