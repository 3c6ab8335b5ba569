internal import CaptureCore

/// The derived inputs of a session, each made when it is needed first.
///
/// Belongs to the session's actor.
final class DerivedInputs {
  private let makeComposition: CompositionMaker
  /// By ``ResolvedConfiguration/Input/sourceID``.
  private var made: [String: any DerivedInput] = [:]

  init(makeComposition: @escaping CompositionMaker) { self.makeComposition = makeComposition }

  /// Returns what makes the frames of a derived input; nil for a camera.
  func object(of input: ResolvedConfiguration.Input) -> (any DerivedInput)? {
    if input.isDerived, let present = made[input.sourceID] { return present }
    switch input.source {
    case .device: return nil
    case .composed(let layout):
      let composition = makeComposition(input.id, layout.layers)
      made[input.sourceID] = composition
      return composition
    }
  }

  /// Returns the derived inputs that show the camera at `place`, and whose own pictures an output takes; none for nil.
  func showing(_ place: Int?, by resolved: ResolvedConfiguration) -> [any CaptureOutput] {
    guard let place else { return [] }
    return resolved.derivedInputs(showing: resolved.inputs[place]).compactMap { object(of: $0) }
  }

  /// Lets derived inputs wait for their first layers until ``endWaiting()``, because the session itself keeps cameras
  /// from bringing frames. Inputs that are cameras are left out.
  func beginWaiting(_ inputs: [ResolvedConfiguration.Input]) {
    for input in inputs { object(of: input)?.setWaiting(true) }
  }

  /// The cameras bring frames again, or the session has given them up.
  func endWaiting() {
    for input in made.values { input.setWaiting(false) }
  }

  /// Gives each derived input its plan by the committed configuration, and forgets those that it does not have.
  func follow(_ committed: CommittedConfiguration) {
    for (id, input) in made {
      if let plan = committed.input(on: id).flatMap({ committed.resolved.plan(of: $0, revision: committed.revision) }) {
        input.follow(plan)
      } else {
        made[id] = nil
        input.close(CaptureError(.outputRemoved, "The session has this composition no more."))
      }
    }
  }
}

extension CaptureSession {
  /// Gives the derived inputs the layers and the rates of the committed configuration.
  func followDerivedInputs() {
    outputs.derivedInputs.follow(committed)
    for pipeline in pipelines where committed.isDerived(at: pipeline.index) {
      if let rate = committed.format(at: pipeline.index)?.frameRate { pipeline.takeRate(ofDerivedInput: rate) }
      pipeline.setMemory(by: committed)
    }
  }

  /// Stops the derived inputs of a session that has stopped because an error stopped its cameras.
  func stopDerivedInputs() async {
    guard status.state == .stopped else { return }
    for pipeline in cameras where committed.isDerived(at: pipeline.index) {
      await apply(.stopRequested, to: pipeline)
    }
  }
}

extension DeviceRegistry {
  /// Claims the camera of an input for a session like ``claim(_:for:)``. A derived input has no device to claim.
  nonisolated func claim(_ input: ResolvedConfiguration.Input, for session: String) throws(CaptureError) {
    if let device = input.deviceID { try claim(device, for: session) }
  }
}

extension CaptureError {
  /// The error for a composition that cannot start, because the driver of its first layer's camera has not been asked
  /// for its format.
  static func noFirstLayer(of input: ResolvedConfiguration.Input) -> CaptureError {
    let first = input.layers.first?.input ?? ""
    return CaptureError(
      .deviceNotResponding,
      "The composition \(input.id) starts when the format of \(first), its first layer, is known.",
      metadata: ["device": input.id, "input": first])
  }
}
