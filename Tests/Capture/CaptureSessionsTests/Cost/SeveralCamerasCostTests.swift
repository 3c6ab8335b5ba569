import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

/// Tests what several cameras cost together.
@Suite struct SeveralCamerasCostTests {
  /// A synthetic camera on a bus of high speed, which has 53,248,000 bytes per second for bulk transfers. A picture in
  /// NV12 of 1280 × 720 has 1,382,400 bytes.
  private static func camera(_ number: Int, bus: Int = 1) -> Device {
    var camera = Device.fake(
      id: "cam-\(number)",
      formats: [
        .fake(.nv12, Size(width: 1280, height: 720)), .fake(.nv12, Size(width: 640, height: 360)),
      ])
    camera.type = .synthetic
    camera.limits.usb = USBLink(bus: bus, megabitsPerSecond: 480, isochronousSettings: [])
    return camera
  }

  private static func configuration(_ count: Int, disabled: Set<Int> = []) -> SessionConfiguration {
    var configuration = SessionConfiguration()
    configuration.inputs = (0..<count).map {
      .init(
        id: "\($0)", deviceID: "cam-\($0)", format: .init(pixelFormat: .nv12, size: Size(width: 1280, height: 720)),
        frameRate: Rational(30, 1))
    }
    configuration.videoData = (0..<count).map { .init(id: "data-\($0)") }
    configuration.connections = (0..<count).map {
      .init(input: "\($0)", output: "data-\($0)", isEnabled: !disabled.contains($0))
    }
    return configuration
  }

