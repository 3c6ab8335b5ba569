public import CaptureCore
internal import Synchronization

/// Changes an output's conditions part by part and passes them on one after the other, as a session does.
public final class OutputSteering: Sendable {
  private let output: any CaptureOutput
  private let conditions: Mutex<OutputConditions>

  /// - Parameter conditions: those that the output believes in already.
  public init(_ output: any CaptureOutput, conditions: OutputConditions = OutputConditions()) {
    self.output = output
    self.conditions = Mutex(conditions)
  }

  public func change(_ change: (inout OutputConditions) -> Void) {
    conditions.withLock { conditions in
      change(&conditions)
      output.update(conditions)
    }
  }
}
