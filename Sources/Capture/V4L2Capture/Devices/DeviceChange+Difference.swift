internal import CaptureCore

extension DeviceChange {
  /// What happened between two enumerations: first what went, then what came or changed, each in its list's order.
  static func difference(from old: [Device], to new: [Device]) -> [DeviceChange] {
    var changes: [DeviceChange] = []
    for device in old where !new.contains(where: { $0.id == device.id }) {
      changes.append(DeviceChange(.disconnected, device))
    }
    for device in new {
      if let before = old.first(where: { $0.id == device.id }) {
        if before != device { changes.append(DeviceChange(.changed, device)) }
      } else {
        changes.append(DeviceChange(.connected, device))
      }
    }
    return changes
  }
}
