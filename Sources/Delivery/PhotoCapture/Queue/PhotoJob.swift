internal import CaptureCore
internal import Locking
internal import SystemClocks

/// A capture under way: its request, what became of its settings, and the stream of its events. Each event is sent
/// once, in order, and the first and the last always are. Thread-safe.
final class PhotoJob: Sendable {
  private struct State: Sendable {
    var resolved: ResolvedPhotoSettings
    var began: MonotonicInstant?
    var photos = 0
    /// How many of its frames turned out to be damaged.
    var damagedFrames = 0
    var isOver = false
    var end: End?
  }

  /// What to call at the end. A structure, because reading a plain function out of a lock allocates.
  private struct End: Sendable {
    let call: @Sendable () -> Void
  }

  let uniqueID: String
  let request: PhotoRequest
  /// What the camera is set to for the capture; nil for nothing.
  let shot: Shot?
  /// The request's quality, unless a burst made it less.
  let quality: PhotoQuality
  private let state: Locked<State>
  private let log: EventLog<PhotoCaptureEvent>
  /// The events for the capture's client. Nil once the client has left: nobody reads them any more.
  private weak let events: EventQueue<PhotoCaptureEvent>?
  private let now: @Sendable () -> MonotonicInstant

  /// Makes a job and the stream of its events, which has room for all of them, so that none is ever lost.
  ///
  /// - Parameters:
  ///   - resolved: what is known of the settings so far.
  ///   - log: the log of the output, which gets the events without the photos' memory.
  static func make(
    _ uniqueID: String, _ request: PhotoRequest, _ shot: Shot?, _ resolved: ResolvedPhotoSettings,
    log: EventLog<PhotoCaptureEvent>, now: @escaping @Sendable () -> MonotonicInstant
  ) -> (PhotoJob, EventQueue<PhotoCaptureEvent>) {
    let events = EventQueue<PhotoCaptureEvent>(depth: 3 + 2 * resolved.photoCount)
    return (PhotoJob(uniqueID, request, shot, resolved, log, events, now), events)
  }

  private init(
    _ uniqueID: String, _ request: PhotoRequest, _ shot: Shot?, _ resolved: ResolvedPhotoSettings,
    _ log: EventLog<PhotoCaptureEvent>, _ events: EventQueue<PhotoCaptureEvent>,
    _ now: @escaping @Sendable () -> MonotonicInstant
  ) {
    self.uniqueID = uniqueID
    self.request = request
    self.shot = shot
    quality = resolved.quality
    state = Locked(State(resolved: resolved))
    self.log = log
    self.events = events
    self.now = now
  }

  /// Sends the first event, with what the settings became by now.
  ///
  /// - Parameter instant: when the capture's turn came.
  func begin(at instant: MonotonicInstant, _ estimate: ProcessingForecast.Estimate) {
    state.withLock { state in
      guard state.began == nil else { return }
      state.began = instant
      state.resolved.fusedFrameCount = estimate.frameCount
      state.resolved.processingNanoseconds = estimate.nanoseconds
      send(.willBeginCapture, &state)
    }
  }

  /// When the capture's turn came; before that, the present time.
  var began: MonotonicInstant { state.withLock { $0.began } ?? now() }

  /// How many frames the photo is to be made of; 1 before the capture's turn came.
  var frameCount: Int { state.withLock { $0.resolved.fusedFrameCount } }

  /// Whether the capture's frame was damaged, so that another one takes its place.
  var isReplaced: Bool { state.withLock { $0.damagedFrames > 0 } }

  /// Counts a damaged frame, and returns whether the capture may have another one.
  func mayReplaceFrame() -> Bool {
    state.withLock { state in
      state.damagedFrames += 1
      return state.damagedFrames <= FrameChoice.triedFrames
    }
  }

  /// Sends an event.
  func send(_ kind: PhotoCaptureEvent.Kind) { state.withLock { send(kind, &$0) } }

  /// Calls `body` when the job is finished, or at once when it is finished already. There may be one such function.
  func whenEnded(_ body: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      if !state.isOver { state.end = End(call: body) }
      return state.isOver
    }
    if isOver { body() }
  }

  /// Sends the last event, and before it the events that must precede it. Later events are not sent.
  func finish(_ error: CaptureError?) {
    let end = state.withLock { state in
      if state.began == nil { send(.willBeginCapture, &state) }
      if let error {
        for _ in state.photos..<state.resolved.photoCount { send(.didFinishProcessingPhoto(.failure(error)), &state) }
      }
      send(.didFinishCapture(error), &state)
      state.isOver = true
      defer { state.end = nil }
      return state.end
    }
    events?.end()
    end?.call()
  }

  // Under the lock, so that numbers, times and order agree.
  private func send(_ kind: PhotoCaptureEvent.Kind, _ state: inout State) {
    guard !state.isOver else { return }
    switch kind {
    case .didFinishProcessingPhoto:
      guard state.photos < state.resolved.photoCount else { return }
      state.photos += 1
    default: break
    }
    var event = PhotoCaptureEvent(
      uniqueID: uniqueID, time: now(), kind: kind, resolved: state.resolved, id: 0)
    event.id = log.append(event.withoutData())
    events?.put(event)
  }

  /// A random UUID (version 4 of RFC 9562).
  static func makeUniqueID() -> String {
    var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
    let digits = bytes.map { byte in
      let text = String(byte, radix: 16)
      return byte < 16 ? "0" + text : text
    }
    return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
  }
}
