internal import CaptureCore
internal import Imaging
internal import Locking
internal import Synchronization
internal import SystemClocks

/// The way of a frame from the capture thread into the slots of the readers.
extension PreviewOutput {
  /// Gives a frame to the readers of the camera's own bytes, and to the encodings that are due. Neither encodes nor
  /// waits, because the capture thread calls this.
  ///
  /// - Parameters:
  ///   - onlyAsFirst: whether to ignore the frame when the preview has received a frame before.
  ///   - changes: for a frame that was drawn on, how many changes of the connection came before that frame. Nil for
  ///     the camera's own frame.
  /// - Returns: false when the connection has changed since the frame came, so that the frame is not shown.
  @discardableResult
  func take(_ frame: CapturedFrame, onlyAsFirst: Bool = false, drawnAfter changes: Int? = nil) -> Bool {
    let (isFit, work, readers, destinations, tally) = state.withLock { state in
      let isFit = changes == nil || changes == state.connectionChanges
      let work = isFit ? state.receive(frame, onlyAsFirst: onlyAsFirst, isDrawn: changes != nil) : nil
      return (isFit, work, state.passThrough, state.encoding, state.received.tally)
    }
    guard let work else { return isFit }
    perform(work)
    pass(frame, tally, to: readers)
    for destination in destinations where destination.paces.contains(where: { tally.isDue(at: $0) }) {
      destination.variant.submit(frame, tally)
    }
    return true
  }

  /// Gives a new reader the frame that is already there, whatever the reader's rate, so that the reader need not wait
  /// for the next frame.
  func catchUp(_ reader: PreviewState.Recipient, _ newest: CapturedFrame, _ way: PreviewState.Way) {
    guard let variant = way.variant else {
      return pass(newest, way.tally, to: [reader])
    }
    if variant.key.format == .h264, variant.newest != nil {
      // A picture out of turn would be one too many for the other readers of the encoding, so the new reader waits for
      // a key frame.
      return variant.requestKeyFrame()
    }
    if let (encoded, tally) = variant.newest, isFresh(encoded.frame),
      encoded.frame.streamID == newest.frame.streamID, reader.slot.fits(encoded.frame)
    {
      reader.slot.offer(encoded, tally.seen(at: reader.pace), quality: variant.key.quality)
    }
    // The encoding ignores a frame that it has had already.
    variant.submit(newest, way.tally)
  }

  /// Asks the encoding of a reader for a picture that can be decoded alone. Ignores an unknown token.
  func requestKeyFrame(for token: String) {
    let (way, newest) = state.withLock { ($0.way(to: token), $0.received.shown) }
    guard let way else { return }
    if let variant = way.variant { variant.requestKeyFrame() } else { newest?.frame.coded?.stream.requestKeyFrame() }
  }

  /// Offers the camera's own bytes to readers, and asks the camera for a key frame when one of them cannot go on
  /// without.
  private func pass(_ frame: CapturedFrame, _ tally: FrameTally, to readers: [PreviewState.Recipient]) {
    let coded = frame.frame.coded
    let needsKeyFrame = offer(frame, coded?.link, tally, to: readers, on: .passThrough, original: frame)
    if needsKeyFrame { coded?.stream.requestKeyFrame() }
  }

  /// Does what a change of readers or layout asks for. Starts a thread for each new encoding, so the caller must not
  /// hold the lock of the state.
  ///
  /// - Parameter error: the error for refused readers. Nil: the preview has too many encodings.
  func perform(_ work: PreviewState.Work, refusing error: CaptureError? = nil) {
    for variant in work.stopped { variant.stop() }
    for (slot, picture) in work.expecting { slot.expect(picture) }
    for slot in work.refused {
      directory.remove(slot.token)
      slot.end(.closed(error ?? PreviewRoutingTable.tooMany("encodings", Self.maxEncodings)))
    }
    for variant in work.started {
      do {
        // The thread holds the preview weakly, so that it does not keep a preview alive that everyone has left.
        try variant.start(
          name: "preview", pool: pool(for: variant.key.format), makeEncoder: makeEncoder,
          isOver: { [weak self] frame in self?.context?.isOver(frame) == true },
          deliver: { [weak self] variant, tally, outcome in self?.deliver(variant, tally, outcome) })
      } catch {
        perform(state.withLock { $0.removeReaders(of: variant) }, refusing: error)
      }
    }
  }

