import CaptureCore
import CaptureTestKit
import Foundation
import SystemClocks
import Testing

@testable import SystemPressure

/// Reads thermal zones from trees of files that follow public documentation. The machine that runs the tests plays no
/// part.
struct ThermalZoneReaderTests {
  private func read(_ tree: SysfsTree) -> [ThermalZone] { ThermalZoneReader(sysfsRoot: tree.root).read() }

  /// A laptop, after the kernel's `Documentation/driver-api/thermal/sysfs-api.rst` (`acpitz` with numbered fans) and
  /// `x86_pkg_temperature_thermal.rst` (two trips for the user, which are 0 until the user sets them).
  @Test func pc() {
    let tree = SysfsTree()
    tree.makeZone(
      0, type: "acpitz", millidegrees: 37_000,
      trips: [("critical", 100_000), ("passive", 80_000), ("active0", 70_000), ("active1", 60_000)])
    tree.makeZone(1, type: "x86_pkg_temp", millidegrees: 45_000, trips: [("passive", 0), ("passive", -274_000)])
    tree.makeFolder("class/thermal/cooling_device0")

    let zones = read(tree)
    #expect(zones.map(\.name) == ["thermal_zone0", "thermal_zone1"])
    #expect(zones.map(\.type) == ["acpitz", "x86_pkg_temp"])
    #expect(zones.map(\.millidegrees) == [37_000, 45_000])
    #expect(zones.map(\.fault) == [nil, nil])
    #expect(zones[0].trips.map(\.kind) == [.critical, .passive, .active, .active])
    #expect(zones[0].trips.map(\.millidegrees) == [100_000, 80_000, 70_000, 60_000])
    #expect(LevelThresholds(trips: zones[0].trips)?.serious == 60_000)
    #expect(LevelThresholds(trips: zones[1].trips) == nil)
  }

