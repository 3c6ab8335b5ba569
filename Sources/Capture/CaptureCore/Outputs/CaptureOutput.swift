/// Somewhere frames go: preview, photo, and later movie. The session knows its outputs only by this protocol.
///
/// Nothing waits for an output: each has a bounded mailbox of its own. They share the memory of the camera's frames, of which
/// whoever keeps some must leave others enough: see ``FrameBuffer/room``.
public protocol CaptureOutput: AnyObject, Sendable {
  /// Unique in the session.
  var id: String { get }

  /// Builds whatever is heavy (encoders, pools). Called once per commit: before the first frame, or by deferred start.
  func prepare() async throws(CaptureError)

  /// Takes one frame. Called on the capture thread, in order, prepared or not: keep it short, never block.
  func receive(_ frame: CapturedFrame)

  /// Takes the conditions that hold from now on. Readers stay; all they notice is the picture and the status.
  ///
  /// The session calls this when it adds the output, before the first frame, and then whenever a part of the conditions
  /// changes. Calls come one after the other. While the connection is disabled no frames come, and those do not count as
  /// dropped.
  func update(_ conditions: OutputConditions)

  /// Ends everything, each reader with `error`. The last call, but for a frame or a ``prepare()`` on its way: harmless.
  func close(_ error: CaptureError)

  /// What it was given so far; nil when it does not count.
  var counts: OutputCounts? { get }
}

extension CaptureOutput {
  public var counts: OutputCounts? { nil }
}
