/// Reads the kernel's thermal zones, `class/thermal/thermal_zone*` below a root.
///
/// The kernel describes the files in `Documentation/driver-api/thermal/sysfs-api.rst`. The reader never fails: a value
/// that cannot be read is a fault of its zone. Reading blocks while a driver asks its sensor, so call the reader on a
/// thread that may block.
struct ThermalZoneReader: Sendable {
  /// The most zones that are read; more than any known machine has.
  static let maximumZones = 256
  static let maximumTrips = 64
  /// The temperatures that a sensor can have, in thousandths of a degree Celsius. Drivers use values outside of this
  /// range to say "none"; the kernel itself uses −274 °C (`THERMAL_TEMP_INVALID`).
  static let plausible = -273_150...999_999

  private let folder: String

  /// - Parameter sysfsRoot: the folder that stands in for `/sys`.
  init(sysfsRoot: String) { folder = sysfsRoot + "/class/thermal" }

  /// The zones, ordered by number. Empty on a machine without any, as in most containers.
  ///
  /// - Parameter faults: gets the reason when the folder is there but cannot be opened.
  func read(_ faults: inout [String]) -> [ThermalZone] {
    guard let thermal = Folder.ifThere(folder, faults: &faults) else { return [] }
    var zones: [ThermalZone] = []
    for name in thermal.sortedNames(prefix: "thermal_zone", limit: Self.maximumZones) {
      zones.append(Self.zone(name, in: thermal))
    }
    return zones
  }

  private static func zone(_ name: String, in thermal: borrowing Folder) -> ThermalZone {
    var zone = ThermalZone(name: name, type: "", millidegrees: nil)
    var faults: [String] = []
    do throws(ReadFault) {
      let folder = try thermal.folder(name)
      do throws(ReadFault) { zone.type = try folder.text("type") } catch { faults.append("type \(error.text)") }
      do throws(ReadFault) {
        let value = try folder.integer("temp")
        guard plausible.contains(value) else { throw ReadFault("is not a temperature: \(value)") }
        zone.millidegrees = value
      } catch { faults.append("temp \(error.text)") }
      zone.trips = trips(in: folder, faults: &faults)
    } catch {
      faults.append("\(name) \(error.text)")
    }
    zone.fault = faults.asFault
    return zone
  }

  /// The trip points of a zone. The reader lists the folder, because the numbers of trips may have gaps. `faults` gets
  /// at most the first trip that cannot be read.
  private static func trips(in folder: borrowing Folder, faults: inout [String]) -> [TripPoint] {
    let suffix = "_type"
    var trips: [TripPoint] = []
    var fault: String?
    for name in folder.sortedNames(prefix: "trip_point_", suffix: suffix, limit: maximumTrips) {
      var file = name
      do throws(ReadFault) {
        let type = try folder.text(name)
        // ACPI zones of older kernels number their fans: `active0`, `active1` and so on.
        guard let kind = TripPoint.Kind(rawValue: type.hasPrefix("active") ? "active" : type) else {
          throw ReadFault("is not a known type")
        }
        file = name.dropLast(suffix.count) + "_temp"
        let value = try folder.integer(file)
        // The list keeps a trip that the kernel has switched off if its temperature fits into 32 bits; the thresholds
        // ignore such a trip.
        guard value <= plausible.upperBound, value >= Int(Int32.min) else {
          throw ReadFault("is not a temperature: \(value)")
        }
        trips.append(TripPoint(kind, millidegrees: value))
      } catch {
        fault = fault ?? "\(file) \(error.text)"
      }
    }
    if let fault { faults.append(fault) }
    return trips
  }
}
