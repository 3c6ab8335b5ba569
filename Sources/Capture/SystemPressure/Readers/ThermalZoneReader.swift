/// Reads the kernel's thermal zones, `class/thermal/thermal_zone*` below a root.
///
/// Files as in the kernel's `Documentation/driver-api/thermal/sysfs-api.rst`. Never fails: what cannot be read is a
/// fault of its zone. Blocks while a driver asks its sensor, so call it on a thread that may block.
struct ThermalZoneReader: Sendable {
  /// More zones than any known machine has; further ones are not read.
  static let maximumZones = 256
  static let maximumTrips = 64
  /// Outside of this a value is a driver's way to say "none": −274 °C is the kernel's own (`THERMAL_TEMP_INVALID`).
  static let plausible = -273_150...999_999

  private let folder: String

  /// - Parameter sysfsRoot: what stands in for `/sys`.
  init(sysfsRoot: String) { folder = sysfsRoot + "/class/thermal" }

  /// The zones by their numbers. Empty on a machine without any, as in most containers.
  ///
  /// - Parameter faults: gets why there are none, if not for that.
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

  /// Numbers may have gaps, so the folder is listed. Names at most the first trip that cannot be read.
  private static func trips(in folder: borrowing Folder, faults: inout [String]) -> [TripPoint] {
    let suffix = "_type"
    var trips: [TripPoint] = []
    var fault: String?
    for name in folder.sortedNames(prefix: "trip_point_", suffix: suffix, limit: maximumTrips) {
      var file = name
      do throws(ReadFault) {
        let type = try folder.text(name)
        // ACPI zones of older kernels number their fans: `active0`, `active1`, …
        guard let kind = TripPoint.Kind(rawValue: type.hasPrefix("active") ? "active" : type) else {
          throw ReadFault("is not a known type")
        }
        file = name.dropLast(suffix.count) + "_temp"
        let value = try folder.integer(file)
        // Switched-off trips are kept where they fit; the thresholds pass over them.
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
