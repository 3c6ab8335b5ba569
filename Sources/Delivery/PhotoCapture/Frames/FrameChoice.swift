internal import CaptureCore
internal import Imaging
internal import SystemClocks

/// Which frame answers a request.
///
/// - From the ring: the frame of the instant asked for. "Now" is the newest frame captured by the time the request arrived.
/// - Else the first frame captured after the request arrived, or after its turn came, whatever instant was asked for.
enum FrameChoice {
  /// A frame older than this, or than two periods where that is more, is not "now": the camera has stalled.
  private static let oldestNow: UInt64 = 600_000_000

  /// The frame of the instant asked for, if the ring has it.
  ///
  /// - Parameter shadow: frames captured then are not what anybody wants now; who names such a frame has seen it.
  static func choose(
    for request: PhotoRequest, from history: any FrameHistory, notFrom shadow: ShotShadow = ShotShadow()
  ) -> PinnedFrame? {
    guard let moment = request.moment else { return now(request, in: history, notFrom: shadow) }
    guard let (found, exact) = history.frame(nearest: moment), exact || !shadow.contains(found.time) else { return nil }
    var frame = pin(found, request, zeroShutterLagUsed: true)
    frame.match = wasDamaged(moment, in: history) ? .damaged : exact ? .exact : .nearest
    return frame
  }

  /// The newest frame not captured in `shadow`, and not known to be damaged.
  static func newest(in history: any FrameHistory, notFrom shadow: ShotShadow) -> CapturedFrame? {
    var found = history.newest
    while let frame = found, shadow.contains(frame.time) || frame.frame.buffer.isDamaged {
      found = earlier(than: frame, in: history)
    }
    return found
  }

  /// The first frame captured not before `earliest`, if the ring has it.
  static func first(
    since earliest: MonotonicInstant, for request: PhotoRequest, from history: any FrameHistory
  ) -> PinnedFrame? {
    guard let nearest = history.frame(nearest: .monotonic(earliest))?.frame else { return nil }
    var found = nearest
    if nearest.time < earliest {
      let following = CaptureMoment.sequence(nearest.frame.sequence + 1, streamID: nearest.frame.streamID)
      guard let later = history.frame(nearest: following)?.frame, later.time >= earliest else { return nil }
      found = later
    }
    var frame = pin(found, request, zeroShutterLagUsed: false)
    if frame.shutterLagNanoseconds == nil, let named = request.moment.flatMap({ history.frame(nearest: $0) }),
      named.exact
    {
      frame.shutterLagNanoseconds = found.time.signedNanoseconds(since: named.frame.time)
    }
    return frame
  }

  /// Adds frames captured before the one of `pinned`, the nearest first, up to `count` in all. They only improve the
  /// photo: memory that further captures need for the very frame they ask for is left to those.
  ///
  /// - Parameter shadow: frames captured then are not what the camera sees otherwise.
  static func addNeighbours(
    to pinned: inout PinnedFrame, upTo count: Int, from history: any FrameHistory,
    notFrom shadow: ShotShadow = ShotShadow()
  ) {
    var oldest = pinned.captured
    while pinned.neighbours.count + 1 < count, let before = earlier(than: oldest, in: history),
      before.frame.layout == oldest.frame.layout, !shadow.contains(before.time)
    {
      guard !before.frame.buffer.isDamaged else {
        oldest = before
        continue
      }
      let held = HeldFrame(before.frame)
      guard before.frame.buffer.isSpare else { return }
      pinned.neighbours.append(held)
      oldest = before
    }
  }

  /// Takes a frame that came while the request waited.
  static func accept(_ frame: CapturedFrame, for request: PhotoRequest) -> PinnedFrame {
    pin(frame, request, zeroShutterLagUsed: false)
  }

