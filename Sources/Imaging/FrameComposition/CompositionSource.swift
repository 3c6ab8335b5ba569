public import CaptureCore
internal import Imaging
internal import Locking
internal import SystemClocks
internal import VideoCoding

/// A running composition: a thread that composes the frames of other inputs and publishes them like a camera.
public final class CompositionSource: FrameSource {
  /// The id of the composition's input.
  public let deviceID: String
  /// The format of the composed pictures. The rate is that of the start; see ``DerivedInput/follow(_:)``.
  public let format: StreamFormat

  private enum Ending {
    case stopped
    case lost(CaptureError)
  }
  private struct State {
    var partners: FramePartners
    var streamID = StreamID.next()
    /// The clock to which ``streamID`` belongs; nil before the first picture.
    var clock: FramePartners.ClockStream?
    /// Until when the session itself keeps the first layer's camera from bringing frames; in the distant future while
    /// it does.
    var pausedUntil: MonotonicInstant
    /// When the thread wakes by itself.
    var wakes = MonotonicInstant.distantFuture
    /// Why the thread must end. Set once; nil while the stream runs.
    var ending: Ending?
  }
  private let state: Locked<State>
  private let ended = Event<Void>()
  private let alarm = Alarm()
  private let patience: StallPatience
  private let pool: FramePool
  private let sink: any FrameSink
  private let onEnd: @Sendable (CompositionSource) -> Void

  /// - Parameters:
  ///   - isWaiting: whether the session itself keeps the first layer's camera from bringing frames.
  ///   - patience: how long the first layer may bring no frame before the stream counts as stalled.
  ///   - onEnd: called on the thread when it uses neither frames nor the sink any more.
  init(
    id: String, plan: CompositionPlan, isWaiting: Bool, format: StreamFormat, patience: StallPatience, pool: FramePool,
    sink: any FrameSink, onEnd: @escaping @Sendable (CompositionSource) -> Void
  ) {
    deviceID = id
    self.format = format
    self.patience = patience
    self.pool = pool
    self.sink = sink
    self.onEnd = onEnd
    state = Locked(State(partners: FramePartners(plan), pausedUntil: isWaiting ? .distantFuture : .epoch))
  }

  /// The stream of the next picture. It changes when the first layer shows another stream, because the sequence numbers
  /// of the pictures are those of the first layer's frames.
  public var streamID: UInt64 { state.withLock(\.streamID) }

  /// Starts the thread, which keeps the source alive until the thread ends.
  ///
  /// - Throws: `processingFailed` when the system cannot create a thread.
  func launch() throws(CaptureError) { try WorkerThread.start(name: deviceID) { self.run() } }

  /// Takes a frame of a layer's input. Does not block.
  func receive(_ frame: CapturedFrame) {
    change { $0.receive(frame, at: $1) }
  }

  func follow(_ plan: CompositionPlan) {
    change { partners, _ in partners.follow(plan) }
    // The deadline of a stall may be another one now.
    alarm.ring()
  }

  func setWaiting(_ isWaiting: Bool) {
    let now = MonotonicInstant.now()
    state.withLock { state in
      guard isWaiting != (state.pausedUntil == .distantFuture) else { return }
      state.pausedUntil = isWaiting ? .distantFuture : now
    }
    alarm.ring()
  }

  /// Changes the partners, and wakes the thread if it has to compose earlier than it expects.
  private func change(_ body: (inout FramePartners, MonotonicInstant) -> Void) {
    let now = MonotonicInstant.now()
    let isEarlier = state.withLock { state in
      guard state.ending == nil else { return false }
      body(&state.partners, now)
      return state.partners.instant(at: now).map { $0 < state.wakes } ?? false
    }
    if isEarlier { alarm.ring() }
  }

  /// Stops composing. When this method returns, the source neither holds frames nor calls its sink.
  public func stop() async {
    end(.stopped)
    await ended.wait()
  }

  /// Ends the stream as ``stop()`` does, without waiting.
  func cancel() { end(.stopped) }

