internal import CaptureCore

/// How much of its USB bus one stream takes.
struct USBDemand: Hashable, Sendable {
  var link: USBLink
  /// Bytes per second of the pictures alone.
  var payload: Double

  /// Whether the camera reserves a share of the bus, as isochronous transfers do.
  var isPeriodic: Bool { !link.isochronousSettings.isEmpty }

  /// Bytes per second that the stream takes of the bus. A camera that reserves takes its smallest isochronous setting
  /// that carries the pictures; without such a setting the stream takes what the pictures take.
  var taken: Double {
    link.isochronousSettings.first { Double($0) >= payload }.map(Double.init) ?? payload
  }
}
