internal import CaptureCore
internal import SystemClocks

/// What came of a picture that was to be composed.
enum CompositionOutcome: Hashable, Sendable {
  case composed
  /// There is no memory for the picture, which is lost.
  case outOfBuffers
  /// The first layer's frame is damaged, so the picture is lost.
  case damaged
  /// The frame of another layer is damaged, so another one is to be shown in its place.
  case chooseAgain
}

/// Notices that the first layer of a composition brings no pictures. A value: the caller passes the time in.
struct ClockWatch: Sendable {
  private var rate: Rational
  private var patience: StallPatience
  private var watch: StallWatch
  /// Until when the session itself kept the camera from bringing frames; in the distant future while it does.
  private var pausedUntil = MonotonicInstant.epoch

  /// - Parameters:
  ///   - start: when the stream began.
  ///   - rate: the pictures a second.
  ///   - patience: how long the first layer may bring no frame before the stream counts as stalled.
  init(start: MonotonicInstant, rate: Rational, patience: StallPatience) {
    self.rate = rate
    self.patience = patience
    watch = StallWatch(start: start, rate: rate, patience: patience)
  }

  /// Takes over another rate of the first layer, whose time to bring a picture begins anew.
  mutating func expect(_ rate: Rational, at now: MonotonicInstant) {
    guard rate != self.rate else { return }
    self.rate = rate
    watch = StallWatch(start: now, rate: rate, patience: patience)
  }

  /// Takes over until when the session keeps the camera from bringing frames. After that, the next picture may take as
  /// long as the first one of a stream, because the camera streams anew.
  mutating func pause(until instant: MonotonicInstant) {
    guard instant != pausedUntil else { return }
    pausedUntil = instant
    guard instant != .distantFuture else { return }
    watch = StallWatch(start: instant, rate: rate, patience: patience)
  }

  /// Notes what came of a frame of the first layer. Without memory for the composed picture, the camera works
  /// nevertheless, and the picture is counted as lost.
  mutating func note(_ outcome: CompositionOutcome, at instant: MonotonicInstant) {
    switch outcome {
    case .composed, .outOfBuffers: notePicture(at: instant)
    case .damaged: watch.noteDamage()
    case .chooseAgain: break
    }
  }

  private mutating func notePicture(at instant: MonotonicInstant) {
    // A composition that waits for a camera to come back has all the time until its first picture, and not later.
    patience.firstFrame = min(patience.firstFrame, StallPatience().firstFrame)
    watch.noteFrame(at: instant)
  }

  /// When the composition counts as stalled if no picture comes before.
  var deadline: MonotonicInstant { pausedUntil == .distantFuture ? .distantFuture : watch.deadline }

  /// The number of damaged pictures since the newest whole one.
  var damaged: UInt64 { watch.damaged }

  /// How long no picture has come until `now`, in nanoseconds.
  func silence(at now: MonotonicInstant) -> UInt64 { watch.silence(at: now) }
}

/// How often an input brings frames, and how long after their capture they come. A value.
struct InputTiming: Hashable, Sendable {
  /// The number of frames that the estimates follow from. A camera that changes its rate, because it is dark, is
  /// followed after three frames.
  private static let window = 5

  /// When the newest frame was captured; nil before the first.
  private(set) var newest: MonotonicInstant?
  /// When the newest frame came.
  private(set) var arrived = MonotonicInstant.epoch
  private var streamID: UInt64 = 0
  private var periods: [UInt64] = []
  private var delays: [UInt64] = []

  /// Notes the next frame.
  ///
  /// - Returns: false for a frame that was not captured after the one before, which cannot be used.
  mutating func note(_ frame: Frame, at now: MonotonicInstant) -> Bool {
    let captured = frame.time.monotonic
    if let newest {
      guard captured > newest else { return false }
      if frame.streamID == streamID {
        periods = periods.suffix(Self.window - 1) + [captured.nanoseconds(since: newest)]
      } else {
        (periods, delays) = ([], [])
      }
    }
    delays = delays.suffix(Self.window - 1) + [now.nanoseconds(since: captured)]
    (newest, arrived, streamID) = (captured, now, frame.streamID)
    return true
  }

  /// The time from one frame to the next; nil while there are no two frames of the stream. It is the median of the
  /// latest, so that a lost frame does not change it.
  var period: UInt64? { periods.isEmpty ? nil : periods.sorted()[periods.count / 2] }

  /// The instant until which to wait for a frame that was captured nearer to `instant` than the newest frame; nil when
  /// there will be none, or when the input brings no frames at present.
  func awaits(_ instant: MonotonicInstant, at now: MonotonicInstant) -> MonotonicInstant? {
    guard let newest, let period, newest < instant else { return nil }
    let behind = instant.nanoseconds(since: newest)
    // The next frame is further away than the newest one.
    if behind <= period / 2 { return nil }
    // The camera is gone, or its pictures are. To wait for it each time would delay every picture.
    if now.nanoseconds(since: arrived) > 3 * period { return nil }
    let nearest = newest + (behind + period / 2) / period * period
    return nearest + (delays.max() ?? 0) + period / 4
  }
}
