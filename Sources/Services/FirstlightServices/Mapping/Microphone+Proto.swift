internal import CaptureCore
internal import FirstlightAPI
internal import SwiftProtobuf

extension Microphone {
  /// The microphone as clients get it.
  ///
  /// - Parameter session: the id of the session that holds it; nil when none does, and in events, which leave it out.
  func proto(session: String? = nil) -> Firstlight_V1_Device {
    .with {
      $0.name = "devices/\(id)"
      $0.displayName = displayName
      $0.deviceType = type.proto
      $0.mediaType = .audio
      $0.driver = driver
      $0.location = location
      $0.label = label
      $0.session = session.map { "sessions/\($0)" } ?? ""
      if let unavailable {
        $0.unavailable = unavailable.status
      } else {
        $0.audioCapabilities = .with {
          $0.sampleRates = sampleRates.map(UInt32.init)
          $0.channelCounts = channelCounts.map(UInt32.init)
          $0.driverTimestamps = hasDriverStamps
        }
      }
    }
  }
}
