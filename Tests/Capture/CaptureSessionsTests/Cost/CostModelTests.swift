import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

/// Whether `value` differs from `wanted` by less than 0.001; false for nil.
private func isClose(_ value: Double?, _ wanted: Double) -> Bool { value.map { abs($0 - wanted) < 0.001 } ?? false }

/// Tests what a configuration costs of sensor, USB bus, memory and processor, where 1 is all there is. A session
/// refuses to start when an exact cost is above 1.
@Suite struct CostModelTests {
  private let sensor = Device.sensor()
  private let webcam = Device.webcam()

  /// A camera that tells the readout of its sensor has an exact cost: pixels per second divided by what the sensor can
  /// read out.
  @Test(
    "E1: the cost of the sensor is the pixels per second divided by its readout",
    arguments: [(30, 0.957), (50, 1.595), (60, 1.914)] as [(UInt32, Double)])
  func theSensorCostIsExact(rate: UInt32, cost: Double) throws {
    let priced = SessionConfiguration.priced(sensor, .nv12, 3840, 2160, rate: rate).cost(on: sensor)
    let part = try #require(priced.components.first)
    #expect(part.resource == .sensorReadout && part.certainty == .exact)
    #expect(isClose(part.cost, cost) && priced.hardware == part.cost)
    #expect(part.demand == Double(3840 * 2160) * Double(rate))
    #expect(part.capacity == 260_000_000)
  }

  /// The cost is proportional to the rate. A configuration that asks for no rate gets at most 30 frames per second, and
  /// is priced at that rate.
  @Test("B3: a lower rate costs less, and without a rate the cost is that of at most 30 frames per second")
  func rateLowersTheCost() {
    let fast = SessionConfiguration.priced(sensor, .nv12, 1920, 1080, rate: 60).cost(on: sensor).hardware
    let slow = SessionConfiguration.priced(sensor, .nv12, 1920, 1080, rate: 30).cost(on: sensor).hardware
    let unset = SessionConfiguration.priced(sensor, .nv12, 1920, 1080).cost(on: sensor).hardware
    #expect(isClose(fast, 2 * slow))
    #expect(unset == slow)
  }

  /// When a driver confirmed another rate than the requested one, the cost is that of the confirmed rate, because the
  /// camera delivers at that rate. A confirmation does not count for another request.
  @Test("B3: the cost is that of the rate that the driver confirmed") func theConfirmedRateCountsForItsRequestAlone() {
    let asked = SessionConfiguration.priced(sensor, .nv12, 1920, 1080, rate: 60)
    var resolved = ConfigurationResolver.resolve(asked, devices: [sensor]).resolved
    resolved.input?.confirmedRate = Rational(15, 1)
    let confirmed = CostModel().cost(of: CostDemand(resolved, devices: [sensor])).hardware
    #expect(isClose(asked.cost(on: sensor).hardware, 4 * confirmed))
    resolved.input?.request.frameRate = Rational(30, 1)
    let other = CostModel().cost(of: CostDemand(resolved, devices: [sensor])).hardware
    #expect(isClose(other, 2 * confirmed), "the driver confirmed the rate of another request")
  }

  /// A binned format of half the width and height costs a quarter, because the sensor combines pixels before it reads
  /// them out.
  @Test("E1: a binned format costs only the pixels that it delivers") func aBinnedFormatCostsOnlyItsPixels() {
    let binned = SessionConfiguration.priced(sensor, .nv12, 960, 540, rate: 60).cost(on: sensor).hardware
    let full = SessionConfiguration.priced(sensor, .nv12, 1920, 1080, rate: 60).cost(on: sensor).hardware
    #expect(isClose(full / binned, 4))
  }

  @Test func aConfigurationWithoutACameraCostsNothing() {
    #expect(SessionConfiguration().cost(on: sensor, CostModel(machine: .round)) == ConfigurationCost())
  }

