internal import CaptureCore
internal import Imaging
internal import SystemClocks
internal import VideoCoding

/// The choice of the frame for a request.
///
/// - With the ring, a photo shows the frame of the instant that the client asked for. For "now", that is the newest
///   frame that was captured before the request arrived.
/// - Without the ring, a photo shows the first frame that was captured after the request arrived, or after the
///   capture's turn came, whatever instant the client asked for.
enum FrameChoice {
  /// The age in nanoseconds from which on a frame is too old for "now", because the camera has stalled. For a slow
  /// camera, the limit is two periods.
  private static let oldestNow: UInt64 = 600_000_000
  /// The number of frames, from the newest on, among which "now" may be the newest settled one. Older frames are not
  /// "now" any more.
  private static let settlingFrames = 8
  /// The number of missing sequence numbers across which the frame before another one is found.
  private static let longestGap: UInt64 = 16

  /// Chooses the frame of the instant that the client asked for from the ring.
  ///
  /// - Parameter shadow: the times at which the camera was set for captures. The photo shows no frame of these times,
  ///   unless the request names the frame, because then the person has seen it.
  /// - Returns: nil when the ring has no such frame.
  static func choose(
    for request: PhotoRequest, from history: any FrameHistory, notFrom shadow: ShotShadow = ShotShadow()
  ) -> HeldFrame? {
    guard let moment = request.moment else { return now(request, in: history, notFrom: shadow) }
    guard let (found, exact) = history.frame(nearest: moment), exact || !shadow.contains(found.time) else { return nil }
    var frame = hold(found, request, zeroShutterLagUsed: true)
    frame.selection.match = wasDamaged(moment, in: history) ? .damaged : exact ? .exact : .nearest
    return frame
  }

  /// The newest frame in the ring that was not captured in `shadow` and is not known to be damaged; nil when there is
  /// none.
  static func newest(in history: any FrameHistory, notFrom shadow: ShotShadow) -> CapturedFrame? {
    var found = history.newest
    while let frame = found, shadow.contains(frame.time) || frame.frame.buffer.isDamaged {
      found = earlier(than: frame, in: history)
    }
    return found
  }

  /// The first frame that was captured at `earliest` or later; nil when the ring has none.
  static func first(
    since earliest: MonotonicInstant, for request: PhotoRequest, from history: any FrameHistory
  ) -> HeldFrame? {
    guard let nearest = history.frame(nearest: .monotonic(earliest))?.frame else { return nil }
    var found = nearest
    if nearest.time < earliest {
      let following = CaptureMoment.sequence(nearest.frame.sequence + 1, streamID: nearest.frame.streamID)
      guard let later = history.frame(nearest: following)?.frame, later.time >= earliest else { return nil }
      found = later
    }
    var frame = hold(found, request, zeroShutterLagUsed: false)
    if frame.selection.shutterLagNanoseconds == nil, let named = request.moment.flatMap({ history.frame(nearest: $0) }),
      named.exact
    {
      frame.selection.shutterLagNanoseconds = found.time.signedNanoseconds(since: named.frame.time)
    }
    return frame
  }

  /// Adds frames that were captured before the frame of `held`, the nearest first, until the photo is made of `count`
  /// frames.
  ///
  /// These frames only improve the photo. The method therefore leaves the memory that other captures may need for the
  /// frames that they show.
  ///
  /// - Parameter shadow: the times at which the camera was set for captures, whose frames are not merged.
  static func addNeighbours(
    to held: inout HeldFrame, upTo count: Int, from history: any FrameHistory,
    notFrom shadow: ShotShadow = ShotShadow()
  ) {
    var oldest = held.captured
    while held.neighbours.count + 1 < count, let before = earlier(than: oldest, in: history),
      before.frame.layout == oldest.frame.layout, !shadow.contains(before.time)
    {
      guard !before.frame.buffer.isDamaged else {
        oldest = before
        continue
      }
      let neighbour = HeldFrame.Neighbour(before.frame)
      guard before.frame.buffer.isSpare else { return }
      held.neighbours.append(neighbour)
      oldest = before
    }
  }

