internal import CaptureCore
internal import Imaging
internal import Synchronization

/// Whether automatic flash fires.
extension PhotoOutput {
  /// A scene whose mean luma is below this is dark: automatic exposure keeps others well above.
  private static let darkLuma = 40.0

  /// Makes ON or OFF of AUTO, for ``capture(_:)``; what is not for a flash to decide stays as it is. Compressed frames take
  /// milliseconds to look at: a thread does that, one at a time, and whoever asks meanwhile gets the same answer.
  ///
  /// - Throws: `CancellationError`: who left has no answer.
  public func decidingFlash(_ request: PhotoRequest) async throws -> PhotoRequest {
    guard request.exposure.flashMode == .auto, request.exposure.bracket.isEmpty,
      state.withLock(\.queue.features.shots.hasFlash)
    else {
      return request
    }
    let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
    let isFirst = state.withLock { state in
      state.flashDecisions.append(answer)
      return state.flashDecisions.count == 1
    }
    if isFirst {
      let frame = seen
      if frame?.frame.layout.planes.isEmpty == true {
        let work: @Sendable () -> Void = { [self] in decideFlash(frame) }
        // Without a thread the frame is not looked at, and the last decision holds.
        do { try startThread("photo-flash", 0, work) } catch { decideFlash(nil) }
      } else {
        decideFlash(frame)
      }
    }
    var decided = request
    decided.exposure.flashMode = .off
    for await isDark in answers where isDark { decided.exposure.flashMode = .on }
    try Task.checkCancellation()
    return decided
  }

  /// The newest frame that no capture set the camera for: what a flash lit is bright.
  private var seen: CapturedFrame? {
    context.flatMap { FrameChoice.newest(in: $0.history, notFrom: state.withLock(\.shotShadow)) }
  }

  private func decideFlash(_ frame: CapturedFrame?) {
    var frame = frame
    var luma = frame.flatMap { MeanLuma.measure($0.frame.picture) }
    // A damaged frame has no brightness; `seen` leaves it out from now on.
    while luma == nil, frame?.frame.buffer.isDamaged == true {
      frame = seen
      luma = frame.flatMap { MeanLuma.measure($0.frame.picture) }
    }
    let (isDark, waiting) = state.withLock { state in
      // Without a measurement the last decision holds.
      if let luma { state.isDark = luma < Self.darkLuma }
      defer { state.flashDecisions = [] }
      return (state.isDark, state.flashDecisions)
    }
    for answer in waiting {
      answer.yield(isDark)
      answer.finish()
    }
  }
}
