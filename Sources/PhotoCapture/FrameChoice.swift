internal import CaptureCore

/// The frame a photo is made of, held until it is processed.
struct PinnedFrame: Sendable {
  var captured: CapturedFrame
  var loan: FrameLoan
  /// How the photo is turned, by the connection when it was captured.
  var orientation = Orientation.asCaptured
  var zeroShutterLagUsed: Bool
  /// See ``Photo``.
  var isNearestFrame: Bool
  var shutterLagNanoseconds: Int64?
}

/// Which frame answers a request.
///
/// - With zero shutter lag: the frame of the instant asked for, from the ring. "Now" is the newest frame captured by the
///   time the request arrived.
/// - Without: the first frame captured after the request arrived, whatever instant was asked for.
struct FrameChoice: Sendable {
  var zeroShutterLagEnabled: Bool

  /// A frame older than this, or than two periods where that is more, is not "now": the camera has stalled.
  private static let oldestNow: UInt64 = 600_000_000

  /// The frame, if the ring has it. Nil: wait for one not captured before ``earliest(for:)``.
  func choose(for request: PhotoRequest, from history: any FrameHistory) -> PinnedFrame? {
    guard zeroShutterLagEnabled else { return next(after: request, in: history) }
    guard let moment = request.moment else { return now(request, in: history) }
    guard let (found, exact) = history.frame(nearest: moment) else { return nil }
    var frame = pin(found, request, zeroShutterLagUsed: true)
    frame.isNearestFrame = !exact
    return frame
  }

  /// When a frame that the request waits for was captured at the earliest.
  func earliest(for request: PhotoRequest) -> UInt64 { zeroShutterLagEnabled ? 0 : request.arrivalNanoseconds }

  /// Takes a frame that came while the request waited.
  func accept(_ frame: CapturedFrame, for request: PhotoRequest) -> PinnedFrame {
    pin(frame, request, zeroShutterLagUsed: false)
  }

  private func now(_ request: PhotoRequest, in history: any FrameHistory) -> PinnedFrame? {
    let arrival = request.arrivalNanoseconds
    guard var found = history.frame(nearest: .monotonic(arrival))?.frame else { return nil }
    let before = earlier(than: found, in: history)
    let period = before.map { found.time - $0.time } ?? 0
    // Captured after the request, though nearer to it: not what anyone had seen.
    if found.time > arrival, let before { found = before }
    if arrival > found.time, arrival - found.time > max(Self.oldestNow, 2 * period) { return nil }
    return pin(found, request, zeroShutterLagUsed: true)
  }

  private func next(after request: PhotoRequest, in history: any FrameHistory) -> PinnedFrame? {
    let arrival = request.arrivalNanoseconds
    guard let nearest = history.frame(nearest: .monotonic(arrival))?.frame else { return nil }
    var found = nearest
    if nearest.time < arrival {
      let following = CaptureMoment.sequence(nearest.frame.sequence + 1, streamID: nearest.frame.streamID)
      guard let later = history.frame(nearest: following)?.frame, later.time >= arrival else { return nil }
      found = later
    }
    var frame = pin(found, request, zeroShutterLagUsed: false)
    if frame.shutterLagNanoseconds == nil, let named = request.moment.flatMap({ history.frame(nearest: $0) }),
      named.exact
    {
      frame.shutterLagNanoseconds = Int64(bitPattern: found.time &- named.frame.time)
    }
    return frame
  }

  private func earlier(than frame: CapturedFrame, in history: any FrameHistory) -> CapturedFrame? {
    guard frame.frame.sequence > 0 else { return nil }
    let before = CaptureMoment.sequence(frame.frame.sequence - 1, streamID: frame.frame.streamID)
    guard let found = history.frame(nearest: before)?.frame, found.time < frame.time else { return nil }
    return found
  }

  private func pin(_ captured: CapturedFrame, _ request: PhotoRequest, zeroShutterLagUsed: Bool) -> PinnedFrame {
    let frame = captured.frame
    var isNearest = false
    let lag: Int64?
    switch request.moment {
    case nil: lag = Int64(bitPattern: captured.time &- request.arrivalNanoseconds)
    case .monotonic(let asked): lag = Int64(bitPattern: captured.time &- asked)
    case .wallTime(let asked): lag = Int64(bitPattern: frame.time.wallNanoseconds &- asked)
    case .sequence(let sequence, let streamID):
      isNearest = frame.sequence != sequence || (streamID != nil && streamID != frame.streamID)
      lag = isNearest ? nil : 0
    }
    return PinnedFrame(
      captured: captured, loan: FrameLoan(frame.buffer), zeroShutterLagUsed: zeroShutterLagUsed,
      isNearestFrame: isNearest,
      shutterLagNanoseconds: lag)
  }
}

extension CapturedFrame {
  fileprivate var time: UInt64 { frame.time.monotonicNanoseconds }
}
