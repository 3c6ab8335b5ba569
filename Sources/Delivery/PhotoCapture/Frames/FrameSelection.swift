/// Where the frame of a photo was found, and how well it fits the request.
public struct FrameSelection: Hashable, Sendable {
  /// Whether the frame comes from the ring of recent frames, and the capture did not have to wait for it.
  public var zeroShutterLagUsed: Bool
  /// Whether the photo shows the frame that the client asked for.
  public var match: FrameMatch
  /// The frame's capture time minus the instant that the client asked for, in nanoseconds: negative when the frame is
  /// older.
  ///
  /// The instant is the arrival of a request for "now", else the time that the request names, or the capture time of
  /// the frame that it names (the lag is 0 when that frame was found). Nil when the request names a frame that was not
  /// found, because the capture time of that frame is unknown.
  public var shutterLagNanoseconds: Int64?
  /// The sequence number of the damaged frame that this frame replaces; nil when it replaces none. After several
  /// replacements, this is the number of the first damaged frame.
  var replacedSequence: UInt64?
}
