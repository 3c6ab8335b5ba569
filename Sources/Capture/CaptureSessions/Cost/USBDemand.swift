internal import CaptureCore

/// What a stream takes of its USB bus.
struct USBDemand: Hashable, Sendable {
  var link: USBLink
  /// Bytes per second of pictures.
  var payload: Double

  /// Whether the camera reserves its share of the bus.
  var isPeriodic: Bool { !link.isochronousSettings.isEmpty }

  /// Bytes per second taken of the bus: the smallest setting that carries the pictures, or the pictures themselves.
  var taken: Double {
    link.isochronousSettings.first { Double($0) >= payload }.map(Double.init) ?? payload
  }
}
