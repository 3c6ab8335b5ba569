internal import CaptureCore
internal import Imaging
internal import SystemClocks

/// The frame that a photo shows, and the frames that are merged into it. All of them are held until the photo is made.
struct HeldFrame: Sendable {
  /// A frame that is merged with the photo's own. Its memory is held for as long as this value or a copy of it exists.
  struct Neighbour: Sendable {
    let frame: Frame
    private let loan: FrameLoan

    init(_ frame: Frame) {
      self.frame = frame
      loan = FrameLoan(frame.buffer)
    }
  }

  /// The frame that the photo shows.
  var captured: CapturedFrame
  /// The loan that holds the memory of ``captured``.
  var loan: FrameLoan
  /// The other frames that the photo is made of.
  var neighbours: [Neighbour] = []
  /// How the camera was set for the photo; nil when it was not set for it.
  var conditions: ShotConditions?
  /// Whether the driver's readings for ``captured`` may belong to another capture's shot or to an earlier step.
  var hasForeignReadings = false
  /// Whether ``neighbours`` are the other exposures of a bracket, so that no single exposure describes the photo.
  var mergesExposures = false
  /// The frames of the further photos of the capture, in the order of its bracket or of its cameras.
  var following: [HeldFrame] = []
  /// How the photo is turned: as the connection turned pictures when the frame was captured.
  var orientation = Orientation.asCaptured
  /// Where ``captured`` was found, and how well it fits the request.
  var selection: FrameSelection
  /// When the output held the frame; nil before the output has recorded that.
  var heldAt: MonotonicInstant?
  /// When the capture of the photo began and ended.
  var capturePhase = CapturePhase()

  /// Notes that a capture whose turn came at `instant` takes the frame.
  ///
  /// - Parameters:
  ///   - now: when the output held the frame at the latest.
  ///   - isReplacement: whether the client was told of another frame, which turned out to be damaged.
  mutating func begin(at instant: MonotonicInstant, heldBy now: MonotonicInstant, isReplacement: Bool) {
    if heldAt == nil { heldAt = now }
    capturePhase.begin = instant
    if isReplacement, selection.match == .exact { selection.match = .damaged }
  }

  /// Adds a frame that was captured after ``captured`` to ``neighbours``. Does not add a frame of another stream or
  /// layout, or one whose memory the camera needs.
  ///
  /// - Returns: whether the frame was added, so that further frames may follow.
  mutating func add(_ frame: Frame) -> Bool {
    let own = captured.frame
    guard frame.streamID == own.streamID, frame.layout == own.layout else { return false }
    let neighbour = Neighbour(frame)
    guard frame.buffer.leavesRoom(for: FrameFinder.framesLeftToCamera) else { return false }
    neighbours.append(neighbour)
    return true
  }
}

/// When the capture of a photo began and ended.
struct CapturePhase: Hashable, Sendable {
  /// When the capture's turn came; nil before.
  var begin: MonotonicInstant?
  /// When the newest frame of the photo came; nil while no frame came after the photo's own frame was held.
  var end: MonotonicInstant?
}
