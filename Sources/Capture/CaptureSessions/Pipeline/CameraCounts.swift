public import CaptureCore

/// Counts what the camera of an input has brought since the input was added.
public struct CameraCounts: Hashable, Sendable {
  /// Frames.
  public var frames: UInt64 = 0
  /// Frames that were lost before them.
  public var lost = DropCounts()
  /// Damaged pictures. They are counted when they come, and in ``lost`` with the next frame.
  public var damagedPictures: UInt64 = 0

  /// Creates counts of nothing.
  public init() {}

  mutating func note(_ frame: Frame) {
    frames += 1
    lost += frame.missing
  }
}

/// The counts of one camera of a session.
public struct CameraFigures: Hashable, Sendable {
  /// The id of the input.
  public var input: String
  /// The frames that the camera has brought, and those that were lost.
  public var counts: CameraCounts
  /// The number of steps of the adaptation ladder that are in force for the camera.
  public var adaptationSteps: Int
}