  /// A Raspberry Pi 5, after `bcm2712.dtsi` of its kernel: one zone with one critical trip.
  @Test func raspberryPi() throws {
    let tree = SysfsTree()
    tree.makeZone(0, type: "cpu-thermal", millidegrees: 52_150, trips: [("critical", 110_000)])
    let zone = try #require(read(tree).first)
    #expect(zone.trips == [TripPoint(.critical, millidegrees: 110_000)])
    let thresholds = try #require(LevelThresholds(trips: zone.trips))
    #expect(
      [thresholds.fair, thresholds.serious, thresholds.critical, thresholds.shutdown] == [
        85_000, 90_000, 100_000, 105_000,
      ])
  }

  /// A Jetson Nano, after mainline `tegra210.dtsi`: the zone of the processor has a hot trip in place of a passive one,
  /// and the zone of the memory has all four kinds of trips.
  @Test func jetson() throws {
    let tree = SysfsTree()
    tree.makeZone(0, type: "cpu-thermal", millidegrees: 36_500, trips: [("critical", 102_500), ("hot", 98_500)])
    tree.makeZone(
      1, type: "mem-thermal", millidegrees: 35_000,
      trips: [("passive", 50_000), ("active", 70_000), ("hot", 100_000), ("critical", 103_000)])
    tree.makeZone(2, type: "gpu-thermal", millidegrees: 34_000, trips: [("critical", 103_000), ("hot", 100_000)])
    tree.makeZone(3, type: "pllx-thermal", millidegrees: 38_000, trips: [("critical", 103_000), ("hot", 100_000)])
    let zones = read(tree)
    #expect(zones.map(\.type) == ["cpu-thermal", "mem-thermal", "gpu-thermal", "pllx-thermal"])
    #expect(zones.allSatisfy { $0.fault == nil && $0.millidegrees != nil })
    let processor = try #require(LevelThresholds(trips: zones[0].trips))
    #expect(
      [processor.fair, processor.serious, processor.critical, processor.shutdown] == [77_500, 82_500, 97_500, 97_500])
  }

  /// The list is empty without `/sys/class/thermal`, where that folder is empty, and without `/sys`, as in containers.
  @Test func withoutZonesTheListIsEmpty() {
    let tree = SysfsTree()
    #expect(read(tree).isEmpty)
    tree.remove("class/thermal")
    #expect(read(tree).isEmpty)
    tree.write("class/thermal", "a file")
    #expect(read(tree).isEmpty)
    #expect(ThermalZoneReader(sysfsRoot: tree.path("nowhere")).read().isEmpty)
  }

  /// The bytes of a file `temp`, and the fault that they must give.
  struct BadFile: Sendable, CustomTestStringConvertible {
    var bytes: [UInt8]
    var fault: String
    var testDescription: String { fault }
    init(_ text: String, _ fault: String) { (bytes, self.fault) = (Array(text.utf8), fault) }
    init(_ bytes: [UInt8], _ fault: String) { (self.bytes, self.fault) = (bytes, fault) }
  }

  /// A zone with a bad temperature has a fault and no temperature. Its type and its trips count all the same.
  @Test(arguments: [
    BadFile("", "temp is empty"), BadFile("\n \n", "temp is empty"), BadFile("warm\n", "temp is not a number"),
    BadFile("42.5\n", "temp is not a number"), BadFile("42 000\n", "temp is not a number"),
    BadFile("99999999999999999999\n", "temp is not a number"),
    BadFile([0xff, 0xfe, 0x00], "temp is not a number"),
    BadFile("2147483647\n", "temp is not a temperature: 2147483647"),
    BadFile("-274000\n", "temp is not a temperature: -274000"),
    BadFile([UInt8](repeating: 0x31, count: 1 << 20), "temp is too long"),
  ])
  func aBadTemperatureIsAFault(_ bad: BadFile) {
    let tree = SysfsTree()
    tree.makeZone(0, type: "test", millidegrees: 0, trips: [("critical", 100_000)])
    tree.write("class/thermal/thermal_zone0/temp", bad.bytes)
    let zone = read(tree)[0]
    #expect(zone.fault == bad.fault)
    #expect(zone.millidegrees == nil)
    #expect(zone.type == "test")
    #expect(zone.trips.count == 1)
  }

  @Test func aNegativeTemperatureIsValid() {
    let tree = SysfsTree()
    tree.makeZone(0, type: "outside", millidegrees: -20_000)
    #expect(read(tree)[0].millidegrees == -20_000)
    #expect(read(tree)[0].fault == nil)
  }

  /// Something other than a file in the place of `temp` gives a fault and never blocks the reader.
  @Test func aTemperatureThatIsNoFileIsAFault() {
    let tree = SysfsTree()
    let zone = "class/thermal/thermal_zone0"
    tree.makeZone(0, type: "test", millidegrees: 40_000)
    func fault(_ change: () -> Void) -> String? {
      tree.remove(zone + "/temp")
      change()
      return read(tree)[0].fault
    }
    #expect(fault {} == "temp is missing")
    #expect(fault { tree.makeFolder(zone + "/temp") } == "temp is not a file")
    #expect(fault { symlink("temp", tree.path(zone + "/temp")) } == "temp is a loop of symbolic links")
    #expect(fault { symlink("nowhere", tree.path(zone + "/temp")) } == "temp is missing")
    // Neither the pipe nor the device may hold the thread: no program writes to the pipe, and the device has no end.
    #expect(fault { mkfifo(tree.path(zone + "/temp"), 0o644) } == "temp is not a file")
    #expect(fault { symlink("/dev/zero", tree.path(zone + "/temp")) } == "temp is not a file")
  }

  /// Something other than a zone's folder in the place of a zone gives a zone with a fault and without a temperature.
  @Test func aZoneThatIsNoFolderIsAFault() {
    let tree = SysfsTree()
    tree.write("class/thermal/thermal_zone0", "a file")
    symlink("thermal_zone1", tree.path("class/thermal/thermal_zone1"))
    symlink("nowhere", tree.path("class/thermal/thermal_zone2"))
    tree.makeFolder("class/thermal/thermal_zone3")
    let zones = read(tree)
    #expect(
      zones.map(\.fault) == [
        "thermal_zone0 is not a folder", "thermal_zone1 is a loop of symbolic links", "thermal_zone2 is missing",
        "type is missing; temp is missing",
      ])
    #expect(zones.allSatisfy { $0.millidegrees == nil && $0.trips.isEmpty })
  }

  /// A trip that cannot be read gives a fault, and a trip of an unknown kind is left out. The temperature and the other
  /// trips count all the same.
  @Test func aBadTripDoesNotHideTheOthers() {
    let tree = SysfsTree()
    tree.makeZone(
      0, type: "test", millidegrees: 50_000, trips: [("passive", 80_000), ("tepid", 90_000), ("critical", 100_000)])
    tree.remove("class/thermal/thermal_zone0/trip_point_0_temp")
    let zone = read(tree)[0]
    #expect(zone.fault == "trip_point_0_temp is missing")
    #expect(zone.trips == [TripPoint(.critical, millidegrees: 100_000)])
    #expect(zone.millidegrees == 50_000)
  }

  /// Each reading finds the zones that exist at that time.
  @Test func zonesComeAndGo() {
    let tree = SysfsTree()
    tree.makeZone(0, type: "first", millidegrees: 40_000)
    #expect(read(tree).map(\.type) == ["first"])
    tree.makeZone(7, type: "second", millidegrees: 41_000)
    #expect(read(tree).map(\.type) == ["first", "second"])
    tree.remove("class/thermal/thermal_zone0")
    #expect(read(tree).map(\.name) == ["thermal_zone7"])
  }

  /// The reader takes the 256 zones with the lowest numbers and leaves out the rest.
  @Test func neverMoreThan256Zones() {
    let tree = SysfsTree()
    for index in 0..<300 { tree.makeFolder("class/thermal/thermal_zone\(index)") }
    #expect(read(tree).count == 256)
    #expect(read(tree).last?.name == "thermal_zone255")
  }

  /// Changes one random thing of a tree, reads the tree and feeds the model, 10,000 times over. Whatever the files
  /// hold, every zone has a temperature or a fault, and the level falls once the zones are gone.
  @Test func readingsStayValidWhileTheTreeChangesAtRandom() async {
    var random = SeededGenerator(seed: 42)
    let tree = SysfsTree()
    let reader = ThermalZoneReader(sysfsRoot: tree.root)
    var model = PressureModel()
    var levels: Set<PressureLevel> = []
    var faults = 0
    for round in 0..<10_000 {
      // Let other tests run, because they share the threads of Swift's pool with this one.
      await Task.yield()
      tree.changeSomething(using: &random)
      let state = model.update(
        PressureReadings(zones: reader.read()), now: .epoch + UInt64(round) * 700_000_000, wallTime: 0)
      #expect(state.level == state.readings.zones.map(\.level).max() ?? .nominal)
      for zone in state.readings.zones {
        #expect(zone.millidegrees != nil || zone.fault != nil, "round \(round)")
        #expect(zone.millidegrees.map { Int32(exactly: $0) != nil } ?? true)
        #expect(zone.trips.allSatisfy { Int32(exactly: $0.millidegrees) != nil })
      }
      levels.insert(state.level)
      faults += state.readings.zones.count { $0.fault != nil }
    }
    // These checks show that the rounds reached every level and many faults.
    #expect(levels.count == PressureLevel.allCases.count)
    #expect(faults > 1000)

    tree.remove("class/thermal")
    let nothing = PressureReadings(zones: reader.read())
    _ = model.update(nothing, now: 8_000_000_000_000, wallTime: 0)
    let end = model.update(nothing, now: 8_004_000_000_000, wallTime: 0)
    #expect(end.level == .nominal && end.readings.isEmpty)
  }

  /// Reads zones while another task removes and makes them. Every zone that the reader returns has a temperature or a
  /// fault.
  @Test func zonesAreReadWhileAnotherTaskChangesTheTree() async {
    let tree = SysfsTree()
    await withTaskGroup { group in
      group.addTask {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<2000 { tree.changeSomething(using: &random) }
      }
      group.addTask {
        let reader = ThermalZoneReader(sysfsRoot: tree.root)
        for _ in 0..<2000 {
          for zone in reader.read() { #expect(zone.millidegrees != nil || zone.fault != nil) }
        }
      }
    }
  }
}