  private static func now(
    _ request: PhotoRequest, in history: any FrameHistory, notFrom shadow: ShotShadow
  ) -> PinnedFrame? {
    let arrival = request.arrival
    guard var found = history.frame(nearest: .monotonic(arrival))?.frame else { return nil }
    let before = earlier(than: found, in: history)
    let period = before.map { found.time.nanoseconds(since: $0.time) } ?? 0
    // A frame captured after the request is not what anyone had seen, even if it is the nearer one.
    if found.time > arrival, let before { found = before }
    guard let usual = last(found, in: history, notFrom: shadow) else { return nil }
    found = usual
    if arrival.nanoseconds(since: found.time) > max(Self.oldestNow, 2 * period) { return nil }
    return pin(settled(found, in: history, notFrom: shadow), request, zeroShutterLagUsed: true)
  }

  /// Frames that are looked at for a settled one: beyond, it is not "now" any more.
  private static let settlingFrames = 8

  /// The newest frame up to `newest` whose exposure is stable: it and the two before are equally bright. `newest` itself
  /// when none is, or when its brightness cannot be had at once: decoding takes longer than a shutter may.
  private static func settled(
    _ newest: CapturedFrame, in history: any FrameHistory, notFrom shadow: ShotShadow
  ) -> CapturedFrame {
    var recent: [(frame: CapturedFrame, luma: Double)] = []
    var next: CapturedFrame? = newest
    for _ in 0..<settlingFrames {
      guard let frame = next, !frame.frame.layout.planes.isEmpty else { break }
      if shadow.contains(frame.time) {
        next = earlier(than: frame, in: history)
        continue
      }
      guard let luma = MeanLuma.measure(frame.frame.picture) else { break }
      recent.append((frame, luma))
      if recent.count >= 3, Settling.isSettled(recent.suffix(3).map(\.luma)) { return recent[recent.count - 3].frame }
      next = earlier(than: frame, in: history)
    }
    return newest
  }

  /// The newest frame up to `frame` that is not of `shadow`.
  private static func last(
    _ frame: CapturedFrame, in history: any FrameHistory, notFrom shadow: ShotShadow
  ) -> CapturedFrame? {
    var found: CapturedFrame? = frame
    while let frame = found, shadow.contains(frame.time) { found = earlier(than: frame, in: history) }
    return found
  }

  private static func earlier(than frame: CapturedFrame, in history: any FrameHistory) -> CapturedFrame? {
    let (sequence, streamID) = (frame.frame.sequence, frame.frame.streamID)
    // Where numbers are missing, the frame itself is the nearest to those just before it.
    for step in 1...UInt64(16) where step <= sequence {
      guard let found = history.frame(nearest: .sequence(sequence - step, streamID: streamID))?.frame else {
        return nil
      }
      if found.frame.streamID == streamID, found.time < frame.time { return found }
    }
    return nil
  }

  /// Where a time was named, only the frame of that very time is exact here; ``choose(for:from:notFrom:)`` knows what the
  /// ring covers, and corrects that.
  private static func pin(_ captured: CapturedFrame, _ request: PhotoRequest, zeroShutterLagUsed: Bool) -> PinnedFrame {
    let frame = captured.frame
    var isNearest = false
    let lag: Int64?
    switch request.moment {
    case nil: lag = captured.time.signedNanoseconds(since: request.arrival)
    case .monotonic(let asked):
      isNearest = captured.time != asked
      lag = captured.time.signedNanoseconds(since: asked)
    case .wallTime(let asked):
      // Whoever asks for the year 2400 is told the most that can be told.
      let wall = frame.time.wall
      isNearest = wall != asked
      lag =
        wall >= asked
        ? Int64(clamping: wall.nanoseconds(since: asked)) : -Int64(clamping: asked.nanoseconds(since: wall))
    case .sequence(let sequence, let streamID):
      isNearest = frame.sequence != sequence || (streamID != nil && streamID != frame.streamID)
      lag = isNearest ? nil : 0
    }
    return PinnedFrame(
      captured: captured, loan: FrameLoan(frame.buffer), zeroShutterLagUsed: zeroShutterLagUsed,
      match: isNearest ? .nearest : .exact,
      shutterLagNanoseconds: lag)
  }
}

extension CapturedFrame {
  var time: MonotonicInstant { frame.time.monotonic }
}