  /// A webcam that streams raw pictures takes the smallest isochronous setting that carries them. One component is the
  /// share of the bus, the other the share of the camera's largest setting; both are estimates.
  @Test func rawPicturesReserveTheSmallestSufficientSetting() throws {
    let cost = SessionConfiguration.priced(webcam, .yuyv, 640, 480, rate: 30).cost(on: webcam)
    let bus = try #require(cost.components.first)
    let camera = cost.components[1]
    #expect(cost.components.filter { $0.certainty != .unknown }.map(\.resource) == [.usbBandwidth, .usbBandwidth])
    #expect(bus.description == "usb bus 2" && bus.certainty == .estimated)
    #expect(bus.demand == 21_504_000, "the smallest setting that carries 18,432,000 bytes per second")
    #expect(bus.capacity == 48_000_000, "the bus reserves at most 80 % of a microframe")
    #expect(camera.demand == 640 * 480 * 2 * 30)
    #expect(camera.capacity == 24_480_000)
  }

  /// Raw pictures that exceed the largest setting cost more than 1 and are still not refused, because the figures of
  /// the bus are estimates. The same pictures fit when the camera compresses them.
  @Test func aStreamThatNoSettingCarriesCostsMoreThanOne() {
    let cost = SessionConfiguration.priced(webcam, .yuyv, 1280, 720, rate: 30).cost(on: webcam)
    #expect(isClose(cost.hardware, 55_296_000.0 / 24_480_000))
    #expect(cost.impossible == nil, "an estimate refuses nothing; the driver decides")
    #expect(SessionConfiguration.priced(webcam, .mjpeg, 1280, 720, rate: 30).cost(on: webcam).hardware < 1)
  }

  /// The reservation of another camera on the same bus reduces the capacity for this one. A camera on another bus, and
  /// a camera that reserves nothing, do not.
  @Test func camerasOnTheSameBusReduceItsCapacity() throws {
    let asked = SessionConfiguration.priced(webcam, .yuyv, 640, 480, rate: 30)
    func capacity(beside other: Device) -> Double? {
      let request = StreamRequest(pixelFormat: .yuyv, size: Size(width: 640, height: 480), frameRate: Rational(30, 1))
      let others = [USBDemand(device: other, request: request, rate: request.frameRate)].compactMap(\.self)
      return asked.cost(on: webcam, CostModel(others: others)).components.first?.capacity
    }
    #expect(capacity(beside: .webcam(id: "b")) == 26_496_000)
    #expect(capacity(beside: .webcam(id: "b", bus: 3)) == 48_000_000)
    #expect(capacity(beside: .webcam(id: "b", settings: [])) == 48_000_000, "bulk transfers reserve nothing")
  }

