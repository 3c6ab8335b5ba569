internal import CaptureCore

extension PhotoRequest {
  /// The shot that the request needs; nil when the session does not have to change the camera's settings for the photo.
  ///
  /// - Parameters:
  ///   - flash: whether the flash fires. The caller has decided that for an automatic flash.
  ///   - shots: the settings that the camera can take for a photo.
  func shot(flash: Bool, _ shots: ShotCapabilities) -> Shot? {
    let larger = size == shots.sizes.first ? nil : size
    if !exposure.bracket.isEmpty {
      return Shot(steps: exposure.bracket.map { Shot.Step(exposure: $0) }, size: larger)
    }
    let manual = exposure.manualExposure.map { Shot.Exposure.manual($0) } ?? .unchanged
    guard flash || manual != .unchanged || larger != nil else { return nil }
    return Shot(steps: [Shot.Step(exposure: manual, flash: flash)], size: larger)
  }
}
