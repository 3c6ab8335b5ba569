import CaptureCore

@testable import CaptureSessions

/// What tests look at inside a session, whose parts cannot leave its actor.
extension CaptureSession {
  var frames: FrameFanOut { pipelines[0].frames }
  var source: (any FrameSource)? { pipelines[0].running?.source }
  var life: CameraStateMachine { pipelines[0].life }
  var adaptation: Adaptation { pipelines[0].adaptation }
  var context: SessionOutputContext { outputs.context }
  /// Whether a timer runs after which deferred start waits for readers no longer.
  var waitsForReaders: Bool { deferredStart.fallback != nil }
  var demandOfPressure: PressureDemand { conditions.pressure.demand(of: committed.input(at: 0)?.deviceID) }
  var outputIdentities: Set<ObjectIdentifier> { Set(configuredOutputs().map { ObjectIdentifier($0.output) }) }

  func deferredStartEnded() async { await deferredStart.waitForEnd() }
}
