internal import CaptureCore
internal import SystemClocks

extension Frame {
  /// What the head of a picture by HTTP says about its frame. `X-Timestamp` is the capture time in seconds, as clients
  /// of mjpg-streamer and of ustreamer know it.
  var fields: KeyValuePairs<String, String> {
    let (seconds, nanoseconds) = time.wall.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return [
      "X-Sequence": "\(sequence)",
      "X-Stream-Id": "\(streamID)",
      "X-Capture-Time": time.wall.rfc3339,
      "X-Timestamp": "\(seconds).\((nanoseconds / 1000).padded(to: 6))",
    ]
  }
}
