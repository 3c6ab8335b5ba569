internal import CaptureCore
internal import SystemClocks

/// A capture whose photos are not made yet: its frames, and how they become photos. ``PhotoMaker`` needs nothing else,
/// so that another photo thread can make them as well, or one that reads the capture from a file.
struct UnprocessedCapture: Sendable {
  /// What the request asked for, as far as it matters once the frames are there.
  struct Settings: Hashable, Sendable {
    var file: PhotoFileSettings
    var quality: PhotoQuality
    /// When the request arrived.
    var arrival: MonotonicInstant
    /// Whether the photos of the capture are told apart by their index.
    var isOfSeveral: Bool
  }

  let settings: Settings
  /// The frame of the first photo, and in ``HeldFrame/following`` those of the others. Whoever makes the photos owns
  /// the frames, so that they go back to the camera as soon as they are not needed.
  var held: HeldFrame
}

extension UnprocessedCapture {
  init(of job: PhotoJob, _ held: HeldFrame) {
    settings = Settings(
      file: job.request.file, quality: job.quality, arrival: job.request.arrival, isOfSeveral: job.request.isOfSeveral)
    self.held = held
  }
}
