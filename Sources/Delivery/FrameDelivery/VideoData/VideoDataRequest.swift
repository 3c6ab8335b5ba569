internal import CaptureCore

/// What one reader wants of a video data output.
public struct VideoDataRequest: Hashable, Sendable {
  /// The largest message that the client takes, in bytes, 64 KiB to 256 MiB.
  public var maxMessageBytes: Int
  /// The most frames that may be sent and not yet acknowledged, at most 64. 0 sets no limit.
  public var maxUnacknowledgedFrames: Int
  /// Whether the reader gets only frames that it asked for by ``VideoDataReader/ask(_:)``. Statuses come without
  /// asking.
  public var asksForFrames: Bool

  /// Makes a request without checking its values; ``VideoDataOutput/attach(_:layout:)`` checks them. By default the
  /// reader gets frames without asking for them, in messages of at most 4 MiB.
  public init(maxMessageBytes: Int = 4 << 20, maxUnacknowledgedFrames: Int = 0, asksForFrames: Bool = false) {
    self.maxMessageBytes = maxMessageBytes
    self.maxUnacknowledgedFrames = maxUnacknowledgedFrames
    self.asksForFrames = asksForFrames
  }

  /// The most bytes that a frame may have: those of the message without 1 KiB for everything that goes with the frame.
  var maxFrameBytes: Int { maxMessageBytes - Self.overhead }

  /// The bytes of a message that are left for everything that goes with the frame.
  static let overhead = 1024

  /// - Throws: `invalidArgument` for a value out of its range.
  func validate() throws(CaptureError) {
    if !(64 << 10...256 << 20).contains(maxMessageBytes) {
      throw .outOfRange("max_message_bytes", "\(maxMessageBytes)", "\(64 << 10) to \(256 << 20)")
    }
    if !(0...64).contains(maxUnacknowledgedFrames) {
      throw .outOfRange("max_unacknowledged_frames", "\(maxUnacknowledgedFrames)", "0 to 64")
    }
  }

  /// - Throws: `messageLimit` when a frame of `bytes` does not fit the message.
  func check(_ bytes: Int) throws(CaptureError) {
    if bytes > maxFrameBytes { throw Self.messageLimit(bytes, limit: maxMessageBytes) }
  }

  /// The error for a frame of `bytes` that does not fit a message of at most `limit` bytes.
  static func messageLimit(_ bytes: Int, limit: Int) -> CaptureError {
    let needed = bytes + overhead
    return CaptureError(
      .messageLimit, "A frame needs a message of \(needed) bytes; allow them in max_message_bytes, which is \(limit).",
      metadata: ["needed_bytes": "\(needed)", "max_message_bytes": "\(limit)"], field: "max_message_bytes")
  }
}

extension CaptureError {
  /// The error for a field of a request whose value is not among the `allowed` values.
  static func outOfRange(_ field: String, _ value: String, _ allowed: String) -> CaptureError {
    CaptureError(
      .invalidArgument, "\(field) is \(value); allowed: \(allowed).",
      metadata: ["value": value, "allowed": allowed], field: field)
  }
}
