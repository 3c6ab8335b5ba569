internal import CaptureCore

/// The compositions of a session, each made when it is needed first.
///
/// Belongs to the session's actor.
final class SessionCompositions {
  private let make: CompositionMaker
  /// By ``ResolvedConfiguration/Input/deviceID``.
  private var made: [String: any CompositionInput] = [:]

  init(make: @escaping CompositionMaker) { self.make = make }

  /// Returns the composition of an input; nil for a camera.
  func composition(of input: ResolvedConfiguration.Input) -> (any CompositionInput)? {
    guard let layout = input.composition else { return nil }
    if let present = made[input.deviceID] { return present }
    let composition = make(input.id, layout.layers)
    made[input.deviceID] = composition
    return composition
  }

  /// Returns the compositions that show the camera at `place`, and whose own pictures an output takes; none for nil.
  func showing(_ place: Int?, by resolved: ResolvedConfiguration) -> [any CaptureOutput] {
    guard let place else { return [] }
    return resolved.compositions(showing: resolved.inputs[place]).compactMap { composition(of: $0) }
  }

  /// Lets compositions wait for their first layers until ``endWaiting()``, because the session itself keeps cameras
  /// from bringing frames. Inputs that are cameras are left out.
  func beginWaiting(_ inputs: [ResolvedConfiguration.Input]) {
    for input in inputs { composition(of: input)?.setWaiting(true) }
  }

  /// The cameras bring frames again, or the session has given them up.
  func endWaiting() {
    for composition in made.values { composition.setWaiting(false) }
  }

  /// Gives each composition its plan by the committed configuration, and forgets those that it does not have.
  func follow(_ committed: CommittedConfiguration) {
    for (id, composition) in made {
      if let plan = committed.input(on: id).flatMap({ committed.resolved.plan(of: $0, revision: committed.revision) }) {
        composition.follow(plan)
      } else {
        made[id] = nil
        composition.close(CaptureError(.outputRemoved, "The session has this composition no more."))
      }
    }
  }
}
