/// A receiver of a session's frames: a preview, a video data output or the photo output. The session knows its outputs
/// only by this protocol.
///
/// No thread waits for an output, because each output has a bounded mailbox of its own. All outputs share the memory of
/// the camera's frames, so an output that keeps frames must leave enough memory to the others; see
/// ``FrameBuffer/room``.
public protocol CaptureOutput: AnyObject, Sendable {
  /// The output's id, which is unique in the session.
  var id: String { get }

  /// Builds the heavy parts of the output, such as encoders and pools. The session prepares each output once, before
  /// the first frame or by deferred start, and may try again after a failure.
  func prepare() async throws(CaptureError)

  /// Takes one frame. The camera's capture thread calls this method for the frames in order, even while the output is
  /// not prepared. The method must be short and must not block.
  func receive(_ frame: CapturedFrame)

  /// Takes a piece of sound. The thread that captures the sound calls this method for the blocks of an input in order.
  /// The method must be short and must not block.
  ///
  /// - Parameter input: the id of the session's input, one of ``OutputConditions/audio``.
  func receive(_ block: AudioBlock, of input: String)

  /// Takes the conditions that apply from now on. Readers stay attached, and only notice the change in their pictures
  /// and status.
  ///
  /// The session calls this method before it adds the output, and then whenever a part of the conditions may have
  /// changed. During a commit it first changes the connection, and readers are told of that only with the next call,
  /// because the commit may fail. The session makes one call at a time. While the connection is disabled, no frames
  /// come, and the missing frames do not count as dropped.
  func update(_ conditions: OutputConditions)

  /// Ends the output, and ends each reader with `error`. The session makes no other call after `close`, except that a
  /// frame or a call of ``prepare()`` may already be on its way; neither may do harm.
  func close(_ error: CaptureError)

  /// The frames that the output was given until now, and its readers; nil for an output that does not count them.
  var counts: OutputCounts? { get }
}

extension CaptureOutput {
  /// Does nothing, unless the output takes sound and implements this method.
  public func receive(_ block: AudioBlock, of input: String) {}
  /// Nil, unless the output counts its frames and implements this property.
  public var counts: OutputCounts? { nil }
}