  private func end(_ ending: Ending) {
    state.withLock { if $0.ending == nil { $0.ending = ending } }
    alarm.ring()
  }

  private func run() {
    stream()
    let ending = state.withLock { state in
      // The cameras get the memory of the frames back.
      state.partners = FramePartners(CompositionPlan(layers: [], pace: state.partners.pace, revision: 0))
      return state.ending
    }
    onEnd(self)
    if case .lost(let error) = ending { sink.sourceDidEnd(error) }
    ended.happen()
  }

  private enum Step {
    case compose(FramePartners.Choice)
    case sleep(until: MonotonicInstant)
    case end
  }

  private func stream() {
    let compositor = FrameCompositor(format.layout, pool: pool)
    var watch = ClockWatch(start: .now(), rate: state.withLock(\.partners.pace.rate), patience: patience)
    while true {
      let (rate, pausedUntil) = state.withLock { ($0.partners.pace.rate, $0.pausedUntil) }
      let now = MonotonicInstant.now()
      watch.expect(rate, at: now)
      watch.pause(until: pausedUntil)
      switch step(at: now) {
      case .end: return
      case .compose(let choice):
        watch.note(compose(choice, compositor), at: now)
      case .sleep(let instant):
        if now >= watch.deadline {
          let input = state.withLock { $0.partners.layers.first?.input ?? "" }
          let error = CaptureError.stalled(
            composition: deviceID, input: input, silence: watch.silence(at: now), damaged: watch.damaged)
          sink.sourceDidStall(error)
          end(.lost(error))
        } else {
          alarm.sleep(until: min(instant, watch.deadline))
        }
      }
    }
  }

  private func step(at now: MonotonicInstant) -> Step {
    state.withLock { state in
      if state.ending != nil { return .end }
      let instant = state.partners.instant(at: now)
      if let instant, instant <= now, let choice = state.partners.begin() { return .compose(choice) }
      state.wakes = instant ?? .distantFuture
      return .sleep(until: state.wakes)
    }
  }

  /// The pictures of the layers' frames.
  private static func pictures(_ frames: [CapturedFrame?]) throws(FrameCompositor.Failure) -> [Picture?] {
    var pictures: [Picture?] = []
    for (layer, frame) in frames.enumerated() {
      do throws(CaptureError) { pictures.append(try frame?.frame.decodedPicture()) } catch {
        throw FrameCompositor.Failure(error: error, layer: layer)
      }
    }
    return pictures
  }

  /// Composes a picture and publishes it.
  private func compose(_ choice: FramePartners.Choice, _ compositor: FrameCompositor) -> CompositionOutcome {
    do throws(FrameCompositor.Failure) {
      let picture = try compositor.compose(choice.layers, Self.pictures(choice.frames))
      let (streamID, isWanted) = state.withLock { state in
        state.partners.composed(choice)
        if let clock = state.clock, clock != choice.stream { state.streamID = StreamID.next() }
        state.clock = choice.stream
        return (state.streamID, state.ending == nil)
      }
      guard isWanted else { return .composed }
      let clock = choice.clock.frame
      let layers = choice.layers.indices.map {
        ComposedLayer(input: choice.layers[$0].input, frame: choice.frames[$0]?.frame, isStale: choice.isStale[$0])
      }
      // The sensor's settings are left out, because a composed picture has those of several sensors.
      sink.receive(
        Frame(
          streamID: streamID, sequence: clock.sequence, time: clock.time, layout: picture.layout,
          buffer: picture.buffer, missing: choice.missing, layers: layers), ofRevision: choice.revision)
      return .composed
    } catch {
      return state.withLock { state in
        // A frame whose bytes cannot be used is left out. Without memory, another choice would be lost as well.
        guard let layer = error.layer, let frame = choice.frames[layer], error.error.reason != .outOfBuffers else {
          state.partners.lose(DropCounts(outOfBuffers: 1))
          return .outOfBuffers
        }
        state.partners.reject(frame, DropCounts(damaged: 1))
        return frame === choice.clock ? .damaged : .chooseAgain
      }
    }
  }
}
