internal import CaptureCore
internal import SystemClocks

/// One camera of a session: its device, the way of its frames to the outputs, and its state. A session has a pipeline
/// for each camera that it may have; ``CameraSlots`` says which camera has which.
///
/// The pipeline belongs to the session's actor. The capture thread uses only ``frames``.
final class CameraPipeline {
  /// The index of the pipeline among those of the session.
  let index: Int
  let frames: FrameFanOut
  let retries: RetryTimer
  private let devices: DeviceRegistry
  private let derivedInputs: DerivedInputs
  private let memory: FrameMemory
  private let signals: AsyncStream<SessionSignal>.Continuation
  private(set) var life = CameraStateMachine()
  private(set) var running: RunningSource?
  private(set) var sources = SourceGenerations()
  /// When the newest source began to open, and when it streamed.
  private var opening = LaunchTimeline.Span()
  var schedule = RetrySchedule()
  /// Why the newest start of the present launch failed; nil when it did not.
  var startError: CaptureError?
  /// True when the newest start failed because the camera does not give the committed format.
  var lostFormat: Bool { startError?.reason == .formatNotSupported }
  /// Whether the session runs and keeps the camera closed, because no output takes its frames, or because deferred
  /// start is to open it.
  private(set) var isParked = false
  private var rates = Rates()
  /// The log has these oddities of the camera with this id already.
  private var toldOddities: (device: String, oddities: Set<SourceOddity>) = ("", [])

  /// How long a derived input that has stalled waits for its first layer before it starts again, nanoseconds: a day.
  private static let derivedPatience: UInt64 = 86_400_000_000_000

  /// The limits on the rate of frames that outputs get.
  struct Rates {
    /// Frames per second that a client set; nil for no limit. The limit ends with the stream.
    var active: Rational?
    /// The steps of the ladder that the session has taken for this camera.
    var adaptation = Adaptation()
  }

  /// - Parameters:
  ///   - clock: times the pauses between retries.
  ///   - memory: holds the camera's frames.
  init(
    index: Int, devices: DeviceRegistry, derivedInputs: DerivedInputs, clock: any Clock<Duration>,
    memory: FrameMemory, meanLuma: @escaping LumaMeter, signals: AsyncStream<SessionSignal>.Continuation
  ) {
    self.index = index
    self.devices = devices
    self.derivedInputs = derivedInputs
    retries = RetryTimer(clock: clock)
    self.memory = memory
    self.signals = signals
    let ring = FrameRing(limits: .init(windowNanoseconds: 0, maximumFrames: 1, maximumBytes: RingPlan.ringBudget))
    let settling = SettlingWatch(measure: meanLuma) { signals.yield(.settled(camera: index, $0)) }
    frames = FrameFanOut(ring: ring, settling: settling) {
      signals.yield(
        .firstFrame(
          camera: index, input: $0.input, captured: $0.frame.time.monotonic, streamID: $0.frame.streamID, gap: $1))
    }
  }

  var status: SessionStatus { life.status }

  /// Whether the exposure of the camera settles after its start.
  var isSettling: Bool { status.state == .running && frames.settling?.isLooking ?? false }

  /// The status for the readers of the camera's outputs. A parked camera is shown as running, because a connection that
  /// is disabled is no interruption; ``SessionStatus/awaitsDeferredStart`` says that the camera is not open yet.
  func shownStatus(awaitsDeferredStart: Bool) -> SessionStatus {
    guard isParked else { return life.status }
    var status = SessionStatus(.running)
    status.awaitsDeferredStart = awaitsDeferredStart
    return status
  }

  /// Returns the status of the input that has this pipeline.
  ///
  /// - Parameters:
  ///   - session: the state of the session.
  ///   - isAlone: whether the session has no other camera. What happens to the only one happens to the session, and a
  ///     start that fails leaves no trace.
  func inputStatus(of input: ResolvedConfiguration.Input, in session: SessionState, isAlone: Bool) -> InputStatus {
    let isOn = [.running, .interrupted].contains(session)
    return InputStatus(
      input: input.id, deviceID: input.deviceID ?? "", status: status, error: isOn && !isAlone ? life.announced : nil)
  }

  var adaptation: Adaptation { rates.adaptation }

