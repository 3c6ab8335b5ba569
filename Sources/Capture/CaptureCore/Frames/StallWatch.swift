public import SystemClocks

/// Tells a camera that stopped delivering from a camera that is slow. A value: the caller passes the time in; the watch
/// itself uses no clock and no thread.
///
/// A stream is stalled when no whole picture came for ``periods`` effective periods and for at least the time that
/// ``StallPatience`` says. The effective period is the longest of three: the period that the driver confirmed, the
/// usual time between the latest frames, and the exposure time. In the dark, a camera of 30 frames per second brings
/// five, and a camera that exposes for two seconds brings no frame before these are over.
public struct StallWatch: Hashable, Sendable {
  /// The number of effective periods without a whole picture after which a stream counts as stalled.
  public static let periods: UInt64 = 10
  /// The longest exposure time that the watch believes, in nanoseconds. When a camera claims a longer one, the watch
  /// uses this time instead.
  static let longestExposure: UInt64 = 60_000_000_000
  /// How many frames in a row must come in less than half of the exposure time that the camera claims, until the watch
  /// ignores the claim. A few such frames are normal after a change, because the pictures on their way still have the
  /// former, shorter exposure; more frames show that the claim is wrong.
  static let disproofs = 8

  private let patience: StallPatience
  private let confirmed: UInt64
  /// The usual time between the latest frames in nanoseconds, smoothed so that one late frame changes it little.
  private var usual: UInt64
  private var exposure: UInt64 = 0
  /// The number of frames in a row that came too soon for the exposure time that the camera claims.
  private var tooSoon = 0
  /// When the newest whole picture came; before the first, when the stream began.
  private var newest: MonotonicInstant
  private var hasFrame = false
  /// The number of damaged pictures since the newest whole one.
  public private(set) var damaged: UInt64 = 0

  /// Begins to watch a stream.
  ///
  /// - Parameters:
  ///   - start: when the stream began.
  ///   - rate: the frames per second that the driver confirmed.
  ///   - patience: the shortest times without a frame after which the stream may count as stalled.
  public init(start: MonotonicInstant, rate: Rational, patience: StallPatience = StallPatience()) {
    self.patience = patience
    newest = start
    // The period is bounded, because a driver may confirm a rate that makes no sense. With an unbounded period, the
    // watch would take a working camera for stalled, or would never notice a camera that stopped.
    confirmed = UInt64(min(1e9 / max(rate.value, 0.01), 100e9))
    usual = confirmed
  }

  /// Notes that the driver delivered a whole picture at `instant`.
  public mutating func noteFrame(at instant: MonotonicInstant) {
    if hasFrame {
      let interval = instant.nanoseconds(since: newest)
      usual = usual - usual / 8 + interval / 8
      tooSoon = exposure / 2 > interval ? min(tooSoon + 1, Self.disproofs) : 0
    }
    hasFrame = true
    newest = max(newest, instant)
    damaged = 0
  }

  /// Notes that the driver delivered a damaged picture. A damaged picture does not put off the deadline: a viewer of a
  /// camera that brings only damaged pictures sees a frozen picture, as with a camera that brings no picture.
  public mutating func noteDamage() { damaged += 1 }

  /// Notes how long the camera claims to expose a picture now, in nanoseconds; 0 when the camera does not tell. The
  /// next frame may take that long. Some cameras claim hours, and some claim times that have no effect; neither may
  /// keep the watch from noticing a stall.
  public mutating func noteExposure(_ nanoseconds: UInt64) { exposure = min(nanoseconds, Self.longestExposure) }

  /// The instant at which the stream counts as stalled if no whole picture comes before.
  public var deadline: MonotonicInstant {
    let period = max(confirmed, usual, tooSoon < Self.disproofs ? exposure : 0)
    let least = hasFrame ? patience.betweenFrames : max(patience.firstFrame, patience.betweenFrames)
    return newest + max(period * Self.periods, least)
  }

  /// How long no whole picture has come until `now`, in nanoseconds.
  public func silence(at now: MonotonicInstant) -> UInt64 { now.nanoseconds(since: newest) }
}

extension CaptureError {
  /// The `deviceNotResponding` error for a camera that is connected and stopped delivering whole pictures.
  ///
  /// - Parameters:
  ///   - nanoseconds: how long no whole picture has come.
  ///   - damaged: how many damaged pictures came in that time.
  public static func stalled(device: String, silence nanoseconds: UInt64, damaged: UInt64 = 0) -> CaptureError {
    let seconds = Seconds.tenths(nanoseconds)
    var metadata = ["device": device, "silent_seconds": seconds]
    let message: String
    if damaged > 0 {
      metadata["damaged_pictures"] = "\(damaged)"
      message =
        "\(device) is connected and delivered nothing but damaged pictures (\(damaged)) for \(seconds) s; the daemon "
        + "restarts its stream until an intact picture comes. If that does not help, try another cable or port, or a "
        + "smaller format."
    } else {
      message =
        "\(device) is connected and delivered no picture for \(seconds) s; the daemon restarts its stream until "
        + "one comes. If that does not help, unplug the camera and plug it in again."
    }
    return CaptureError(.deviceNotResponding, message, metadata: metadata)
  }
}

/// The shortest times without a frame after which a stream may count as stalled.
public struct StallPatience: Hashable, Sendable {
  /// The time from one frame to the next, in nanoseconds.
  public var betweenFrames: UInt64
  /// The time from the start of the stream to its first frame, in nanoseconds. Real cameras need one or two seconds to
  /// wake up, and few need more.
  public var firstFrame: UInt64

  /// Creates a patience from two times in nanoseconds. By default, they are one second between frames and five seconds
  /// before the first frame.
  public init(betweenFrames: UInt64 = 1_000_000_000, firstFrame: UInt64 = 5_000_000_000) {
    self.betweenFrames = betweenFrames
    self.firstFrame = firstFrame
  }
}
