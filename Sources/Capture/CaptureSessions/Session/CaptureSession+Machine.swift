public import CaptureCore

/// The session's reactions to the machine: to its pressure, to its sleep, and to the measurement of its capacity.
extension CaptureSession {
  /// Returns why a camera must not run now; nil when it may.
  func rest(of pipeline: CameraPipeline) -> CaptureError? { rest(of: committed.input(at: pipeline.index)) }

  /// Returns why the camera of an input must not run now; nil when it may.
  func rest(of input: ResolvedConfiguration.Input?) -> CaptureError? { conditions.rest(of: input?.sourceID, in: id) }

  private func change(_ change: (inout SystemConditions) -> Void) {
    change(&conditions)
    if rest(of: photoCamera) != nil { shots.cancel() }
  }

  /// Reports costs that were unknown until the machine's capacity was measured.
  func machineWasMeasured() {
    guard (try? lifetime.checkAlive()) != nil else { return }
    cost.tell()
    cost.warn()
  }

  /// Finds changes that bring the cost of a configuration to at most 1. Changes nothing in the session.
  ///
  /// - Parameter wanted: the configuration; nil for the session's own.
  /// - Returns: the changes in order; empty when the configuration costs at most 1 already.
  /// - Throws: ``ConfigurationError`` when the configuration has issues; `noLowerCost` when no mode of the camera costs
  ///   at most 1; the error that the session ended with.
  public func suggestLowerCost(of wanted: SessionConfiguration?) async throws -> [CostReduction] {
    try lifetime.checkAlive()
    return try await cost.reductions(of: wanted)
  }

  /// Takes the newest pressure, and lets the session adapt to it after the calls that are under way. If the pressure
  /// changes again before that, only the newest pressure counts.
  func setPressure(_ pressure: PressureDemands) {
    change { $0.pressure = pressure }
    enqueue { await $0.adapt() }
  }

  /// Closes the cameras before the machine sleeps, and starts them again when it is awake. Returns when the cameras are
  /// closed, or when the session has tried to start them.
  func setSystemAsleep(_ isAsleep: Bool) async {
    change { $0.isSystemAsleep = isAsleep }
    try? await serially { session in
      await session.adapt()
      await session.microphones.closed()
    }
  }

  /// Takes and undoes the steps of the ladder that the pressure demands, then lets each camera rest or resume.
  func adapt() async {
    guard (try? lifetime.checkAlive()) != nil else { return }
    for pipeline in cameras { CameraLife(pipeline, in: self).followLadder(in: self) }
    // When a rest is over, the layers of derived inputs are opened again, which may take longer than one may be silent.
    let isRestOver = cameras.contains { $0.status.interruption?.isRest == true && rest(of: $0) == nil }
    if isRestOver { outputs.derivedInputs.beginWaiting(committed.resolved.inputs) }
    defer { if isRestOver { outputs.derivedInputs.endWaiting() } }
    // One that is slow to close or to open delays no other.
    _ = await atOnce(cameras) { session, pipeline in
      await session.apply(session.rest(of: pipeline).map { .restRequired($0) } ?? .restOver, to: pipeline)
    }
  }

  /// Gives outputs at most `rate` frames per second of a device from now on. The device's own rate does not change, and
  /// the limit ends with the stream. Frames that are left out do not count as dropped. The ring keeps every frame.
  ///
  /// - Parameters:
  ///   - rate: frames per second; zero gives outputs every frame again.
  ///   - deviceID: the id of the device.
  /// - Throws: `sessionNotRunning` when the device does not stream for this session.
  public func setActiveFrameRate(_ rate: Rational, of deviceID: String) throws(CaptureError) {
    let streaming = pipelines.first { $0.status.state == .running && $0.running?.sourceID == deviceID }
    guard let streaming else { throw SessionErrors.notStreaming(deviceID, in: id) }
    streaming.setActiveRate(rate)
  }
}

/// The demands of the machine on a session, as they were last reported. The session acts on them when the turn of that
/// call comes.
struct SystemConditions: Sendable {
  var pressure: PressureDemands
  /// Whether the machine is asleep or about to sleep.
  var isSystemAsleep: Bool

  /// Returns why the camera `device` must not run now; nil when it may.
  func rest(of device: String?, in session: String) -> CaptureError? {
    if isSystemAsleep { return Self.suspended(session) }
    let demand = pressure.demand(of: device)
    return demand.level == .shutdown ? Self.tooHot(demand, session) : nil
  }

  static func suspended(_ session: String) -> CaptureError {
    CaptureError(
      .systemSuspend,
      "The machine is being suspended; session \(session) starts again by itself when the machine is awake.",
      metadata: ["session": session])
  }

  private static func tooHot(_ demand: PressureDemand, _ session: String) -> CaptureError {
    let sources = demand.causes.map(\.source).joined(separator: ", ")
    return CaptureError(
      .systemPressure,
      "System pressure is at shutdown (\(sources)); session \(session) starts again by itself when the pressure falls.",
      metadata: ["session": session, "sources": sources])
  }
}