  /// Passes an event to the camera's state machine, and tells the retry schedule when the interruption changes.
  ///
  /// - Returns: the actions to carry out, in this order.
  func handle(_ event: CameraStateMachine.Event) -> [CameraStateMachine.Action] {
    let former = life.status.interruption
    let actions = life.handle(event)
    schedule.interruptionChanged(from: former, to: life.status.interruption)
    return actions
  }

  // MARK: Running and not

  /// Keeps the camera closed while the session runs.
  func park() { isParked = true }

  /// Ends that the camera is kept closed.
  func unpark() { isParked = false }

  /// Forgets the error that stopped the camera. Returns whether there was one.
  func forgetError() -> Bool { life.forgetError() }

  /// Counts the source that a commit has started as that of a running camera.
  func adopt() {
    isParked = false
    _ = handle(.startRequested)
    _ = handle(.sourceStarted(streamID: running?.source.streamID ?? 0))
  }

  /// Forgets the interruption and the run of the camera, which is closed.
  func reset() {
    life = CameraStateMachine()
    isParked = false
    schedule = RetrySchedule()
    retries.stop()
    frames.settling?.end()
    frames.endRun()
  }

  /// Forgets the steps of the ladder, because the pipeline has no camera any more.
  func forgetAdaptation() { rates = Rates() }

  // MARK: The source

  /// Starts the camera. Stop the present source first.
  ///
  /// - Parameters:
  ///   - window: how far back the ring reaches, nanoseconds.
  ///   - cameras: the number of cameras of the session.
  ///   - held: the most of the camera's frames that are held until those of other cameras come.
  ///   - plan: what a derived input is to make.
  ///   - format: the format that the device is going to deliver; nil asks the device.
  ///   - patience: how long the stream may bring no frame before it counts as stalled; nil leaves that to the schedule.
  /// - Throws: why the device cannot be resolved or started.
  nonisolated(nonsending) func start(
    _ input: ResolvedConfiguration.Input, window: UInt64, cameras: Int, held: Int = 0,
    plan: CompositionPlan? = nil, format: StreamFormat?, patience: StallPatience? = nil
  ) async throws(CaptureError) {
    opening = .init(begin: .now())
    var expected = format
    if expected == nil, let device = input.deviceID { expected = try await devices.resolve(input.request, on: device) }
    guard let expected else { throw .noFirstLayer(of: input) }
    let memoryPlan = ringPlan(window: window, format: expected, cameras, held)
    frames.ring.setLimits(memoryPlan.limits)
    let generation = sources.next()
    let pool = FramePool(budget: memoryPlan.poolBudget, kept: memoryPlan.ringBytes, memory: memory)
    var request = input.request
    request.patience = patience ?? schedule.patience
    let source: any FrameSource
    let tap = makeTap(generation, on: input.sourceID)
    if let derived = derivedInputs.object(of: input) {
      // A derived input whose first layer is silent waits for it: unlike a camera, it costs nothing meanwhile.
      if life.status.interruption == .deviceStalled { request.patience.firstFrame = Self.derivedPatience }
      if let plan { derived.follow(plan) }
      source = try derived.start(expected, patience: request.patience, pool: pool, sink: tap)
    } else {
      source = try await devices.start(request, on: input.sourceID, pool: pool, sink: tap)
    }
    sources.started(generation)
    running = RunningSource(
      sourceID: input.sourceID, source: source, pool: pool, frameRate: source.format.frameRate)
    opening.end = .now()
    applyRates()
  }

  /// What is known of the launch of the camera that a commit asked for. A camera that must rest or opens with deferred
  /// start is not open yet.
  func launch(requestedAt instant: MonotonicInstant?) -> LaunchTimeline.Camera {
    var launch = LaunchTimeline.Camera(requested: instant)
    guard let running else { return launch }
    launch.start = opening
    launch.earliestStream = running.source.streamID
    // The first frame may have come before the commit was taken over.
    if let start = frames.newestStart {
      launch.noteFirstFrame(captured: start.captured, streamID: start.streamID)
    }
    return launch
  }

  private func makeTap(_ generation: UInt64, on device: String) -> PipelineSink {
    PipelineSink(frames: frames) { [signals, index] in
      signals.yield(.sourceIsOdd(camera: index, device: device, $0))
    } onStall: { [signals, index] in
      signals.yield(.sourceStalled(camera: index, generation: generation, $0))
    } onEnd: { [signals, index] in
      signals.yield(.sourceEnded(camera: index, generation: generation, $0))
    }
  }

