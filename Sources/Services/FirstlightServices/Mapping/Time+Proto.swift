internal import CaptureCore
internal import FirstlightAPI
internal import SwiftProtobuf

extension Google_Protobuf_Timestamp {
  /// Makes the timestamp of a time in nanoseconds since the Unix epoch.
  init(wallNanoseconds: UInt64) {
    self.init()
    seconds = Int64(wallNanoseconds / 1_000_000_000)
    nanos = Int32(wallNanoseconds % 1_000_000_000)
  }

  /// The time in nanoseconds since the Unix epoch. Nil for a time before 1970, for a time after 2554, which 64 bits
  /// cannot express, and for a timestamp that the protobuf format does not allow.
  var wallNanoseconds: UInt64? {
    guard (0...253_402_300_799).contains(seconds), (0..<1_000_000_000).contains(nanos) else { return nil }
    let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? nil : product &+ UInt64(nanos)
  }
}

extension Google_Protobuf_Duration {
  /// Makes a duration, which may be negative.
  init(nanoseconds: Int64) {
    self.init()
    seconds = nanoseconds / 1_000_000_000
    nanos = Int32(nanoseconds % 1_000_000_000)
  }

  /// Makes a duration in whole nanoseconds; fractions of a nanosecond are cut off.
  init(_ duration: Duration) {
    self.init()
    seconds = duration.components.seconds
    nanos = Int32(duration.components.attoseconds / 1_000_000_000)
  }

  /// The duration in nanoseconds. Nil for a duration that is negative, that the protobuf format does not allow, or that
  /// is longer than 9,000,000,000 seconds (285 years).
  var unsignedNanoseconds: UInt64? {
    guard seconds >= 0, (0..<1_000_000_000).contains(nanos), seconds <= 9_000_000_000 else { return nil }
    return UInt64(seconds) * 1_000_000_000 + UInt64(nanos)
  }
}

extension FrameTime.Source {
  var proto: Firstlight_V1_TimestampSource {
    switch self {
    case .startOfExposure: .startOfExposure
    case .endOfFrame: .endOfFrame
    case .arrival: .arrival
    }
  }
}
