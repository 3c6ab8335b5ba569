internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import GoogleRPC
internal import RPCCore
internal import SwiftProtobuf
internal import SystemClocks

extension SessionSnapshot {
  var proto: Firstlight_V1_Session {
    .with {
      $0.name = "sessions/\(id)"
      $0.state = status.state.proto
      $0.interruptionReason = status.interruption?.proto ?? .unspecified
      $0.etag = etag
      $0.configuration = configuration.proto
      $0.resolvedConfiguration = resolved.proto
      $0.configRevision = revision
      $0.hardwareCost = cost.hardware
      $0.systemPressureCost = cost.systemPressure
      $0.costComponents = cost.components.map(\.proto)
      $0.outputCapabilities = resolved.outputs.map(resolved.capabilities)
      $0.appliedAdaptationSteps = adaptationSteps.map(\.proto)
      $0.onDemand = isOnDemand
      $0.inputStatus = inputStatus.map(\.proto)
    }
  }
}

extension InputStatus {
  fileprivate var proto: Firstlight_V1_InputStatus {
    .with {
      $0.input = input
      if !deviceID.isEmpty { $0.device = "devices/\(deviceID)" }
      $0.state = status.state.proto
      $0.interruptionReason = status.interruption?.proto ?? .unspecified
      if let error { $0.error = error.status }
    }
  }
}

extension AudioLoss.Cause {
  fileprivate var proto: Firstlight_V1_AudioLost.Cause {
    switch self {
    case .overrun: .overrun
    case .suspended: .suspended
    }
  }
}

extension SessionState {
  var proto: Firstlight_V1_Session.State {
    switch self {
    case .stopped: .stopped
    case .starting: .starting
    case .running: .running
    case .stopping: .stopping
    case .interrupted: .interrupted
    }
  }
}

extension InterruptionReason {
  var proto: Firstlight_V1_InterruptionReason {
    switch self {
    case .deviceDisconnected: .deviceDisconnected
    case .deviceInUse: .deviceInUse
    case .systemPressure: .systemPressure
    case .deviceStalled: .deviceStalled
    case .systemSuspend: .systemSuspend
    }
  }
}

extension CaptureError {
  /// The error as a status inside of a response or an event, with the details that a failed call would have.
  var status: Google_Rpc_Status { ErrorMapping.rpcError([self]).status(domain: ErrorMapping.domain) }
}

extension EventLog.Entry where Payload == SessionEvent {
  /// The event as clients get it.
  ///
  /// - Parameter eventID: the ID of the event in the session's log.
  func proto(eventID: String) -> Firstlight_V1_SessionEvent {
    .with {
      $0.eventID = eventID
      $0.eventTime = .init(time)
      switch payload {
      case .stateChanged(let status):
        $0.stateChanged = .with { $0.sessionState = status.state.proto }
      case .configurationCommitted(let etag, let revision, let reconfigured):
        $0.configurationCommitted = .with {
          $0.etag = etag
          $0.configRevision = revision
          $0.reconfigured = reconfigured
        }
      case .wasInterrupted(let reason, let error, let input):
        $0.wasInterrupted = .with {
          $0.interruptionReason = reason.proto
          $0.error = error.status
          $0.input = input
        }
      case .interruptionEnded(let streamID, let input):
        $0.interruptionEnded = .with {
          $0.streamID = streamID
          $0.input = input
        }
      case .runtimeError(let error, let input):
        $0.runtimeError = .with {
          $0.error = error.status
          $0.input = input ?? ""
        }
      case .willRunDeferredStart(let outputs):
        $0.willRunDeferredStart = .with { $0.outputIds = outputs }
      case .didRunDeferredStart(let outputs):
        $0.didRunDeferredStart = .with { $0.outputIds = outputs }
      case .launchTimeline(let timeline):
        $0.launchTimeline = timeline.proto
      case .adaptationApplied(let step, let level, let causes, let input):
        $0.adaptationApplied = .with {
          $0.adaptationStep = step.proto
          $0.level = level.proto
          $0.causes = causes.map(\.proto)
          $0.input = input
        }
      case .adaptationUndone(let step, let level, let causes, let input):
        $0.adaptationUndone = .with {
          $0.adaptationStep = step.proto
          $0.level = level.proto
          $0.causes = causes.map(\.proto)
          $0.input = input
        }
      case .stillCapture(true, let input): $0.stillCaptureStarted = .with { $0.input = input }
      case .stillCapture(false, let input): $0.stillCaptureFinished = .with { $0.input = input }
      case .streamChanged(let streamID, let gap, let input):
        $0.streamChanged = .with {
          $0.input = input
          $0.streamID = streamID
          $0.gap = .init(nanoseconds: Int64(clamping: gap))
        }
      case .inputChanged(let status):
        $0.inputChanged = .with { $0.inputStatus = status.proto }
      case .audioLost(let input, let loss):
        $0.audioLost = .with {
          $0.input = input
          $0.lossCause = loss.cause.proto
          $0.monotonicTimeNs = loss.time.nanoseconds
          $0.lostDuration = .init(nanoseconds: Int64(clamping: loss.nanoseconds))
        }
      case .reconfigurationStarted: $0.reconfigurationStarted = .init()
      case .reconfigurationFinished(let revision):
        $0.reconfigurationFinished = .with { $0.configRevision = revision }
      case .costChanged(let cost):
        $0.costChanged = .with {
          $0.hardwareCost = cost.hardware
          $0.systemPressureCost = cost.systemPressure
          $0.costComponents = cost.components.map(\.proto)
        }
      }
    }
  }
}

