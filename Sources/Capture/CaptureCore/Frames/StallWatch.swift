/// Tells a camera that stopped delivering from one that is slow. A value: it is fed with instants of CLOCK_MONOTONIC and
/// knows no clock and no thread.
///
/// A stream is stalled when nothing came for ``periods`` periods of its effective rate, and at least for the time that
/// ``StallPatience`` says. The effective period is the longest of what the driver confirmed, what frames took lately, and
/// the exposure: in the dark a camera of 30 frames per second gives five, and one that exposes for two seconds gives
/// none before that.
public struct StallWatch: Hashable, Sendable {
  /// How many frames in a row may be missing.
  public static let periods: UInt64 = 10
  /// Nanoseconds; a camera that says it exposes for longer is believed this much.
  static let longestExposure: UInt64 = 60_000_000_000
  /// How many frames in a row may come in less than half of an exposure that the camera says it takes. After a change the
  /// pictures that are already on their way are as short as before; more of them show that it says nonsense.
  static let disproofs = 8

  private let patience: StallPatience
  private let confirmed: UInt64
  /// What frames took lately, smoothed so that one hiccup does not count for much.
  private var usual: UInt64
  private var exposure: UInt64 = 0
  /// Frames in a row that came too soon for the exposure.
  private var tooSoon = 0
  /// When the newest frame came, or the stream began.
  private var newest: UInt64
  private var hasFrame = false
  /// How many damaged pictures came since the newest whole one.
  public private(set) var damaged: UInt64 = 0

  /// - Parameters:
  ///   - start: when the stream began.
  ///   - rate: frames per second that the driver confirmed.
  public init(start: UInt64, rate: Rational, patience: StallPatience = StallPatience()) {
    self.patience = patience
    newest = start
    // A driver may confirm a rate that makes no sense. Unbounded, it would count a working camera as stalled, or never
    // notice one that stopped.
    confirmed = UInt64(min(1e9 / max(rate.value, 0.01), 100e9))
    usual = confirmed
  }

  /// Notes that the driver gave a whole picture.
  public mutating func noteFrame(at instant: UInt64) {
    if hasFrame {
      let interval = instant - min(instant, newest)
      usual = usual - usual / 8 + interval / 8
      tooSoon = exposure / 2 > interval ? min(tooSoon + 1, Self.disproofs) : 0
    }
    hasFrame = true
    newest = max(newest, instant)
    damaged = 0
  }

  /// Notes that the driver gave a damaged picture. That does not put the deadline off: people who watch a camera that brings
  /// nothing else see a frozen picture, as with one that brings nothing.
  public mutating func noteDamage() { damaged += 1 }

  /// Notes how long the camera says it exposes a picture now; 0 where it does not tell. The next frame may take that long.
  /// Some cameras say hours, and some say what has no effect: neither may keep a stall from being noticed.
  public mutating func noteExposure(_ nanoseconds: UInt64) { exposure = min(nanoseconds, Self.longestExposure) }

  /// From when on the stream counts as stalled if no frame comes.
  public var deadline: UInt64 {
    let period = max(confirmed, usual, tooSoon < Self.disproofs ? exposure : 0)
    let least = hasFrame ? patience.betweenFrames : max(patience.firstFrame, patience.betweenFrames)
    return newest + max(period * Self.periods, least)
  }

  /// How long no whole picture came.
  public func silence(at now: UInt64) -> UInt64 { now - min(now, newest) }
}

extension CaptureError {
  /// The camera is there, and stopped delivering.
  ///
  /// - Parameters:
  ///   - nanoseconds: how long no whole picture came.
  ///   - damaged: how many damaged ones came in that time.
  public static func stalled(device: String, silence nanoseconds: UInt64, damaged: UInt64 = 0) -> CaptureError {
    let tenths = nanoseconds / 100_000_000
    let seconds = "\(tenths / 10).\(tenths % 10)"
    var metadata = ["device": device, "silent_seconds": seconds]
    let message: String
    if damaged > 0 {
      metadata["damaged_pictures"] = "\(damaged)"
      message =
        "\(device) is connected and delivered nothing but damaged pictures (\(damaged)) for \(seconds) s; its stream is started "
        + "again until a whole one comes. If that does not help, try another cable or port, or a smaller format."
    } else {
      message =
        "\(device) is connected and delivered no picture for \(seconds) s; its stream is started again until it does. If that "
        + "does not help, unplug the camera and plug it in again."
    }
    return CaptureError(.deviceNotResponding, message, metadata: metadata)
  }
}
