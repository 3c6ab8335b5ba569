internal import CaptureCore

extension DeviceChange {
  /// The changes from one enumeration to the next: first the cameras that went, in the order of `old`, then the cameras
  /// that came or changed, in the order of `new`.
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
