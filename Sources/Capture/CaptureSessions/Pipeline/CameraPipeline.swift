internal import CaptureCore

/// One camera of a session: its device, the way of its frames to the outputs, and its life.
///
/// Belongs to the session's actor. Of its parts only ``frames`` is used by the capture thread.
final class CameraPipeline {
  /// Its place among the session's inputs.
  let index: Int
  let frames: FrameFanOut
  let clock: any Clock<Duration>
  private let devices: DeviceRegistry
  private let memory: FrameMemory
  private let signals: AsyncStream<SessionSignal>.Continuation
  private(set) var life = CameraStateMachine()
  private(set) var running: RunningSource?
  private(set) var sources = SourceGenerations()
  var schedule = RetrySchedule()
  /// Why the newest start of a launch failed.
  var startError: CaptureError?
  private(set) var retrying: Task<Void, Never>?
  private var rates = Rates()

  /// What limits the frames that outputs get.
  struct Rates {
    /// Frames per second that a client set; ends with the stream.
    var active: Rational?
    /// Which steps of the ladder the camera's session has taken.
    var adaptation = Adaptation()
  }

  /// - Parameters:
  ///   - clock: measures the pauses between retries.
  ///   - memory: holds the camera's frames.
  init(
    index: Int, devices: DeviceRegistry, clock: any Clock<Duration>, memory: FrameMemory, meanLuma: @escaping LumaMeter,
    signals: AsyncStream<SessionSignal>.Continuation
  ) {
    self.index = index
    self.devices = devices
    self.clock = clock
    self.memory = memory
    self.signals = signals
    let ring = FrameRing(limits: .init(windowNanoseconds: 0, maximumFrames: 1, maximumBytes: RingPlan.ringBudget))
    let settling = SettlingWatch(measure: meanLuma) { signals.yield(.settled(camera: index, $0)) }
    frames = FrameFanOut(ring: ring, settling: settling) {
      signals.yield(
        .firstFrame(camera: index, captured: $0.time.monotonicNanoseconds, streamID: $0.streamID, gap: $1))
    }
  }

  var status: SessionStatus { life.status }

  var adaptation: Adaptation { rates.adaptation }

  /// Takes what happened into the camera's life.
  ///
  /// - Returns: what is to be done, in this order.
  func handle(_ event: CameraStateMachine.Event) -> [CameraStateMachine.Action] {
    let former = life.status.interruption
    let actions = life.handle(event)
    schedule.interruptionChanged(from: former, to: life.status.interruption)
    return actions
  }

  // MARK: The source

  /// Starts the camera; the present source must be stopped.
  ///
  /// - Parameters:
  ///   - window: how far back the ring reaches, nanoseconds.
  ///   - format: what the device said it will deliver; nil asks it.
  ///   - patience: nil is as long as the schedule says.
  nonisolated(nonsending) func start(
    _ input: ResolvedConfiguration.Input, window: UInt64, format: StreamFormat?, patience: StallPatience? = nil
  ) async throws(CaptureError) {
    var expected = format
    if expected == nil { expected = try await devices.resolve(input.request, on: input.deviceID) }
    guard let expected else { return }
    let plan = ringPlan(window: window, format: expected)
    frames.ring.setLimits(plan.limits)
    let generation = sources.next()
    let pool = FramePool(budget: plan.poolBudget, kept: plan.ringBytes, memory: memory)
    var request = input.request
    request.patience = patience ?? schedule.patience
    let source = try await devices.start(request, on: input.deviceID, pool: pool, sink: makeTap(generation))
    sources.started(generation)
    running = RunningSource(source: source, pool: pool)
    applyRates()
  }

  private func makeTap(_ generation: UInt64) -> SourceTap {
    SourceTap(frames: frames) { [signals, index] in
      signals.yield(.sourceStalled(camera: index, generation: generation, $0))
    } onEnd: { [signals, index] in
      signals.yield(.sourceEnded(camera: index, generation: generation, $0))
    }
  }

  /// Closes the device and lets go of its frames: later ones must not be taken for those.
  nonisolated(nonsending) func stop() async {
    await running?.source.stop()
    // Whoever still holds one of its frames must not keep the memory of all others.
    running?.pool.setBounds(budget: 0, kept: 0)
    running = nil
    rates.active = nil
    frames.ring.removeAll()
  }

  /// A source stalled or ended by itself.
  ///
  /// - Returns: whether it is the present one.
  func noteLoss(of generation: UInt64, _ error: CaptureError) -> Bool { sources.noteLoss(of: generation, error) }

  /// Whether `generation` is the source that runs now, so that what it said is still true.
  func isCurrent(_ generation: UInt64) -> Bool { generation == sources.current && running != nil }

  // MARK: Rates and memory

  /// Gives outputs at most so many frames per second from now on, without touching the device.
  ///
  /// - Parameter rate: zero gives every frame again.
  func setActiveRate(_ rate: Rational) {
    rates.active = rate.value > 0 ? rate : nil
    applyRates()
  }

  /// Follows the ladder. The limits of rates and memory are in force when this returns.
  ///
  /// - Returns: what changed, in the order in which it is told.
  func adapt(to steps: [AdaptationStep], window: UInt64, format: StreamFormat?) -> [Adaptation.Change] {
    let changes = rates.adaptation.follow(steps)
    guard !changes.isEmpty else { return [] }
    applyRates()
    setMemory(window: window, format: format)
    return changes
  }

  /// Has outputs get frames at the rate that a client set, or at that of the ladder, whichever is lower.
  private func applyRates() {
    guard let source = running?.source else { return }
    let rate = [rates.active, adaptation.deviceRate].compactMap { $0 }.min()
    frames.setRates(
      streamID: source.streamID, deviceRate: source.format.frameRate, rate: rate,
      previewRate: [rate, adaptation.previewRate].compactMap { $0 }.min())
  }

  /// Bounds the memory of a running source's frames. A ring that grew beyond its pool would hold all of it for ever.
  func setMemory(window: UInt64, format: StreamFormat?) {
    guard let format else { return }
    let plan = ringPlan(window: window, format: format)
    running?.pool.setBounds(budget: plan.poolBudget, kept: plan.ringBytes)
    frames.ring.setLimits(plan.limits)
  }

  /// The ring's part in the ladder: what the configuration resolved to stays as it is.
  private func ringPlan(window: UInt64, format: StreamFormat) -> RingPlan {
    RingPlan(window: min(window, adaptation.ringWindow ?? .max), format: format)
  }

  // MARK: Retries

  /// Calls `retry` at each tick until ``endRetrying()``.
  func beginRetrying(_ retry: @escaping @Sendable () async -> Void) {
    retrying?.cancel()
    retrying = Task { [clock] in
      while (try? await clock.sleep(for: RetrySchedule.tick)) != nil { await retry() }
    }
  }

  func endRetrying() {
    retrying?.cancel()
    retrying = nil
  }
}