  private func deliver(_ variant: EncodingVariant, _ tally: FrameTally, _ outcome: EncodingVariant.Outcome) {
    let readers = state.withLock { $0.readers(of: variant) }
    switch outcome {
    case .encoded(let encoded, let original, let link):
      encodes.add(1, ordering: .relaxed)
      if offer(encoded, link, tally, to: readers, on: .encode(variant.key), original: original) {
        variant.requestKeyFrame()
      }
    case .lost(let cause): lose(tally, cause, for: readers)
    case .unsupported(let error, let format):
      let unsupported = CaptureError(
        .unsupportedValue, "The camera's \(format) cannot be shown as \(variant.key.format): \(error.message)",
        metadata: ["format": "\(format)", "encoding": "\(variant.key.format)"], field: "encoding")
      perform(state.withLock { $0.removeReaders(of: variant) }, refusing: unsupported)
    }
  }

  private func lose(_ tally: FrameTally, _ cause: DropCounts, for readers: [PreviewState.Recipient]) {
    for reader in readers where tally.isDue(at: reader.pace) { reader.slot.lose(tally.seen(at: reader.pace), cause) }
  }

  /// Offers a frame to the slots of `readers`. A reader gets smaller pictures from then on when the frame does not fit
  /// into its largest message.
  ///
  /// - Parameter original: the frame of which `frame` was made. For readers whose largest message is too small for
  ///   `frame`, the daemon encodes `original` anew in a smaller size.
  /// - Returns: whether a reader waits that cannot go on without a key frame.
  private func offer(
    _ frame: CapturedFrame, _ link: FrameLink?, _ tally: FrameTally, to readers: [PreviewState.Recipient],
    on route: PreviewRoute, original: CapturedFrame
  ) -> Bool {
    if route == .passThrough, !frame.frame.buffer.leavesRoom(for: Self.framesLeftToCamera) {
      lose(tally, DropCounts(outOfBuffers: 1), for: readers)
      return false
    }
    if readers.isEmpty { return false }
    let quality = if case .encode(let key) = route { key.quality } else { 0 }
    let memo = PictureMemo.shared(by: readers.count)
    var needsKeyFrame = false
    for reader in readers where reader.slot.fits(frame.frame) {
      let (seen, isDue) = (tally.seen(at: reader.pace), tally.isDue(at: reader.pace))
      let needsOne = reader.slot.offer(frame, seen, memo: memo, isDue: isDue, quality: quality, link: link)
      if needsOne { needsKeyFrame = true }
    }
    guard readers.contains(where: { !$0.slot.fits(frame.frame) }) else { return needsKeyFrame }
    let tooSmall = readers.map(\.slot).filter { !$0.fits(frame.frame) }
    let (work, variants) = state.withLock { $0.shrink(tooSmall, on: route, bytes: frame.frame.buffer.count) }
    perform(work)
    for variant in variants { variant.submit(original, tally) }
    return needsKeyFrame
  }

  /// The newest frame of this preview, or the camera's newest frame before the preview has received one. Nil when that
  /// frame is more than two periods old, is damaged or belongs to a stream that is over.
  func freshNewest() -> CapturedFrame? {
    let composed = composer.shown
    let received = state.withLock { ($0.received.newest != nil, $0.received.shown) }
    let shown = composed.isActive ? composed.newest : received.0 ? received.1 : context?.history.newest
    guard let newest = shown, isFresh(newest.frame), !newest.frame.buffer.isDamaged,
      context?.isOver(newest.frame) == false
    else { return nil }
    return newest
  }

  private func isFresh(_ frame: Frame) -> Bool {
    // When the session leaves frames out, the preview's period is longer than the camera's.
    now().nanoseconds(since: frame.time.monotonic)
      <= 2 * max(period(before: frame), state.withLock(\.received.period))
  }

  /// Nanoseconds from the frame before `frame` to `frame`. The period of 30 frames a second when the ring has no
  /// earlier frame of the stream.
  private func period(before frame: Frame) -> UInt64 {
    let usual: UInt64 = 1_000_000_000 / 30
    guard frame.sequence > 0,
      let earlier = context?.history.frame(nearest: .sequence(frame.sequence - 1, streamID: frame.streamID))?.frame
        .frame,
      earlier.streamID == frame.streamID, earlier.sequence < frame.sequence,
      earlier.time.monotonic < frame.time.monotonic
    else { return usual }
    let span = frame.time.monotonic.nanoseconds(since: earlier.time.monotonic)
    return span / (frame.sequence - earlier.sequence)
  }
}
