internal import CaptureCore
internal import SystemClocks

/// The place of one capture that is under way: how far the capture is, and until when it waits. A value, which
/// ``CapturePlaces`` holds.
struct CapturePlace: Sendable {
  /// Names a capture's place.
  typealias Ticket = UInt64

  /// What decides when a capture begins and what readiness is meanwhile.
  struct Traits: Hashable, Sendable {
    /// Whether other captures may be under way at the same time.
    var overlaps: Bool
    /// Whether the capture waits for a frame that the camera captures after the request.
    var waitsForSensor: Bool
    /// Whether the camera is set for the capture.
    var setsCamera: Bool

    init(overlaps: Bool = true, waitsForSensor: Bool = false, setsCamera: Bool = false) {
      (self.overlaps, self.waitsForSensor, self.setsCamera) = (overlaps, waitsForSensor, setsCamera)
    }

    /// The traits of the capture of a request.
    init(_ request: PhotoRequest, setsCamera: Bool, _ features: PhotoFeatures) {
      let isOfSeveral = !request.constituents.isEmpty
      overlaps = request.mayOverlap && !setsCamera && !isOfSeveral
      waitsForSensor = !features.zeroShutterLag || setsCamera || isOfSeveral
      self.setsCamera = setsCamera
    }
  }

  private enum Stage: Sendable {
    case queued(HeldFrame?)
    /// The capture has begun: its frame is looked for, or was found and is about to be set.
    case beginning
    /// The capture takes the first frame that the camera captured at `earliest` or later.
    case waiting(earliest: MonotonicInstant)
    /// The capture takes frames of several cameras that were captured at the same time.
    case matching
    /// The camera is set for the capture, and its frames are taken.
    case shooting
    /// The capture has its frame, and takes further ones that the camera captured after `after`.
    case gathering(HeldFrame, missing: Int, after: MonotonicInstant)
    case ready(HeldFrame)
    case processing
    case encoding
    case finished(Result<[Photo], CaptureError>)
    case delivering
  }

  let ticket: Ticket
  let job: PhotoJob
  let traits: Traits
  private var stage: Stage
  /// Until when the capture waits for frames, or, before its turn, for the exposure to settle; nil while it does not
  /// wait.
  private(set) var deadline: MonotonicInstant?
  /// Whether the capture has not had to wait for its turn so far.
  private var isImmediate = true

  /// Makes the place of a capture whose turn has not come.
  ///
  /// - Parameter deadline: until when the capture waits for ``endSettling()``; nil for a capture that need not.
  init(_ ticket: Ticket, _ job: PhotoJob, _ traits: Traits, held: HeldFrame?, settlingUntil deadline: MonotonicInstant?)
  {
    (self.ticket, self.job, self.traits) = (ticket, job, traits)
    (stage, self.deadline) = (.queued(held), deadline)
  }

  private mutating func enter(_ stage: Stage, until deadline: MonotonicInstant? = nil) {
    (self.stage, self.deadline) = (stage, deadline)
  }

  // MARK: The turn

  /// Whether the capture's turn has not come.
  var isQueued: Bool { if case .queued = stage { true } else { false } }

  /// Whether the capture's turn comes only when the exposure has settled.
  var awaitsSettling: Bool { isQueued && deadline != nil }

  /// Whether the capture's turn has not come and no frame is held for it.
  var isQueuedWithoutFrame: Bool { if case .queued(nil) = stage { true } else { false } }

  /// Ends the wait until the exposure has settled.
  mutating func endSettling() { if isQueued { deadline = nil } }

  /// Begins the capture, whose turn has come.
  mutating func begin() -> CapturePlaces.Turn {
    var turn = CapturePlaces.Turn(ticket: ticket, job: job, isImmediate: isImmediate)
    if case .queued(let held) = stage { turn.held = held }
    enter(.beginning)
    return turn
  }

  /// Notes that the capture waits for its turn from now on, if it has not come.
  mutating func letWait() { isImmediate = false }

  // MARK: Frames

  /// Whether the capture has begun and waits for the first of its frames.
  var hasNoFrame: Bool {
    switch stage {
    case .waiting, .matching: true
    default: false
    }
  }

  /// Whether the camera is set for the capture now.
  var isShooting: Bool { if case .shooting = stage { true } else { false } }