  private static func demand(
    _ configuration: SessionConfiguration, _ devices: [Device]
  ) throws -> (ResolvedConfiguration, CostDemand) {
    let (resolved, issues) = ConfigurationResolver.resolve(configuration, devices: devices)
    #expect(issues.isEmpty)
    return (resolved, try #require(CostDemand(resolved, devices: devices)))
  }

  private static func buses(_ cost: ConfigurationCost) -> [ConfigurationCost.Component] {
    cost.components.filter { $0.resource == .usbBandwidth }
  }

  /// Cameras on one bus share its component, those on another bus have one of their own.
  @Test("L3: cameras on one bus share its budget") func camerasOnOneBusShareIt() throws {
    let devices = [Self.camera(0), Self.camera(1), Self.camera(2, bus: 2)]
    let (_, demand) = try Self.demand(Self.configuration(3), devices)
    let parts = Self.buses(CostModel().cost(of: demand))
    let one = 1_382_400.0 * 30
    #expect(parts.map(\.demand) == [2 * one, one])
    #expect(parts.map(\.concerned) == [["cam-0", "cam-1"], ["cam-2"]])
    #expect(parts[0].description == "usb bus 1, which cam-0, cam-1 share" && parts[0].certainty == .exact)
  }

  /// A camera that no output takes frames of is closed, so it costs nothing.
  @Test("L3: a closed camera costs nothing") func aClosedCameraCostsNothing() throws {
    let devices = [Self.camera(0), Self.camera(1)]
    let (_, one) = try Self.demand(Self.configuration(2, disabled: [1]), devices)
    let (_, alone) = try Self.demand(Self.configuration(1), devices)
    #expect(CostModel().cost(of: one) == CostModel().cost(of: alone))
  }

  /// Every movie output that gets frames counts with an encoder of its own.
  @Test("L2: each movie output costs its encoder") func eachMovieCostsItsEncoder() throws {
    let devices = [Self.camera(0), Self.camera(1)]
    var configuration = Self.configuration(2)
    configuration.inputs[1].format?.size = Size(width: 640, height: 360)
    configuration.movie = .init()
    configuration.additionalMovies = [.init(id: "second"), .init(id: "idle")]
    configuration.connections += [.init(input: "0", output: "movie"), .init(input: "1", output: "second")]
    let (_, demand) = try Self.demand(configuration, devices)
    #expect(demand.encoding.pixelsPerSecond == Double(1280 * 720 * 30 + 640 * 360 * 30))
    #expect(demand.encoding.threads == 2)
    configuration.connections.append(.init(input: "1", output: "idle"))
    let (_, more) = try Self.demand(configuration, devices)
    #expect(more.encoding.pixelsPerSecond == Double(1280 * 720 * 30 + 2 * 640 * 360 * 30))
    #expect(more.encoding.threads == 3)
  }

  /// A camera that a failed commit closes again, or that an error stops, leaves its bus to other sessions, although its
  /// session keeps it.
  @Test("L3: a camera that is closed and claimed takes nothing of its bus", arguments: [false, true])
  func aClaimedCameraTakesNothing(isLost: Bool) async throws {
    let bench = Bench(devices: [Self.camera(0, bus: 2), Self.camera(1), Self.camera(2, bus: 3), Self.camera(3)])
    let session = try await bench.run(Self.configuration(2, disabled: isLost ? [] : [1]))
    if isLost {
      try await session.serially {
        await $0.apply(.sourceLost(CaptureError(.deviceFailed, "It broke.")), to: $0.pipelines[1])
      }
    } else {
      bench.provider.failStarts(.busFull, of: "cam-2")
      let failed = await reason {
        _ = try await session.configure(Self.configuration(3), etag: "", validateOnly: false)
      }
      #expect(failed == .bandwidthExceeded)
    }
    #expect(await session.inputStates == ["0 running", "1 stopped"])
    #expect(bench.devices.holders == ["cam-0": "s", "cam-1": "s"])
    var wanted = Self.configuration(1)
    wanted.inputs[0].deviceID = "cam-3"
    let other = try await bench.sessions.create(id: "other", idleTimeout: 0)
    _ = try await other.configure(wanted, etag: "", validateOnly: false)
    #expect(try await other.start(requestedAt: 1).status.state == .running)
  }

  /// A session that waits for a camera of another session, and then gives it up, does not hide what the camera takes.
  @Test("L3: giving up a camera that another session runs leaves its demand") func givingUpACamera() async throws {
    let bench = Bench(devices: [Self.camera(0, bus: 2), Self.camera(1)], clock: ManualClock())
    var wanted = Self.configuration(1)
    wanted.inputs[0].deviceID = "cam-1"
    let other = try await bench.sessions.create(id: "other", idleTimeout: 0)
    _ = try await other.configure(wanted, etag: "", validateOnly: false)
    _ = try await other.start(requestedAt: 1)
    let session = try await bench.sessions.create(id: "s", idleTimeout: 0)
    try await DeclaredStart(session, Self.configuration(2)).run()
    #expect(await session.inputStates == ["0 running", "1 interrupted"])
    _ = try await session.configure(Self.configuration(2, disabled: [1]), etag: "", validateOnly: false)
    #expect(bench.devices.usb.demands(besides: []).map(\.link.bus).sorted() == [1, 2])
  }

  /// The refusal names the bus and the cameras that share it.
  @Test("L3: a refusal names the bus and its cameras") func aRefusalNamesTheBus() throws {
    let (resolved, demand) = try Self.demand(Self.configuration(2), [Self.camera(0), Self.camera(1)])
    let refusal = try #require(CostRefusal.refusal(resolved, demand, model: CostModel()))
    #expect((refusal.metadata["bus"], refusal.metadata["sharing"]) == ("1", "cam-0, cam-1"))
    #expect(refusal.message.contains("usb bus 1, which cam-0, cam-1 share"))
  }

  /// The suggestions make the last camera smaller first, and end with a configuration that fits.
  @Test("E6: suggestions go over several cameras") func suggestionsGoOverSeveralCameras() throws {
    let devices = (0..<4).map { Self.camera($0) }
    let found = try CostReducer(devices: devices, model: CostModel()).reductions(of: Self.configuration(4))
    #expect(found.first?.field.hasPrefix("configuration.inputs[3].") == true)
    let last = try #require(found.last)
    #expect(last.cost.hardware <= 1 && last.configuration.inputs.count == 4)
    let costs = found.map(\.cost.hardware)
    #expect(costs == costs.sorted(by: >))
  }

  /// A composition makes fewer pictures when its first layer brings fewer, so a lower rate of that camera is suggested
  /// where composing costs too much. The composition's present rate does not matter.
  @Test("E6: a lower rate of the first layer makes a composition cheaper") func aLowerRateOfTheFirstLayer() throws {
    let camera = Device.fake(id: "cam-0")
    var configuration = Self.configuration(1)
    let size = Size(width: 640, height: 360)
    var both = SessionConfiguration.Input(id: "both", deviceID: "")
    both.composition = .init(size: size, layers: [.init(input: "0", rectangle: .init(x: 0, y: 0, size: size))])
    configuration.inputs.append(both)
    configuration.connections = [.init(input: "both", output: "data-0")]
    var (present, _) = try Self.demand(configuration, [camera])
    for index in present.inputs.indices { present.inputs[index].confirmedRate = Rational(30, 1) }
    let core = CoreThroughput(copiedBytes: 4e9, convertedPixels: 640 * 360 * 20, encodedPixels: 1e9)
    let model = CostModel(machine: MachineCapacity(core: core, cores: 1, sustainedShare: 1))
    let found = try CostReducer(devices: [camera], model: model, present: present.inputs).reductions(of: configuration)
    #expect(found.map(\.field) == ["configuration.inputs[0].frame_rate_override"])
    #expect(found.last?.configuration.inputs[0].frameRate == Rational(15, 1))
    #expect(found.last?.cost.component(.conversion)?.demand == Double(640 * 360 * 15))
  }

  /// An absent input counts as a microphone unless the configuration asks of it what only a camera has.
  @Test func absentInputsThatMustBeCameras() {
    var configuration = Self.configuration(1)
    configuration.inputs += ["sound", "rated", "wired", "heard"].map { .init(id: $0, deviceID: $0) }
    configuration.inputs[2].frameRate = Rational(30, 1)
    configuration.movie = .init()
    configuration.additionalPreviews = [.init(id: "wall")]
    configuration.connections += [
      .init(input: "0", output: "movie"), .init(input: "heard", output: "movie"), .init(input: "wired", output: "wall"),
    ]
    #expect(configuration.microphonesIfAbsent == ["sound", "heard"])
  }
}