  /// Notes what a camera does otherwise than its driver says.
  ///
  /// - Returns: whether this is news, also after streams that ended.
  func note(_ oddity: SourceOddity, of device: String) -> Bool {
    if toldOddities.device != device { toldOddities = (device, []) }
    return toldOddities.oddities.insert(oddity).inserted
  }

  /// Starts the camera of the committed configuration like ``start(_:window:cameras:format:patience:)``.
  nonisolated(nonsending) func start(by committed: CommittedConfiguration) async throws(CaptureError) {
    guard let input = committed.input(at: index) else { return }
    try await start(
      input, window: committed.ringWindow(at: index), cameras: committed.resolved.inputs.count,
      held: committed.heldFrames(at: index),
      plan: committed.resolved.plan(of: input, revision: committed.revision), format: committed.format(at: index))
  }

  /// Closes the device and lets go of its frames, so that frames of a later stream cannot be confused with them.
  nonisolated(nonsending) func stop() async {
    // A source that lends its buffers to frames copies those that are still in use when it stops.
    frames.ring.removeAll()
    await running?.source.stop()
    // Free the pool's unused memory now: an output that still holds one frame of the pool must not keep the memory of
    // all other frames allocated.
    running?.pool.setBounds(budget: 0, kept: 0)
    running = nil
    rates.active = nil
    frames.ring.removeAll()
  }

  /// Notes that a source stalled or ended without being stopped.
  ///
  /// - Returns: whether the source is the present one.
  func noteLoss(of generation: UInt64, _ error: CaptureError) -> Bool { sources.noteLoss(of: generation, error) }

  /// Whether the source with this number is the one that runs now, so that its report still holds.
  func isCurrent(_ generation: UInt64) -> Bool { generation == sources.current && running != nil }

  // MARK: Rates and memory

  /// Gives outputs at most `rate` frames per second from now on. The device's own rate does not change.
  ///
  /// - Parameter rate: frames per second; zero gives outputs every frame again.
  func setActiveRate(_ rate: Rational) {
    rates.active = rate.value > 0 ? rate : nil
    applyRates()
  }

  /// Takes and undoes steps of the ladder. The limits of rates and memory are in force when this method returns.
  ///
  /// - Returns: the changes, in the order in which the session reports them.
  func adapt(to steps: [AdaptationStep], by committed: CommittedConfiguration) -> [Adaptation.Change] {
    let changes = rates.adaptation.follow(steps)
    guard !changes.isEmpty else { return [] }
    applyRates()
    setMemory(by: committed)
    return changes
  }

  /// Limits the frames of outputs to the client's rate or to the ladder's, whichever is lower. The limits end with the
  /// stream, and a derived input begins another one whenever its first layer does.
  func applyRates() {
    guard let running else { return }
    let rate = [rates.active, adaptation.deviceRate].compactMap { $0 }.min()
    frames.setRates(
      streamID: running.source.streamID, deviceRate: running.frameRate, rate: rate,
      previewRate: [rate, adaptation.previewRate].compactMap { $0 }.min())
  }

  /// Takes over the rate of a running derived input, which changes with the first layer.
  func takeRate(ofDerivedInput rate: Rational) {
    guard rate != running?.frameRate else { return }
    running?.frameRate = rate
    applyRates()
  }

  /// Bounds the memory of a running source's frames. Pool and ring change together, because a ring whose limits exceed
  /// the pool would hold all of the pool's memory forever.
  func setMemory(by committed: CommittedConfiguration) {
    guard let format = committed.format(at: index) else { return }
    let plan = ringPlan(
      window: committed.ringWindow(at: index), format: format, committed.resolved.inputs.count,
      committed.heldFrames(at: index))
    running?.pool.setBounds(budget: plan.poolBudget, kept: plan.ringBytes)
    frames.ring.setLimits(plan.limits)
  }

  /// Plans the ring with the configured window, or with the ladder's window where that is shorter. The resolved
  /// configuration does not change.
  private func ringPlan(window: UInt64, format: StreamFormat, _ cameras: Int, _ held: Int) -> RingPlan {
    RingPlan(
      window: min(window, adaptation.ringWindow ?? .max), format: format, cameras: cameras, held: held)
  }
}
