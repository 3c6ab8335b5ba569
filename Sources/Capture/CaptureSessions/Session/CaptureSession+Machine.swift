public import CaptureCore
internal import Logging

/// What the session does about the machine: its pressure, its sleep, and what it is able to do.
extension CaptureSession {
  /// Why a camera must not run now; nil when it may.
  func rest(of pipeline: CameraPipeline) -> CaptureError? {
    conditions.rest(of: committed.input(at: pipeline.index)?.deviceID, in: id)
  }

  private func change(_ change: (inout SystemConditions) -> Void) {
    change(&conditions)
    if pipelines.contains(where: { rest(of: $0) != nil }) { shots.cancel() }
  }

  /// The machine has been measured: what was not known of the configuration's cost is known now.
  func machineWasMeasured() {
    guard (try? lifetime.checkAlive()) != nil else { return }
    cost.tell()
    cost.warn()
  }

  /// Finds changes that bring a configuration's cost to at most 1; nothing when it does already. Changes nothing.
  ///
  /// - Parameter wanted: nil for the session's own.
  /// - Throws: ``ConfigurationError``, `noLowerCost`.
  public func suggestLowerCost(of wanted: SessionConfiguration?) async throws -> [CostReduction] {
    try lifetime.checkAlive()
    return try await cost.reductions(of: wanted)
  }

  /// Takes the newest pressure. It is acted upon after whatever is under way; only the newest counts then.
  func setPressure(_ pressure: PressureDemands) {
    change { $0.pressure = pressure }
    enqueue { await $0.adapt() }
  }

  /// Closes the cameras before the machine sleeps, and starts them after that. Returns when they are closed, or tried.
  func setSystemAsleep(_ isAsleep: Bool) async {
    change { $0.isSystemAsleep = isAsleep }
    try? await serially { await $0.adapt() }
  }

  /// Follows the ladder, then rests or resumes.
  func adapt() async {
    guard (try? lifetime.checkAlive()) != nil else { return }
    for pipeline in pipelines {
      let life = CameraLife(pipeline, in: self)
      life.followLadder(in: self)
      await life.apply(rest(of: pipeline).map { .restRequired($0) } ?? .restOver, in: self)
    }
  }

  /// Gives outputs at most so many frames per second of `deviceID` from now on, without touching the device; ends with the
  /// stream. Frames left out are not counted as dropped. The ring keeps every frame.
  ///
  /// - Parameter rate: frames per second; zero gives every frame again.
  /// - Throws: `sessionNotRunning` when the device does not stream for this session.
  public func setActiveFrameRate(_ rate: Rational, of deviceID: String) throws(CaptureError) {
    let streaming = pipelines.first { $0.status.state == .running && $0.running?.source.deviceID == deviceID }
    guard let streaming else {
      throw CaptureError(
        .sessionNotRunning, "Device \(deviceID) does not stream in session \(id); start it first.",
        metadata: ["session": id, "device": deviceID], field: "active_frame_rate")
    }
    streaming.setActiveRate(rate)
  }

  /// Bounds the memory of the cameras' frames as the configuration says.
  func setMemory() {
    for pipeline in pipelines {
      pipeline.setMemory(
        window: committed.resolved.zeroShutterLagWindow, format: committed.formats[pipeline.index])
    }
  }
}