  /// Whether the capture has waited until its deadline.
  func isLate(at now: MonotonicInstant) -> Bool { deadline.map { $0 <= now } ?? false }

  /// Waits for the first frame that the camera captured at `earliest` or later.
  mutating func wait(earliest: MonotonicInstant, until deadline: MonotonicInstant?) {
    enter(.waiting(earliest: earliest), until: deadline)
  }

  /// Waits for frames of several cameras.
  mutating func match(until deadline: MonotonicInstant) { enter(.matching, until: deadline) }

  /// Notes that the camera is being set for the capture.
  mutating func shoot() { enter(.shooting) }

  /// Ends the wait for a frame of the camera, which was found elsewhere.
  ///
  /// - Returns: false when the capture does not wait for one.
  mutating func endWait() -> Bool {
    guard case .waiting = stage else { return false }
    enter(.beginning)
    return true
  }

  /// Takes a frame that the camera captured at `time`. The frame ends a wait, or `add` adds it to the frames of a
  /// capture that gathers several.
  ///
  /// - Parameter add: says whether further frames may follow. If not, the photo is made of the frames that it has.
  /// - Returns: whether the frame ended a wait.
  mutating func frameArrived(at time: MonotonicInstant, adding add: (inout HeldFrame) -> Bool) -> Bool {
    switch stage {
    case .waiting(let earliest) where time >= earliest:
      enter(.beginning)
      return true
    case .gathering(var held, let missing, let after) where time > after:
      if add(&held), missing > 1 {
        stage = .gathering(held, missing: missing - 1, after: time)
      } else {
        enter(.ready(held))
      }
    default: break
    }
    return false
  }

  /// Takes the photo's own frame. The capture is ready to be processed, or takes `missing` further frames first,
  /// captured after `time` and before `deadline`.
  mutating func setCaptured(
    _ held: HeldFrame, missing: Int, after time: MonotonicInstant, until deadline: MonotonicInstant?
  ) {
    if missing > 0 {
      enter(.gathering(held, missing: missing, after: time), until: deadline)
    } else {
      enter(.ready(held))
    }
  }

  /// Lets a capture that has its frame go on with the frames that it has.
  mutating func endGathering() { if case .gathering(let held, _, _) = stage { enter(.ready(held)) } }

  // MARK: The photo

  /// Whether the capture has its frames, and no thread works on it.
  var isReady: Bool { if case .ready = stage { true } else { false } }

  /// Whether a thread makes the capture's picture.
  var isProcessing: Bool { if case .processing = stage { true } else { false } }

  /// Whether a thread encodes the capture's picture.
  var isEncoding: Bool { if case .encoding = stage { true } else { false } }

  /// Whether the capture's result is being delivered.
  var isDelivering: Bool { if case .delivering = stage { true } else { false } }

  /// Whether the capture's picture is made.
  var isPastProcessing: Bool {
    switch stage {
    case .encoding, .finished, .delivering: true
    default: false
    }
  }

  /// Begins to process the capture, and returns its frames; nil when it is not ready.
  mutating func process() -> HeldFrame? {
    guard case .ready(let held) = stage else { return nil }
    enter(.processing)
    return held
  }

  /// Notes that the capture's picture is made, so that its thread only encodes.
  mutating func encode() { enter(.encoding) }

  /// Notes that the capture's thread is done.
  mutating func finish(_ result: Result<[Photo], CaptureError>) { enter(.finished(result)) }

  /// Begins to deliver the capture, and returns its result; nil when it is not finished.
  mutating func deliver() -> Result<[Photo], CaptureError>? {
    guard case .finished(let result) = stage else { return nil }
    enter(.delivering)
    return result
  }

  // MARK: Readiness

  /// Whether readiness tells that the capture waits for its frame.
  ///
  /// - Parameter isResponsive: whether the output has responsive capture.
  func waitsForSensor(isResponsive: Bool) -> Bool {
    switch stage {
    case .shooting, .matching: true
    case .queued, .beginning: traits.setsCamera || awaitsSettling
    // An empty ring has a frame in a moment, so a capture that could use it does not count as waiting.
    case .waiting, .gathering: traits.waitsForSensor || !isResponsive
    default: false
    }
  }
}
