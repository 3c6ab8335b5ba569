internal import CaptureCore
internal import SystemClocks

/// The capture that takes a photo of each of several cameras, while it waits for frames of the same time. There is one
/// at most. A value, which ``PhotoQueueStateMachine`` holds.
struct ConstituentMatch: Sendable {
  /// The frames of a capture that has one of each camera: that of its first photo with those of the others.
  struct Found: Sendable {
    let ticket: CapturePlace.Ticket
    let job: PhotoJob
    var held: HeldFrame
  }

  private struct Waiting: Sendable {
    let ticket: CapturePlace.Ticket
    let job: PhotoJob
    var frames: ConstituentFrames
  }

  /// For how many periods of the slowest camera a capture waits at least.
  private static let patience = 40.0

  /// The capture, or nothing. In an array, because looking at an optional copies what it holds, which each frame would
  /// do.
  private var waiting: [Waiting] = []

  /// Whether a capture waits.
  var isWaiting: Bool { !waiting.isEmpty }

  /// The cameras whose frames are to be offered.
  var inputs: Set<String> { Set(waiting.first?.job.request.constituents ?? []) }

  /// The camera of the capture that has brought no intact frame; nil when all have, and without a capture.
  var silentInput: String? { waiting.first?.frames.silentInput }

  /// The camera of the capture for whose frame there was no memory; nil for none.
  var inputWithoutMemory: String? { waiting.first?.frames.inputWithoutMemory }

  /// Begins to wait for the frames of a capture.
  ///
  /// - Parameters:
  ///   - cameras: those of the output.
  ///   - earliest: when the first frames may have been captured.
  ///   - deadline: until when a capture of the output's own camera would wait.
  /// - Returns: until when the capture waits, which is later when one of its cameras is slower.
  mutating func begin(
    _ ticket: CapturePlace.Ticket, _ job: PhotoJob, of cameras: [ConstituentCamera],
    since earliest: MonotonicInstant, until deadline: MonotonicInstant
  ) -> MonotonicInstant {
    let frames = ConstituentFrames(job.request, cameras, since: earliest)
    waiting = [Waiting(ticket: ticket, job: job, frames: frames)]
    let rates = cameras.filter { job.request.constituents.contains($0.input) }.compactMap(\.frameRate?.value)
    let periods = rates.filter { $0 > 0 }.min().map { UInt64(Self.patience * 1e9 / $0) } ?? 0
    return max(deadline, earliest + periods)
  }

  /// Takes a frame of a camera. The wait ends when the frames are complete.
  ///
  /// - Parameters:
  ///   - cameras: those of the output, its own first.
  ///   - shadow: when the output's own camera was set for captures.
  /// - Returns: the frames, once they are complete.
  mutating func offer(
    _ frame: CapturedFrame, of cameras: [ConstituentCamera], _ shadow: ShotShadow, at now: MonotonicInstant
  ) -> Found? {
    guard !waiting.isEmpty, var frames = waiting[0].frames.offer(frame) else { return nil }
    let (ticket, job) = (waiting[0].ticket, waiting[0].job)
    waiting = []
    for index in frames.indices {
      let captured = frames[index].captured
      let camera = cameras.first { $0.input == captured.input }
      frames[index].orientation = camera?.connection.orientation ?? .asCaptured
      // Only the output's own camera is ever set for a capture.
      frames[index].hasForeignReadings = camera == cameras.first && shadow.mayHaveReadings(of: captured.time)
      frames[index].heldAt = now
      frames[index].capturePhase = CapturePhase(begin: job.began, end: now)
      // The client was told of frames of which one turned out to be damaged.
      if job.isReplaced { frames[index].selection.match = .damaged }
    }
    var held = frames.removeFirst()
    held.following = frames
    return Found(ticket: ticket, job: job, held: held)
  }

  /// Ends the wait of a capture that is not under way any more.
  ///
  /// - Returns: whether there was one.
  mutating func end(unlessIn places: CapturePlaces) -> Bool {
    if waiting.isEmpty || places.holds(waiting[0].ticket) { return false }
    waiting = []
    return true
  }

  /// The capture that waits and one of whose cameras brings no frame any more, with the error; nil while all may, and
  /// for a capture that is not under way any more.
  func failure(
    of cameras: [ConstituentCamera], in places: CapturePlaces
  ) -> (CapturePlace.Ticket, PhotoJob, CaptureError)? {
    guard let capture = waiting.first, places.holds(capture.ticket),
      let error = Self.obstacle(of: capture.job, cameras)
    else { return nil }
    return (capture.ticket, capture.job, error)
  }

  /// Why the cameras of a capture will bring no frames; nil when they will.
  ///
  /// - Parameter cameras: those of the output.
  static func obstacle(of job: PhotoJob, _ cameras: [ConstituentCamera]) -> CaptureError? {
    for input in job.request.constituents {
      guard let camera = cameras.first(where: { $0.input == input }) else {
        return .interrupted(by: "\(input) is not connected any more")
      }
      guard camera.connection.isEnabled else { return .interrupted(by: "the connection of \(input) was disabled") }
      guard [.running, .starting].contains(camera.status.state) else {
        var error = CaptureError.interrupted(by: camera.status)
        error.metadata["input"] = input
        return error
      }
    }
    return nil
  }

  /// The error of a capture for which no frame of `input` could be held.
  static func noMemory(of input: String) -> CaptureError {
    CaptureError(
      .outOfBuffers, "There is no memory to hold a frame of \(input); take the photos again when readers are done.",
      metadata: ["input": input])
  }
}