  /// Takes a frame that the camera brought while the request waited for one.
  static func accept(_ frame: CapturedFrame, for request: PhotoRequest) -> HeldFrame {
    hold(frame, request, zeroShutterLagUsed: false)
  }

  private static func now(
    _ request: PhotoRequest, in history: any FrameHistory, notFrom shadow: ShotShadow
  ) -> HeldFrame? {
    let arrival = request.arrival
    guard var found = history.frame(nearest: .monotonic(arrival))?.frame else { return nil }
    let before = earlier(than: found, in: history)
    let period = before.map { found.time.nanoseconds(since: $0.time) } ?? 0
    // The nearest frame may have been captured after the request arrived. The person had not seen that frame.
    if found.time > arrival, let before { found = before }
    guard let usual = last(found, in: history, notFrom: shadow) else { return nil }
    found = usual
    if arrival.nanoseconds(since: found.time) > max(Self.oldestNow, 2 * period) { return nil }
    return hold(settled(found, in: history, notFrom: shadow), request, zeroShutterLagUsed: true)
  }

  /// The newest settled frame up to `newest`: a frame that is as bright as the two frames before it.
  ///
  /// Returns `newest` when no frame is settled, and when a brightness cannot be measured at once, because decoding
  /// takes longer than a shutter button may.
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
      guard let luma = frame.frame.meanLuma else { break }
      recent.append((frame, luma))
      if recent.count >= 3, Settling.isSettled(recent.suffix(3).map(\.luma)) { return recent[recent.count - 3].frame }
      next = earlier(than: frame, in: history)
    }
    return newest
  }

  /// The newest frame up to `frame` that was not captured in `shadow`.
  private static func last(
    _ frame: CapturedFrame, in history: any FrameHistory, notFrom shadow: ShotShadow
  ) -> CapturedFrame? {
    var found: CapturedFrame? = frame
    while let frame = found, shadow.contains(frame.time) { found = earlier(than: frame, in: history) }
    return found
  }

  /// The frame that the ring has before `frame` in the same stream; nil when it has none.
  private static func earlier(than frame: CapturedFrame, in history: any FrameHistory) -> CapturedFrame? {
    let (sequence, streamID) = (frame.frame.sequence, frame.frame.streamID)
    // Across a gap, the frame nearest to the numbers just before `frame` is `frame` itself.
    for step in 1...longestGap where step <= sequence {
      guard let found = history.frame(nearest: .sequence(sequence - step, streamID: streamID))?.frame else {
        return nil
      }
      if found.frame.streamID == streamID, found.time < frame.time { return found }
    }
    return nil
  }

  /// Holds a frame for a request.
  ///
  /// When the request names a time, only a frame of this very time is an exact match here.
  /// ``choose(for:from:notFrom:)`` corrects that, because it knows which times the ring covers.
  private static func hold(_ captured: CapturedFrame, _ request: PhotoRequest, zeroShutterLagUsed: Bool) -> HeldFrame {
    let frame = captured.frame
    var isNearest = false
    let lag: Int64?
    switch request.moment {
    case nil: lag = captured.time.signedNanoseconds(since: request.arrival)
    case .monotonic(let asked):
      isNearest = captured.time != asked
      lag = captured.time.signedNanoseconds(since: asked)
    case .wallTime(let asked):
      // A wall time may be so far away that the lag does not fit into 64 bits. The lag is then the largest possible.
      let wall = frame.time.wall
      isNearest = wall != asked
      lag =
        wall >= asked
        ? Int64(clamping: wall.nanoseconds(since: asked)) : -Int64(clamping: asked.nanoseconds(since: wall))
    case .sequence(let sequence, let streamID):
      isNearest = frame.sequence != sequence || (streamID != nil && streamID != frame.streamID)
      lag = isNearest ? nil : 0
    }
    let selection = FrameSelection(
      zeroShutterLagUsed: zeroShutterLagUsed, match: isNearest ? .nearest : .exact, shutterLagNanoseconds: lag)
    return HeldFrame(captured: captured, loan: FrameLoan(frame.buffer), selection: selection)
  }
}

extension CapturedFrame {
  /// When the frame was captured, by the clock of the drivers' time stamps.
  var time: MonotonicInstant { frame.time.monotonic }
}
