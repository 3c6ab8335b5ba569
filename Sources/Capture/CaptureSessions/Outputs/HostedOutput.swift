internal import CaptureCore

/// An output with the facts that its session knows about it. One object serves for the output's whole life: when an
/// output is prepared during a commit, the object that the commit keeps is marked as prepared.
final class HostedOutput {
  var configuration: ResolvedConfiguration.Output
  /// The kind that the output was made for. The configuration of a commit that keeps the output may name the same
  /// format in another way.
  let kind: ResolvedConfiguration.Kind
  let output: any CaptureOutput
  /// The output's view of its session.
  let view: CameraOutputContext
  private var conditions = OutputConditions()
  var isPrepared = false
  /// The task that prepares the output now; nil when none does. Callers that need the output meanwhile wait for this
  /// task.
  var preparation: Task<Result<Void, CaptureError>, Never>?

  init(_ configuration: ResolvedConfiguration.Output, _ output: any CaptureOutput, _ view: CameraOutputContext) {
    self.configuration = configuration
    self.view = view
    kind = configuration.kind
    self.output = output
  }

  /// Changes the output's conditions, and passes the changed conditions on to the output.
  func update(_ change: (inout OutputConditions) -> Void) {
    change(&conditions)
    output.update(conditions)
  }
}
