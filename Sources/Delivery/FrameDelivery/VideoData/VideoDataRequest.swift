internal import CaptureCore

/// What one reader wants of a video data output.
public struct VideoDataRequest: Hashable, Sendable {
  /// The largest message the client takes, bytes; 64 KiB to 256 MiB.
  public var maxMessageBytes: Int
  /// Never more unacknowledged frames on the way. 0: off; at most 64.
  public var maxUnacknowledgedFrames: Int
  /// Whether only frames are given that were asked for, by ``VideoDataReader/ask(_:)``. Statuses come unasked.
  public var asksForFrames: Bool

  public init(maxMessageBytes: Int = 4 << 20, maxUnacknowledgedFrames: Int = 0, asksForFrames: Bool = false) {
    self.maxMessageBytes = maxMessageBytes
    self.maxUnacknowledgedFrames = maxUnacknowledgedFrames
    self.asksForFrames = asksForFrames
  }

  /// What the frame's bytes may be: the message less 1 KiB for all that goes with them.
  var maxFrameBytes: Int { maxMessageBytes - Self.overhead }

  static let overhead = 1024

  func validate() throws(CaptureError) {
    if !(64 << 10...256 << 20).contains(maxMessageBytes) {
      throw .outOfRange("max_message_bytes", "\(maxMessageBytes)", "\(64 << 10) to \(256 << 20)")
    }
    if !(0...64).contains(maxUnacknowledgedFrames) {
      throw .outOfRange("max_unacknowledged_frames", "\(maxUnacknowledgedFrames)", "0 to 64")
    }
  }

  /// - Throws: `messageLimit` when a frame of `bytes` does not fit.
  func check(_ bytes: Int) throws(CaptureError) {
    if bytes > maxFrameBytes { throw Self.messageLimit(bytes, limit: maxMessageBytes) }
  }

  static func messageLimit(_ bytes: Int, limit: Int) -> CaptureError {
    let needed = bytes + overhead
    return CaptureError(
      .messageLimit, "A frame needs a message of \(needed) bytes; allow them in max_message_bytes, which is \(limit).",
      metadata: ["needed_bytes": "\(needed)", "max_message_bytes": "\(limit)"], field: "max_message_bytes")
  }
}

extension CaptureError {
  static func outOfRange(_ field: String, _ value: String, _ allowed: String) -> CaptureError {
    CaptureError(
      .invalidArgument, "\(field) is \(value); allowed: \(allowed).",
      metadata: ["value": value, "allowed": allowed], field: field)
  }
}
