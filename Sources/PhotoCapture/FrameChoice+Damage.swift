internal import CaptureCore

/// Which frame takes the place of one that the camera damaged.
extension FrameChoice {
  /// Frames that are tried for a photo. When none of so many neighbours is a picture, further ones are not what was asked for.
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

  /// Whether a moment that no frame is kept of is that of a frame which was damaged and never left the camera's driver: when
  /// the numbers that are missing around it were all lost for that.
  static func wasDamaged(_ moment: CaptureMoment, in history: any FrameHistory) -> Bool {
    guard case .sequence(let sequence, let streamID) = moment,
      let stream = streamID ?? history.newest?.frame.streamID,
      // The number is the client's, and may be any.
      sequence <= .max - UInt64(triedFrames)
    else { return false }
    for step in 1...UInt64(triedFrames) {
      let later = CaptureMoment.sequence(sequence + step, streamID: stream)
      guard let (found, exact) = history.frame(nearest: later), exact, found.frame.streamID == stream else { continue }
      let missing = found.frame.missing
      return missing.damaged == missing.total && found.frame.sequence - sequence <= missing.total
    }
    return false
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
    // What was not kept, and had a neighbour already, is not known to be damaged.
    if match == .exact { pinned.match = .damaged }
    pinned.shutterLagNanoseconds = shutterLagNanoseconds.map {
      $0 + Int64(bitPattern: substitute.time &- captured.time)
    }
    return pinned
  }
}
