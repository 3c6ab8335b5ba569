internal import CaptureCore
internal import Imaging
internal import SystemClocks

/// The frame a photo is made of, held until it is processed, and those near it.
struct PinnedFrame: Sendable {
  var captured: CapturedFrame
  var loan: FrameLoan
  /// Further frames that it is made of.
  var neighbours: [HeldFrame] = []
  /// What the camera was set to for it; nil for nothing.
  var conditions: ShotConditions?
  /// Whether its readings may be those of another's shot, or of the step before.
  var hasForeignReadings = false
  /// Whether `neighbours` are exposed differently on purpose, so that no single exposure describes the photo.
  var mergesExposures = false
  /// The frames of the capture's further photos, in order.
  var following: [PinnedFrame] = []
  /// How the photo is turned, by the connection when it was captured.
  var orientation = Orientation.asCaptured
  var zeroShutterLagUsed: Bool
  /// See ``Photo``.
  var match: FrameMatch
  /// Number of the frame that it takes the place of.
  var replacedSequence: UInt64?
  var shutterLagNanoseconds: Int64?
  /// When it was held; nil before.
  var pinnedAt: MonotonicInstant?
  var capturePhase = CapturePhase()

  /// When the capture of a photo began and ended.
  struct CapturePhase: Hashable, Sendable {
    /// When the capture's turn came; nil before.
    var begin: MonotonicInstant?
    /// When the newest frame of the photo came; nil while no frame came after the photo's own was held.
    var end: MonotonicInstant?
  }

  /// Adds a frame captured after it, unless that is of another stream, or the camera would lack its memory.
  ///
  /// - Returns: whether further ones may follow.
  mutating func add(_ frame: Frame) -> Bool {
    let own = captured.frame
    guard frame.streamID == own.streamID, frame.layout == own.layout else { return false }
    let held = HeldFrame(frame)
    guard frame.buffer.leavesRoom(for: FrameFinder.framesLeftToCamera) else { return false }
    neighbours.append(held)
    return true
  }
}
