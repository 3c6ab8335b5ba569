internal import CaptureCore
internal import SystemClocks

/// Captures that take a photo of each of several cameras.
extension PhotoQueueStateMachine {
  /// A capture that waits until its cameras have brought frames of the same time.
  struct Match: Sendable {
    var ticket: Ticket
    var job: PhotoJob
    var frames: ConstituentFrames
  }

  /// For how many periods of the slowest camera a capture waits at least.
  private static var patience: Double { 40 }

  /// The cameras whose frames are to be given to ``constituentArrived(_:at:)``.
  var tappedInputs: Set<String> { Set(matches.first?.job.request.constituents ?? []) }

  /// Lets a capture that has begun wait for its frames until `deadline`.
  mutating func match(_ turn: CapturePlaces.Turn, until deadline: MonotonicInstant) {
    let job = turn.job
    let since = afterShots(turn.isImmediate ? job.request.arrival : job.began)
    match(turn.ticket, job, since: since, until: deadline)
  }

  /// Lets a capture one of whose frames was damaged wait for others.
  ///
  /// - Returns: false when no frames will come for it.
  mutating func matchAgain(_ work: Assignment, until deadline: MonotonicInstant) -> Bool {
    guard places.isRunning, places.holds(work.ticket), obstacle(of: work.job) == nil else { return false }
    let frames = [work.capture.held] + work.capture.held.following
    let last = frames.map(\.captured.time).max() ?? .epoch
    match(work.ticket, work.job, since: afterShots(last + 1), until: deadline)
    return true
  }

  private mutating func match(
    _ ticket: Ticket, _ job: PhotoJob, since earliest: MonotonicInstant, until deadline: MonotonicInstant
  ) {
    guard places.holds(ticket) else { return }
    // The deadline is that of the output's own camera, and the other cameras may be slower.
    let cameras = conditions.constituents.filter { job.request.constituents.contains($0.input) }
    let slowest = cameras.compactMap(\.frameRate?.value).filter { $0 > 0 }.min()
    let periods = slowest.map { UInt64(Self.patience * 1e9 / $0) } ?? 0
    places.match(ticket, deadline: max(deadline, earliest + periods))
    let frames = ConstituentFrames(job.request, conditions.constituents, since: earliest)
    matches = [Match(ticket: ticket, job: job, frames: frames)]
    actions.work.append(.tapCameras)
    failUnmatchable()
  }

  /// Takes a frame of a camera that is tapped, and gives the capture its frames if they are complete now.
  mutating func constituentArrived(_ frame: CapturedFrame, at now: MonotonicInstant) {
    guard !matches.isEmpty, var frames = matches[0].frames.offer(frame) else { return }
    let (ticket, job) = (matches[0].ticket, matches[0].job)
    endMatch()
    if !job.isReplaced { actions.notices.append(.send(job, .willCapturePhoto)) }
    for index in frames.indices {
      let captured = frames[index].captured
      let camera = conditions.constituents.first { $0.input == captured.input }
      frames[index].orientation = camera?.connection.orientation ?? .asCaptured
      // Only the output's own camera is ever set for a capture.
      frames[index].hasForeignReadings =
        camera == conditions.constituents.first && shadow.mayHaveReadings(of: captured.time)
      frames[index].heldAt = now
      frames[index].capturePhase = CapturePhase(begin: job.began, end: now)
      if job.isReplaced {
        frames[index].selection.match = .damaged
      } else {
        actions.notices.append(.send(job, .didCapturePhoto(captured)))
      }
    }
    var held = frames.removeFirst()
    held.following = frames
    places.setCaptured(ticket, held)
  }

  /// Fails the capture that waits if one of its cameras brings no frame any more.
  mutating func failUnmatchable() {
    guard let match = matches.first, places.holds(match.ticket), let error = obstacle(of: match.job) else { return }
    places.remove(match.ticket)
    actions.answers.append(.fail(match.job, error))
    endMatch()
  }

  /// The error of a capture for which no frame of `input` could be held.
  static func noMemory(of input: String) -> CaptureError {
    CaptureError(
      .outOfBuffers, "There is no memory to hold a frame of \(input); take the photos again when readers are done.",
      metadata: ["input": input])
  }

  /// Ends the wait of the capture that has its frames, or that is over.
  mutating func endMatch() {
    matches = []
    actions.work.append(.tapCameras)
  }

  /// Why the cameras of a capture will bring no frames; nil when they will.
  private func obstacle(of job: PhotoJob) -> CaptureError? {
    for input in job.request.constituents {
      guard let camera = conditions.constituents.first(where: { $0.input == input }) else {
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
}
