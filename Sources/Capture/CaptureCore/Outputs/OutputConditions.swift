/// How a session stands towards one of its outputs. The session replaces it as a whole whenever a part of it changes.
public struct OutputConditions: Hashable, Sendable {
  /// The session's state, which the output passes on to its readers.
  public var status = SessionStatus(.stopped)
  /// Whether frames come to the output, and how pictures are turned on their way.
  public var connection = Connection()
  /// What pictures may be at most because of system pressure. Previews and photo outputs heed it.
  public var limits = PictureLimits()
  /// What photos are made with. Only photo outputs heed it.
  public var photoFeatures = PhotoFeatures()
  /// How the camera's frames will lie in memory, so that an output can prepare for them while none come. Nil while the
  /// session has no camera.
  public var expectedLayout: FrameLayout?
  /// Whether a commit is under way that restarts the camera or changes what photos are made with. Captures in flight end
  /// when this becomes true.
  public var isReconfiguring = false

  public init() {}
}
