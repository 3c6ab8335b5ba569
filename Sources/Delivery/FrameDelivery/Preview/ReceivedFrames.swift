internal import CaptureCore
internal import SystemClocks

/// What a preview output knows of the frames that it received.
struct ReceivedFrames: Sendable {
  private(set) var tally = FrameTally()
  /// The frame that the output received last. Nil before the first frame.
  private(set) var newest: FrameID?
  /// The frame that the output received last, for readers who attach. Nil when a new reader must not see that frame.
  /// The ring cannot stand in: when the session leaves out frames for this output, the ring may have newer frames, or
  /// this frame may have left the ring.
  private(set) var shown: CapturedFrame?
  /// Nanoseconds between the last two frames received. 0 when not known.
  private(set) var period: UInt64 = 0
  /// When the frame that the output received last was captured. Nil when the next frame comes by another connection.
  private var newestInstant: MonotonicInstant?
  private var rates = FrameRates()

  /// Counts a frame.
  ///
  /// - Parameter isDrawn: whether the frame comes from the composer, which itself knows what new readers may see.
  mutating func add(_ captured: CapturedFrame, isDrawn: Bool) {
    let frame = captured.frame
    let id = FrameID(frame)
    let startsStream = newest?.streamID != id.streamID
    tally.add(missing: frame.missing, startsStream: startsStream)
    tally.rates = rates.next(frame)
    let instant = frame.time.monotonic
    period = startsStream ? 0 : newestInstant.map { instant.nanoseconds(since: $0) } ?? 0
    (newest, newestInstant, shown) = (id, instant, isDrawn ? nil : captured)
  }

  /// Forgets the picture for new readers, whose memory belongs to the camera.
  mutating func hideNewest() { shown = nil }

  /// Forgets the picture and the time of the newest frame, because the next frame comes by another connection.
  mutating func connectionChanged() { (shown, newestInstant) = (nil, nil) }

  /// Takes the rates that readers ask for now.
  mutating func setRates(_ named: Set<Rational>) {
    rates.set(named)
    tally.rates = tally.rates.filter { named.contains($0.key) }
  }
}

/// The rates that readers of an output asked for. Each rate has a grid of its own: readers of the same rate get the
/// same frames, so that these frames are encoded once. A value.
struct FrameRates: Sendable {
  /// The grid and the tally of each rate. A dictionary, so that a reader's share of the cost of a frame is the same
  /// whether there are two rates or a thousand.
  private var paced: [Rational: (pacing: FramePacing, tally: RateTally)] = [:]
  private var last: (streamID: UInt64, sequence: UInt64, instant: MonotonicInstant)?
  /// Nanoseconds from frame to frame, smoothed. 0 when unknown.
  private var interval: UInt64 = 0

  /// Takes the rates that readers ask for now: begins the new ones and forgets those that no reader asks for any more.
  mutating func set(_ rates: Set<Rational>) {
    paced = paced.filter { rates.contains($0.key) }
    for rate in rates where paced[rate] == nil { paced[rate] = (FramePacing(rate: rate), RateTally()) }
  }

  /// Decides for each rate whether the next frame is due. Costs an allocation only when there are rates.
  ///
  /// - Returns: the tally of each rate, up to and including `frame`.
  mutating func next(_ frame: Frame) -> [Rational: RateTally] {
    let instant = frame.time.monotonic
    if let last, last.streamID == frame.streamID, last.sequence < frame.sequence, last.instant < instant {
      let step = instant.nanoseconds(since: last.instant) / (frame.sequence - last.sequence)
      interval = interval == 0 ? step : (7 * interval + step) / 8
    }
    last = (frame.streamID, frame.sequence, instant)
    guard !paced.isEmpty else { return [:] }
    for index in paced.values.indices {
      let isDue = paced.values[index].pacing.keeps(instant, interval: interval)
      paced.values[index].tally.take(isDue: isDue)
    }
    return paced.mapValues(\.tally)
  }
}

/// Names a frame without holding the frame's memory.
struct FrameID: Hashable, Sendable {
  var streamID: UInt64
  var sequence: UInt64

  init(streamID: UInt64, sequence: UInt64) {
    self.streamID = streamID
    self.sequence = sequence
  }

  init(_ frame: Frame) {
    streamID = frame.streamID
    sequence = frame.sequence
  }
}
