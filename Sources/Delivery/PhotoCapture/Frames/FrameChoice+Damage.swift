internal import CaptureCore
internal import SystemClocks

/// The choice of the frame that replaces a damaged one.
extension FrameChoice {
  /// How far away from the damaged frame, in sequence numbers, a frame may be to replace it. A frame that is farther
  /// away does not show what the client asked for. It is also the number of replacements that a photo may have.
  static let triedFrames = 16

  /// Finds an intact frame for a photo whose own frame is damaged, and holds it.
  ///
  /// The nearest neighbour replaces a frame that the request names; of two neighbours equally near, the earlier one. In
  /// any other case, the first intact frame that was captured after the damaged one replaces it.
  ///
  /// - Returns: nil when the ring has no such frame.
  static func substitute(
    for damaged: HeldFrame, _ request: PhotoRequest, from history: any FrameHistory, notFrom shadow: ShotShadow
  ) -> HeldFrame? {
    let own = damaged.captured.frame
    func kept(_ sequence: UInt64) -> CapturedFrame? {
      let moment = CaptureMoment.sequence(sequence, streamID: own.streamID)
      guard let (found, exact) = history.frame(nearest: moment), exact, !found.frame.buffer.isDamaged,
        !shadow.contains(found.time), found.frame.layout == own.layout
      else { return nil }
      return found
    }
    let isNamed = request.moment != nil && damaged.selection.zeroShutterLagUsed
    let wanted = isNamed ? damaged.selection.replacedSequence ?? own.sequence : own.sequence
    for step in 1...UInt64(triedFrames) {
      if isNamed, step <= wanted, let earlier = kept(wanted - step) { return damaged.replaced(by: earlier) }
      if let later = kept(wanted + step) { return damaged.replaced(by: later) }
    }
    return nil
  }

  /// Whether the frame of `moment` never reached the ring because the camera damaged it. That is only known when all
  /// frames that are missing around `moment` were damaged.
  static func wasDamaged(_ moment: CaptureMoment, in history: any FrameHistory) -> Bool {
    guard let (sequence, streamID) = number(of: moment, in: history),
      // The client may send any number, and the sum below must not overflow.
      sequence <= .max - UInt64(triedFrames)
    else { return false }
    for step in 1...UInt64(triedFrames) {
      guard let found = frame(sequence + step, of: streamID, in: history) else { continue }
      let missing = found.missing
      return missing.damaged == missing.total && found.sequence - sequence <= missing.total
    }
    return false
  }

  /// The number of the frame that was captured at a moment, whether the ring has that frame or not; nil for an
  /// empty ring.
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

  /// The number of the frame that was captured at `instant`, calculated on the assumption that the missing frames
  /// between two kept frames were captured at even intervals.
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
      // When the wall clock was set between the two frames, their times do not tell the interval.
      guard whole > part else { break }
      let steps = UInt64((Double(part) / Double(whole) * Double(step)).rounded())
      return (isLater ? sequence + steps : sequence - steps, streamID)
    }
    return (sequence, streamID)
  }

  /// The frame with this very number and stream; nil when the ring does not have it.
  private static func frame(_ sequence: UInt64, of streamID: UInt64, in history: any FrameHistory) -> Frame? {
    guard let (found, exact) = history.frame(nearest: .sequence(sequence, streamID: streamID)), exact,
      found.frame.streamID == streamID
    else { return nil }
    return found.frame
  }
}

extension HeldFrame {
  /// The same photo with another frame to show. It keeps the frames that are merged with it, except the new frame and
  /// those that are known to be damaged.
  fileprivate func replaced(by substitute: CapturedFrame) -> HeldFrame {
    var held = self
    held.selection.replacedSequence = selection.replacedSequence ?? captured.frame.sequence
    held.captured = substitute
    held.loan = FrameLoan(substitute.frame.buffer)
    held.neighbours.removeAll { $0.frame === substitute.frame || $0.frame.buffer.isDamaged }
    // When the photo was to show only the nearest frame, the frame that the client asked for is not known to be
    // damaged.
    if selection.match == .exact { held.selection.match = .damaged }
    held.selection.shutterLagNanoseconds = selection.shutterLagNanoseconds.map {
      $0 + substitute.time.signedNanoseconds(since: captured.time)
    }
    return held
  }
}
