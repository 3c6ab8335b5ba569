import CaptureCore
import CaptureTestKit
import Logging
import Testing

@testable import CaptureSessions

/// Sessions on cameras that cost something.
private struct CostBench {
  let provider: FakeProvider
  let sessions: SessionRegistry

  init(_ devices: [Device], machine: MachineGauge = MachineGauge(.round)) {
    provider = FakeProvider(devices: devices)
    sessions = SessionRegistry(
      devices: DeviceRegistry(providers: [provider], machine: machine),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) { output, _ in FakeOutput(id: output.id) }
  }

  func session(_ configuration: SessionConfiguration, id: String = "s") async throws -> CaptureSession {
    let session = try await sessions.create(id: id, idleTimeout: 0)
    _ = try await session.configure(configuration, etag: "", validateOnly: false)
    return session
  }
}

private func error(_ body: () async throws -> Void) async -> CaptureError? {
  do { try await body() } catch let error as CaptureError { return error } catch let error as ConfigurationError {
    return error.issues[0]
  } catch { return nil }
  return nil
}

@Suite struct SessionCostTests {
  private let sensor = Device.sensor()

  @Test("E1: what costs too much commits and does not start") func whatCostsTooMuchDoesNotStart() async throws {
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
    #expect(try await session.events.entry(after: session.events.lastID - 1).payload == .runtimeError(refusal))

    _ = try await session.configure(.priced(sensor, .nv12, 3840, 2160, rate: 30), etag: "", validateOnly: false)
    #expect(try await session.start(requestedAt: 0).status.state == .running)
  }

  @Test("E1: a running session refuses what costs too much and goes on") func aRunningSessionGoesOn() async throws {
    let bench = CostBench([sensor])
    let session = try await bench.session(.priced(sensor, .nv12, 1920, 1080, rate: 60))
    _ = try await session.start(requestedAt: 0)
    let before = await session.snapshot()
    let tooMuch = SessionConfiguration.priced(sensor, .nv12, 3840, 2160, rate: 60)
    let checked = try await session.configure(tooMuch, etag: "", validateOnly: true)
    #expect(checked.issues.map(\.reason) == [.hardwareCostExceeded])
    #expect(checked.snapshot.cost.hardware > 1, "what it would cost")
    let refusal = await error { _ = try await session.configure(tooMuch, etag: "", validateOnly: false) }
    #expect(refusal?.reason == .hardwareCostExceeded)
    let after = await session.snapshot()
    #expect(after.etag == before.etag)
    #expect(after.cost == before.cost)
    #expect(after.eventID == before.eventID)
    #expect(bench.provider.sources.all.map(\.isLive) == [true])
  }

  @Test("E2: a load that cannot last starts") func aLoadThatCannotLastStarts() async throws {
    var machine = MachineCapacity.round
    machine.sustainedShare = 0.01
    let session = try await CostBench([sensor], machine: MachineGauge(machine))
      .session(.priced(sensor, .nv12, 1920, 1080, rate: 60))
    #expect(await session.snapshot().cost.systemPressure > 1)
    #expect(try await session.start(requestedAt: 0).status.state == .running)
  }

  @Test func whatIsNotExactWarnsAndStarts() async throws {
    let webcam = Device.webcam()
    let session = try await CostBench([webcam]).session(.priced(webcam, .yuyv, 1280, 720, rate: 30))
    #expect(await session.snapshot().cost.hardware > 1)
    #expect(try await session.start(requestedAt: 0).status.state == .running)
  }

  @Test func aFullBusIsNamedWithWhatFits() async throws {
    let webcam = Device.webcam()
    let bench = CostBench([webcam])
    bench.provider.failStarts(CaptureError(.bandwidthExceeded, "The bus is full.", metadata: ["device": webcam.id]))
    let session = try await bench.session(.priced(webcam, .yuyv, 640, 480, rate: 30))
    let refusal = try #require(await error { _ = try await session.start(requestedAt: 0) })
    #expect(refusal.reason == .bandwidthExceeded)
    #expect(refusal.metadata["bus"] == "2")
    // The model thought that it fits, and so do 1280x720 at 10; the driver knows better: only what takes less.
    #expect(refusal.metadata["fits"] == "YUYV 640x480@15, MJPG 1280x720@30")
    #expect(refusal.message.hasPrefix("The bus is full."))
  }

  @Test func camerasOfOtherSessionsCountWhileTheyRun() async throws {
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

  @Test("E6: applying the suggestions gives the cost they state") func suggestionsHold() async throws {
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

  @Test("C2: no commit, suggestion or start waits for the measurement; what is unknown refuses nothing")
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
    #expect(empty.events.lastID == quiet, "without a camera there is nothing to tell")
  }
}
