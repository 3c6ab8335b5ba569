internal import CaptureCore
internal import SwiftProtobuf
internal import SystemClocks

/// Checks the fields of requests.
enum Validation {
  /// Returns the error for an enum value that this version does not know.
  static func unknownEnum(_ value: Int, field: String) -> CaptureError {
    CaptureError(
      .invalidArgument, "\(value) is not a value of \(field).", metadata: ["value": "\(value)"], field: field)
  }

  /// Returns the time from a request's `start_time`, inclusive, to its `end_time`, exclusive. A time that is not set
  /// leaves its end of the range open.
  ///
  /// - Throws: `invalidArgument` when `end` is not after `start`, and for a time that is not between 1970 and 2554.
  static func timeRange(
    _ start: Google_Protobuf_Timestamp?, _ end: Google_Protobuf_Timestamp?
  ) throws(CaptureError) -> Range<WallInstant> {
    let first = try start.map { time throws(CaptureError) in try instant(time, field: "start_time") } ?? .epoch
    let last = try end.map { time throws(CaptureError) in try instant(time, field: "end_time") } ?? .distantFuture
    guard first < last else {
      throw CaptureError(
        .invalidArgument, "end_time is not after start_time.",
        metadata: ["start_time": "\(first.nanoseconds)", "end_time": "\(last.nanoseconds)"], field: "end_time")
    }
    return first..<last
  }

  /// Returns the time in a field.
  ///
  /// - Throws: `invalidArgument` for a time that is not between 1970 and 2554.
  static func instant(_ time: Google_Protobuf_Timestamp, field: String) throws(CaptureError) -> WallInstant {
    guard let instant = WallInstant(time) else {
      throw CaptureError(
        .invalidArgument, "\(field) is not a time between 1970 and 2554.", metadata: ["seconds": "\(time.seconds)"],
        field: field)
    }
    return instant
  }

  /// Returns a duration in nanoseconds, or `standard` when `duration` is nil because the client did not set the field.
  ///
  /// - Throws: `invalidArgument`, which tells the duration with its sign and unit, when it is outside of `range`.
  static func duration(
    _ duration: Google_Protobuf_Duration?, _ range: ClosedRange<UInt64>, default standard: UInt64 = 0, field: String
  ) throws(CaptureError) -> UInt64 {
    guard let duration else { return standard }
    if let nanoseconds = duration.unsignedNanoseconds, range.contains(nanoseconds) { return nanoseconds }
    let bounds = [range.lowerBound, range.upperBound].map {
      Google_Protobuf_Duration(nanoseconds: Int64(clamping: $0)).text
    }
    throw CaptureError(
      .invalidArgument, "\(field) is \(duration.text); it must be from \(bounds[0]) to \(bounds[1]).",
      metadata: ["value": duration.text, "minimum": bounds[0], "maximum": bounds[1]], field: field)
  }

  /// Returns `value`, or `standard` when `value` is nil because the client did not set the field.
  ///
  /// - Throws: `invalidArgument` when `value` is outside of `range`.
  static func inRange<T: BinaryInteger & Sendable>(
    _ value: T?, _ range: ClosedRange<T>, default standard: T, field: String
  ) throws(CaptureError) -> T {
    guard let value else { return standard }
    guard range.contains(value) else {
      throw CaptureError(
        .invalidArgument, "\(field) is \(value); it must be from \(range.lowerBound) to \(range.upperBound).",
        metadata: ["value": "\(value)", "minimum": "\(range.lowerBound)", "maximum": "\(range.upperBound)"],
        field: field)
    }
    return value
  }

  /// Returns the largest picture, in bytes, that a message to a client may contain: the client's limit, 4 MiB by
  /// default, without 1 KiB for the other fields of the message.
  ///
  /// - Throws: `invalidArgument` for a limit below 64 KiB.
  static func messageLimit(_ limit: UInt32?) throws(CaptureError) -> Int {
    Int(try inRange(limit, 65536...UInt32.max, default: 4 << 20, field: "max_message_bytes")) - 1024
  }

  /// Returns the place in a file at which a download begins.
  ///
  /// - Throws: `invalidArgument` for a place behind the end.
  static func offset(_ offset: UInt64, of count: UInt64) throws(CaptureError) -> UInt64 {
    guard offset <= count else {
      throw CaptureError(
        .invalidArgument, "offset is \(offset); the file has \(count) bytes.",
        metadata: ["offset": "\(offset)", "byte_count": "\(count)"], field: "offset")
    }
    return offset
  }
}
