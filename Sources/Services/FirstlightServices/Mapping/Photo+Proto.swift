internal import CaptureCore
internal import FirstlightAPI
internal import Imaging
internal import PhotoCapture
internal import SwiftProtobuf
internal import SystemClocks

extension Photo {
  /// All fields except `data`.
  var proto: Firstlight_V1_Photo {
    .with {
      $0.sequence = frame.sequence
      $0.streamID = frame.streamID
      $0.captureTime = .init(frame.time.wall)
      $0.monotonicTimeNs = frame.time.monotonic.nanoseconds
      $0.timestampSource = frame.time.source.proto
      $0.encoding = encoding.proto
      $0.width = UInt32(picture.layout.size.width)
      $0.height = UInt32(picture.layout.size.height)
      $0.zeroShutterLagUsed = selection.zeroShutterLagUsed
      if let lag = selection.shutterLagNanoseconds { $0.shutterLag = .init(nanoseconds: lag) }
      $0.frameMatch = selection.match.proto
      $0.byteCount = UInt64(byteCount)
      $0.configRevision = frame.configRevision
      if encoding == .uncompressed { $0.describe(picture.layout) }
      $0.requestReceiveToPin = .init(nanoseconds: Int64(clamping: phases.holdNanoseconds))
      $0.phases = phases.proto
      $0.fusedFrameCount = UInt32(fusedFrameCount)
      $0.qualityPrioritization = quality.proto
      if let fired = sensor.isFlashOn { $0.flashFired = fired }
      if let exposure = sensor.exposureNanoseconds {
        $0.exposureDuration = .init(nanoseconds: Int64(clamping: exposure))
      }
      if let gain = sensor.gain { $0.gain = gain }
      if let bias = sensor.exposureBias { $0.exposureBias = bias }
      if let bracketIndex { $0.bracketIndex = UInt32(bracketIndex) }
      $0.sources = frame.layers.map(\.proto)
      $0.input = frame.input
    }
  }

  /// All fields except `data`, and the note that `data` is missing.
  var omitted: Firstlight_V1_Photo {
    var proto = proto
    proto.dataOmitted = true
    return proto
  }
}

extension FrameMatch {
  fileprivate var proto: Firstlight_V1_FrameMatch {
    switch self {
    case .exact: .exact
    case .nearest: .nearest
    case .damaged: .damaged
    }
  }
}

extension PhotoPhases {
  fileprivate var proto: Firstlight_V1_PhotoPhases {
    .with {
      $0.captureBeginNs = captureBegin.nanoseconds
      $0.captureEndNs = captureEnd.nanoseconds
      $0.processBeginNs = processBegin.nanoseconds
      $0.processEndNs = processEnd.nanoseconds
      $0.encodeBeginNs = encodeBegin.nanoseconds
      $0.encodeEndNs = encodeEnd.nanoseconds
    }
  }
}
