internal import CaptureCore

/// An output with what its session knows of it. One object for the output's whole life: whoever prepares it while a commit
/// is under way marks the very one that the commit keeps.
final class HostedOutput {
  var configuration: ResolvedConfiguration.Output
  /// What it was made for; a commit that keeps it may call the same by another name.
  let kind: ResolvedConfiguration.Kind
  let output: any CaptureOutput
  private var conditions = OutputConditions()
  var isPrepared = false
  /// Under way; whoever needs the output meanwhile waits for the same end.
  var preparation: Task<Result<Void, CaptureError>, Never>?

  init(_ configuration: ResolvedConfiguration.Output, _ output: any CaptureOutput) {
    self.configuration = configuration
    kind = configuration.kind
    self.output = output
  }

  /// Changes the output's conditions, and passes them on to it.
  func update(_ change: (inout OutputConditions) -> Void) {
    change(&conditions)
    output.update(conditions)
  }
}