extension SysfsTree {
  /// Changes one random thing of four zones: makes a sound zone, writes a bad file, puts something other than a file in
  /// a file's place, or removes a file or a zone.
  func changeSomething(using random: inout SeededGenerator) {
    let index = Int.random(in: 0..<4, using: &random)
    let zone = "class/thermal/thermal_zone\(index)"
    let names = ["type", "temp", "trip_point_0_type", "trip_point_0_temp", "trip_point_9_type", "trip_point_9_temp"]
    let file = zone + "/" + names.randomElement(using: &random)!
    let texts = [
      "", "\n", "-1\n", "0\n", "42000\n", "97000\n", "112000\n", "critical\n", "passive\n", "hot\n", "active7\n",
      "NaN", "0x10", "--5", "2147483648", "9223372036854775808", "\u{0}\u{0}", "温度\n",
      String(repeating: "9", count: 300),
    ]
    switch Int.random(in: 0..<12, using: &random) {
    case 0: remove("devices/virtual/thermal/thermal_zone\(index)")
    case 1: remove(zone)
    case 2:
      remove(file)
      symlink(["temp", "type", "nowhere", ".", "/dev/null"].randomElement(using: &random)!, path(file))
    case 3:
      remove(file)
      mkdir(path(file), 0o755)
    case 4: remove(file)
    case 5...8:
      guard access(path(zone), F_OK) == 0 else { return }
      remove(file)
      write(file, texts.randomElement(using: &random)!)
    case 9:
      guard access(path(zone), F_OK) == 0 else { return }
      remove(file)
      write(file, (0..<Int.random(in: 0..<40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
    default:
      remove(zone)
      remove("devices/virtual/thermal/thermal_zone\(index)")
      makeZone(
        index, type: "test", millidegrees: Int.random(in: 20_000...125_000, using: &random),
        trips: [("passive", 85_000), ("hot", 100_000), ("critical", 120_000)])
    }
  }
}

extension ThermalZoneReader {
  fileprivate func read() -> [ThermalZone] {
    var faults: [String] = []
    return read(&faults)
  }
}
