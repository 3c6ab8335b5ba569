public import CaptureCore
internal import Synchronization

/// Changes single parts of an output's conditions and gives the output the whole conditions each time, one call after
/// the other, as a session does.
public final class OutputSteering: Sendable {
  private let output: any CaptureOutput
  private let conditions: Mutex<OutputConditions>

  /// Creates the steering of one output.
  ///
  /// - Parameter conditions: the conditions that the output already has. This initializer does not give them to the
  ///   output.
  public init(_ output: any CaptureOutput, conditions: OutputConditions = OutputConditions()) {
    self.output = output
    self.conditions = Mutex(conditions)
  }

  /// Changes the conditions and gives them to the output. The output gets one call at a time, because a lock is held
  /// meanwhile; `change` and the output must not call this method.
  public func change(_ change: (inout OutputConditions) -> Void) {
    conditions.withLock { conditions in
      change(&conditions)
      output.update(conditions)
    }
  }
}
