internal import CaptureCore
internal import FirstlightAPI
internal import SwiftProtobuf
internal import SystemClocks

extension Google_Protobuf_Timestamp {
  /// Makes the timestamp of a time of the wall clock.
  init(_ time: WallInstant) {
    self.init()
    seconds = Int64(time.nanoseconds / 1_000_000_000)
    nanos = Int32(time.nanoseconds % 1_000_000_000)
  }
}

extension WallInstant {
  /// Reads a timestamp. Nil for a time before 1970, for a time after 2554, which 64 bits cannot express, and for a
  /// timestamp that the protobuf format does not allow.
  init?(_ proto: Google_Protobuf_Timestamp) {
    guard (0...253_402_300_799).contains(proto.seconds), (0..<1_000_000_000).contains(proto.nanos) else { return nil }
    let (product, overflow) = UInt64(proto.seconds).multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return nil }
    self.init(nanoseconds: product &+ UInt64(proto.nanos))
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

  /// The duration with its sign and unit, as errors tell it, for example `-1.5 s`.
  var text: String {
    guard (-999_999_999...999_999_999).contains(nanos), (seconds >= 0) == (nanos >= 0) || seconds == 0 || nanos == 0
    else { return "\(seconds) s and \(nanos) ns" }
    let sign = seconds < 0 || nanos < 0 ? "-" : ""
    guard nanos != 0 else { return "\(sign)\(seconds.magnitude) s" }
    var fraction = "\(1_000_000_000 + nanos.magnitude)".dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    return "\(sign)\(seconds.magnitude).\(fraction) s"
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