  /// A camera with bulk transfers has one component: its payload, with the capacity of bulk transfers less the
  /// reservations of others.
  @Test func bulkCamerasUseWhatReservationsLeave() throws {
    let bulk = Device.webcam(settings: [])
    let reserved = USBDemand(link: try #require(webcam.limits.usb), payload: 15_000_000)
    let cost = SessionConfiguration.priced(bulk, .yuyv, 640, 480, rate: 30)
      .cost(on: bulk, CostModel(others: [reserved]))
    let buses = cost.components.filter { $0.resource == .usbBandwidth }
    let demand: Double = 640 * 480 * 2 * 30
    let capacity: Double = 13 * 512 * 8000 - 15_872_000
    #expect(buses.map(\.demand) == [demand])
    #expect(buses.map(\.capacity) == [capacity])
  }

  /// The bytes per second that may be reserved at full speed, high speed and SuperSpeed, as the USB standards limit
  /// them.
  @Test(arguments: [(12, 1_350_000), (480, 48_000_000), (5000, 450_000_000)] as [(Double, Double)])
  func theBusBudgetFollowsItsSpeed(megabits: Double, budget: Double) { #expect(USBBudget.periodic(megabits) == budget) }

  /// On a measured machine, the stream costs memory bandwidth for the copy of each frame and encoding for the preview.
  /// The system pressure is the processor time of both as a share of all cores.
  @Test func theMachineIsPricedByCopyingAndEncoding() throws {
    let cost = SessionConfiguration.priced(sensor, .nv12, 1920, 1080, rate: 30)
      .cost(on: sensor, CostModel(machine: .round))
    let pixels = 1920.0 * 1080 * 30
    let memory = try #require(cost.component(.memoryBandwidth))
    #expect(memory.demand == pixels * 1.5 && memory.capacity == 4e9 && memory.certainty == .estimated)
    let encoding = try #require(cost.component(.encoding))
    #expect(encoding.demand == pixels && encoding.capacity == 1e9, "one preview is encoded by one thread, on one core")
    #expect(cost.component(.conversion) == nil)
    #expect(isClose(cost.systemPressure, (pixels * 1.5 / 4e9 + pixels / 1e9) / 2))
  }

  /// Before the measurement, the components of memory and processor tell their demand, are marked unknown and cost 0,
  /// so that they refuse nothing. An exact component still refuses a configuration.
  @Test("C2: on a machine that was not measured, memory and processor have a demand and no capacity")
  func anUnmeasuredMachineHasDemandsWithoutCapacity() throws {
    let asked = SessionConfiguration.priced(sensor, .nv12, 1920, 1080, rate: 30)
    let (unknown, known) = (asked.cost(on: sensor), asked.cost(on: sensor, CostModel(machine: .round)))
    #expect(unknown.components.map(\.resource) == known.components.map(\.resource))
    #expect(unknown.components.map(\.demand) == known.components.map(\.demand))
    #expect(unknown.components.map(\.certainty) == [.exact, .unknown, .unknown])
    #expect(unknown.components.dropFirst().allSatisfy { $0.capacity == 0 && $0.cost == 0 })
    #expect(unknown.systemPressure == 0)
    var greedy = asked
    greedy.inputs[0].frameRate = Rational(60, 1)
    greedy.inputs[0].format?.size = Size(width: 3840, height: 2160)
    #expect(greedy.cost(on: sensor).impossible?.resource == .sensorReadout, "an exact component refuses even so")
  }

  /// A preview of a camera that delivers JPEG passes it through, so there is no cost of encoding.
  @Test func theCamerasJPEGCostsNoEncoding() {
    let cost = SessionConfiguration.priced(webcam, .mjpeg, 1280, 720).cost(on: webcam, CostModel(machine: .round))
    #expect(cost.component(.encoding) == nil)
    #expect(cost.component(.memoryBandwidth)?.demand == 13_824_000)
  }

  /// A format that the provider converts before it publishes frames costs the conversion of its pixels. A format that
  /// only needs its planes joined costs none.
  @Test func formatsThatFirstlightCannotReadCostAConversion() {
    var device = Device.fake(formats: [.fake(PixelFormat(fourCC: "RGGB")!, Size(width: 640, height: 480))])
    device.formats[0].convertedTo = .yuv420
    let asked = SessionConfiguration.priced(device, PixelFormat(fourCC: "RGGB")!, 640, 480, rate: 30)
    #expect(asked.cost(on: device, CostModel(machine: .round)).component(.conversion)?.demand == 9_216_000)
    device.formats[0].pixelFormat = PixelFormat(fourCC: "NM12")!
    let joined = SessionConfiguration.priced(device, PixelFormat(fourCC: "NM12")!, 640, 480, rate: 30)
    #expect(joined.cost(on: device, CostModel(machine: .round)).component(.conversion) == nil)
  }

  /// When the cores sustain only a quarter of their clock, the same work is four times the pressure, and the cost of
  /// hardware stays the same.
  @Test("E2: a capped processor clock raises the system pressure and not the cost of hardware")
  func aCappedClockRaisesThePressureOnly() {
    let asked = SessionConfiguration.priced(sensor, .nv12, 1920, 1080, rate: 30)
    var capped = MachineCapacity.round
    capped.sustainedShare = 0.25
    let (free, hot) = (
      asked.cost(on: sensor, CostModel(machine: .round)), asked.cost(on: sensor, CostModel(machine: capped))
    )
    #expect(isClose(hot.systemPressure, 4 * free.systemPressure))
    #expect(hot.hardware == free.hardware)
  }
}
