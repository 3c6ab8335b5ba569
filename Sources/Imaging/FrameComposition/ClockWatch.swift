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
