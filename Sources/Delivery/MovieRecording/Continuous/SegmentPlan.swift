internal import CaptureCore

/// What all segments of one run have in common.
struct SegmentPlan: Sendable {
  /// The id of the session.
  var session: String
  /// The id of the session's output.
  var output: String
  /// How each segment is made.
  var settings: RecordingSettings
  /// The duration of a segment, in nanoseconds.
  var duration: UInt64
  var retention: Retention
  /// The size of the pictures.
  var size: Size
}
