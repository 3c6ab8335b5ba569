internal import CaptureCore
internal import FirstlightAPI
internal import SwiftProtobuf

extension Google_Protobuf_Timestamp {
  /// From nanoseconds since the Unix epoch.
  init(wallNanoseconds: UInt64) {
    self.init()
    seconds = Int64(wallNanoseconds / 1_000_000_000)
    nanos = Int32(wallNanoseconds % 1_000_000_000)
  }

  /// Nanoseconds since the Unix epoch; nil when out of the format's or of our range.
  var wallNanoseconds: UInt64? {
    guard (0...253_402_300_799).contains(seconds), (0..<1_000_000_000).contains(nanos) else { return nil }
    let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? nil : product &+ UInt64(nanos)
  }
}

extension Google_Protobuf_Duration {
  init(nanoseconds: Int64) {
    self.init()
    seconds = nanoseconds / 1_000_000_000
    nanos = Int32(nanoseconds % 1_000_000_000)
  }

  /// Cuts off what is less than a nanosecond.
  init(_ duration: Duration) {
    self.init()
    seconds = duration.components.seconds
    nanos = Int32(duration.components.attoseconds / 1_000_000_000)
  }

  /// Nil when negative, malformed or longer than about 290 years.
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
