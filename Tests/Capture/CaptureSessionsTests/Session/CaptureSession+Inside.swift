import CaptureCore

@testable import CaptureSessions

/// Access for tests to parts of a session that cannot leave the session's actor. The properties of a camera are those
/// of the session's first camera.
extension CaptureSession {
  /// The fan-out of the first camera.
  var frames: FrameFanOut { pipelines[0].frames }
  /// The source of the first camera; nil while none is open.
  var source: (any FrameSource)? { pipelines[0].running?.source }
  /// The state machine of the first camera.
  var life: CameraStateMachine { pipelines[0].life }
  /// The steps that the session has taken for the first camera.
  var adaptation: Adaptation { pipelines[0].adaptation }
  /// The context that the session's outputs have.
  var context: SessionOutputContext { outputs.context }
  /// Whether the timer runs that limits how long deferred start waits for readers.
  var waitsForReaders: Bool { deferredStart.fallback != nil }
  /// The pressure that applies to the session's camera, and the steps that it asks for.
  var demandOfPressure: PressureDemand { conditions.pressure.demand(of: committed.input(at: 0)?.deviceID) }
  /// The identities of the output objects, which change when a commit makes an output anew.
  var outputIdentities: Set<ObjectIdentifier> { Set(configuredOutputs().map { ObjectIdentifier($0.output) }) }

  /// Frames per second that the outputs of the pipeline at `index` get; nil before its first stream.
  func rate(ofPipeline index: Int) -> Rational? { pipelines[index].frames.rate }

  /// Returns when no run of deferred start is under way.
  func deferredStartEnded() async { await deferredStart.waitForEnd() }
}
