internal import CaptureCore
internal import SystemClocks

/// Which frame takes the place of one that the camera damaged.
extension FrameChoice {
  /// How many other frames are tried for a photo. Frames farther away than these are not what was asked for.
  static let triedFrames = 16

  /// An intact frame for a photo whose own is damaged, held.
  ///
  /// A frame that was named has its nearest neighbour, the earlier one of two. For "now", and where a frame was waited for, it
  /// is the first one captured after it.
  ///
  /// - Returns: nil when none is kept: for "now" one may come.
  static func substitute(
    for damaged: PinnedFrame, _ request: PhotoRequest, from history: any FrameHistory, notFrom shadow: ShotShadow
  ) -> PinnedFrame? {
    let own = damaged.captured.frame
    func kept(_ sequence: UInt64) -> CapturedFrame? {
      let moment = CaptureMoment.sequence(sequence, streamID: own.streamID)
      guard let (found, exact) = history.frame(nearest: moment), exact, !found.frame.buffer.isDamaged,
        !shadow.contains(found.time), found.frame.layout == own.layout
      else { return nil }
      return found
    }
    let isNamed = request.moment != nil && damaged.zeroShutterLagUsed
    let wanted = isNamed ? damaged.replacedSequence ?? own.sequence : own.sequence
    for step in 1...UInt64(triedFrames) {
      if isNamed, step <= wanted, let earlier = kept(wanted - step) { return damaged.replaced(by: earlier) }
      if let later = kept(wanted + step) { return damaged.replaced(by: later) }
    }
    return nil
  }

  /// Whether a moment is that of a frame that nobody got because the camera damaged it: when the numbers that are missing
  /// around it were all lost for that.
  static func wasDamaged(_ moment: CaptureMoment, in history: any FrameHistory) -> Bool {
    guard let (sequence, streamID) = number(of: moment, in: history),
      // The number is the client's, and may be any.
      sequence <= .max - UInt64(triedFrames)
    else { return false }
    for step in 1...UInt64(triedFrames) {
      guard let found = frame(sequence + step, of: streamID, in: history) else { continue }
      let missing = found.missing
      return missing.damaged == missing.total && found.sequence - sequence <= missing.total
    }
    return false
  }

  /// The number of the frame captured at a moment, whether it is kept or not; nil when nobody knows.
  private static func number(
    of moment: CaptureMoment, in history: any FrameHistory
  ) -> (sequence: UInt64, streamID: UInt64)? {
    switch moment {
    case .sequence(let sequence, let streamID):
      return (streamID ?? history.newest?.frame.streamID).map { (sequence, $0) }
    case .monotonic(let instant): return number(of: moment, at: instant, \.monotonic, in: history)
    case .wallTime(let instant): return number(of: moment, at: instant, \.wall, in: history)
    }
  }

  /// Between two frames that are kept, those that are not were captured at even intervals.
  private static func number<Instant: ClockInstant>(
    of moment: CaptureMoment, at instant: Instant, _ stamp: (FrameTime) -> Instant, in history: any FrameHistory
  ) -> (sequence: UInt64, streamID: UInt64)? {
    guard let nearest = history.frame(nearest: moment)?.frame.frame else { return nil }
    let (own, sequence, streamID) = (stamp(nearest.time), nearest.sequence, nearest.streamID)
    let isLater = own < instant
    for step in 1...UInt64(triedFrames) where isLater || step <= sequence {
      guard let other = frame(isLater ? sequence &+ step : sequence - step, of: streamID, in: history) else { continue }
      let whole = isLater ? stamp(other.time).nanoseconds(since: own) : own.nanoseconds(since: stamp(other.time))
      let part = isLater ? instant.nanoseconds(since: own) : own.nanoseconds(since: instant)
      // A wall clock may have been set meanwhile.
      guard whole > part else { break }
      let steps = UInt64((Double(part) / Double(whole) * Double(step)).rounded())
      return (isLater ? sequence + steps : sequence - steps, streamID)
    }
    return (sequence, streamID)
  }

  private static func frame(_ sequence: UInt64, of streamID: UInt64, in history: any FrameHistory) -> Frame? {
    guard let (found, exact) = history.frame(nearest: .sequence(sequence, streamID: streamID)), exact,
      found.frame.streamID == streamID
    else { return nil }
    return found.frame
  }
}

extension PinnedFrame {
  /// The same photo of another frame; those that it is merged with stay.
  fileprivate func replaced(by substitute: CapturedFrame) -> PinnedFrame {
    var pinned = self
    pinned.replacedSequence = replacedSequence ?? captured.frame.sequence
    pinned.captured = substitute
    pinned.loan = FrameLoan(substitute.frame.buffer)
    pinned.neighbours.removeAll { $0.frame === substitute.frame || $0.frame.buffer.isDamaged }
    // Where the photo was to show a neighbour of the frame that was asked for, nobody knows that to be damaged.
    if match == .exact { pinned.match = .damaged }
    pinned.shutterLagNanoseconds = shutterLagNanoseconds.map {
      $0 + substitute.time.signedNanoseconds(since: captured.time)
    }
    return pinned
  }
}
