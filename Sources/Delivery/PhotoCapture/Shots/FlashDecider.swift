internal import CaptureCore
internal import Imaging
internal import VideoCoding

/// Finds out whether automatic flash fires.
struct FlashDecider: Sendable {
  let queue: PhotoQueue
  let link: SessionLink
  let startThread: PhotoOutput.StartThread

  /// Returns the request with ON or OFF in place of AUTO. Any other request stays as it is.
  ///
  /// - Throws: `CancellationError` when the caller is cancelled.
  func decide(_ request: PhotoRequest) async throws -> PhotoRequest {
    guard request.exposure.flashMode == .auto, request.exposure.bracket.isEmpty, request.constituents.isEmpty,
      queue.read({ $0.places.features.shots.hasFlash })
    else {
      return request
    }
    let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
    queue.update { $0.waitForFlashDecision(answer) }
    var decided = request
    decided.exposure.flashMode = .off
    for await isDark in answers where isDark { decided.exposure.flashMode = .on }
    try Task.checkCancellation()
    return decided
  }

  /// Measures the light of the newest frame and reports it to the queue. Decoding a compressed frame takes
  /// milliseconds, so a thread does it. At most one such thread runs, and its answer goes to every capture that has
  /// asked before it ends.
  func measureLight() {
    let frame = seen
    guard frame?.frame.layout.planes.isEmpty == true else { return report(frame) }
    // When the system cannot create a thread, nothing measures the frame, and the queue keeps its last decision.
    do { try startThread("photo-flash", 0) { report(frame) } } catch { report(nil) }
  }

  /// The newest frame from a time when no capture had set the camera. A frame that a flash lit would hide that the
  /// scene is dark.
  private var seen: CapturedFrame? {
    link.context.flatMap { FrameChoice.newest(in: $0.history, notFrom: queue.read { $0.shots.shadow }) }
  }

  private func report(_ frame: CapturedFrame?) {
    var frame = frame
    var luma = frame.flatMap { $0.frame.meanLuma }
    // A damaged frame has no brightness; `seen` leaves it out from now on.
    while luma == nil, frame?.frame.buffer.isDamaged == true {
      frame = seen
      luma = frame.flatMap { $0.frame.meanLuma }
    }
    queue.update { [luma] in $0.decideFlash(luma: luma) }
  }
}

/// Whether automatic flash fires, and which captures wait to know. A value.
struct FlashDecision: Sendable {
  /// A scene whose mean luma is below this is dark: automatic exposure keeps other scenes well above it.
  private static let darkLuma = 40.0

  private var waiting: [AsyncStream<Bool>.Continuation] = []
  private var isDark = false

  /// Adds a capture that waits.
  ///
  /// - Returns: whether it is the first one, for which a frame has to be looked at. The others get the same answer.
  mutating func wait(_ answer: AsyncStream<Bool>.Continuation) -> Bool {
    waiting.append(answer)
    return waiting.count == 1
  }

  /// Decides for all captures that wait, and forgets them.
  ///
  /// - Parameter luma: the mean luma of the scene; nil when it could not be measured, so that the last decision holds.
  mutating func decide(luma: Double?) -> (waiting: [AsyncStream<Bool>.Continuation], isDark: Bool) {
    if let luma { isDark = luma < Self.darkLuma }
    defer { waiting = [] }
    return (waiting, isDark)
  }
}