extension LaunchTimeline {
  var proto: Firstlight_V1_LaunchTimeline {
    .with {
      if let processStart { $0.processStartNs = processStart.nanoseconds }
      if let serverReady { $0.serverReadyNs = serverReady.nanoseconds }
      if let sessionCreated { $0.sessionCreatedNs = sessionCreated.nanoseconds }
      if let configurationCommitted { $0.configurationCommittedNs = configurationCommitted.nanoseconds }
      if let startRequested { $0.startRequestedNs = startRequested.nanoseconds }
      if let startReturned { $0.startReturnedNs = startReturned.nanoseconds }
      if let firstFrame {
        $0.firstFrameCapturedNs = firstFrame.captured.nanoseconds
        $0.streamID = firstFrame.streamID
      }
      if let firstFrameSent { $0.firstFrameSentNs = firstFrameSent.nanoseconds }
      if let settled = firstSettledFrame {
        $0.firstSettledFrameCapturedNs = settled.captured.nanoseconds
        $0.firstSettledSequence = settled.sequence
      }
      if let begin = deferredStart.begin { $0.deferredStartBeginNs = begin.nanoseconds }
      if let end = deferredStart.end { $0.deferredStartEndNs = end.nanoseconds }
      $0.cameraTimelines = cameras.sorted { $0.key < $1.key }.map { id, camera in
        .with {
          $0.input = id
          if let requested = camera.requested { $0.startRequestedNs = requested.nanoseconds }
          if let begin = camera.start.begin { $0.initBeginNs = begin.nanoseconds }
          if let end = camera.start.end { $0.initEndNs = end.nanoseconds }
          if let frame = camera.firstFrame {
            $0.firstFrameCapturedNs = frame.captured.nanoseconds
            $0.streamID = frame.streamID
          }
        }
      }
      $0.outputs = outputs.sorted { $0.key < $1.key }.map { id, preparation in
        .with {
          $0.output = id
          if let begin = preparation.begin { $0.initBeginNs = begin.nanoseconds }
          if let end = preparation.end { $0.initEndNs = end.nanoseconds }
        }
      }
    }
  }
}

extension AdaptationStep {
  var proto: Firstlight_V1_AdaptationStep {
    .with {
      $0.level = level.proto
      switch limit {
      case .previewSide(let side): $0.previewSidePixels = UInt32(side)
      case .previewQuality(let quality): $0.previewJpegQuality = UInt32(quality)
      case .previewRate(let rate): $0.previewFrameRate = rate.proto
      case .ringWindow(let window): $0.zeroShutterLagWindow = .init(nanoseconds: Int64(clamping: window))
      case .fusedFrames(let count): $0.fusedFrames = UInt32(count)
      case .deviceRate(let rate): $0.deviceFrameRate = rate.proto
      }
    }
  }
}

extension AdaptationPolicy {
  init(_ proto: Firstlight_V1_AdaptationPolicy) throws(CaptureError) {
    switch proto {
    case .unspecified, .client: self = .client
    case .server: self = .server
    case .UNRECOGNIZED(let value): throw Validation.unknownEnum(value, field: "configuration.adaptation_policy")
    }
  }

  var proto: Firstlight_V1_AdaptationPolicy {
    switch self {
    case .client: .client
    case .server: .server
    }
  }
}
