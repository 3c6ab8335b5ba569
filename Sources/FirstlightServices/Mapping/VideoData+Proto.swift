internal import CaptureCore
internal import FirstlightAPI
internal import Preview
internal import SwiftProtobuf

extension VideoDataRequest {
  init(_ proto: Firstlight_V1_StreamVideoDataRequest) {
    self.init(
      maxMessageBytes: Int(proto.hasMaxMessageBytes ? proto.maxMessageBytes : 4 << 20),
      maxUnacknowledgedFrames: Int(proto.maxUnacknowledgedFrames))
  }
}

extension VideoDataStatus {
  var proto: Firstlight_V1_VideoDataStatus {
    .with {
      $0.streamToken = token
      $0.sessionState = session.state.proto
      $0.interruptionReason = session.interruption?.proto ?? .unspecified
      if let size { $0.size = size.proto }
      $0.pixelFormat = pixelFormat?.fourCC ?? ""
    }
  }
}

extension CapturedFrame {
  /// Everything but `data`.
  func videoData(dropped: DropCounts) -> Firstlight_V1_VideoDataFrame {
    .with {
      $0.input = input
      $0.streamID = frame.streamID
      $0.sequence = frame.sequence
      $0.captureTime = .init(wallNanoseconds: frame.time.wallNanoseconds)
      $0.monotonicTimeNs = frame.time.monotonicNanoseconds
      $0.timestampSource = frame.time.source.proto
      $0.width = UInt32(frame.layout.size.width)
      $0.height = UInt32(frame.layout.size.height)
      $0.encoding = frame.layout.pixelFormat.fourCC
      $0.keyFrame = true
      $0.dropped = dropped.proto
      $0.configRevision = configRevision
      $0.planes = frame.layout.planes.map(\.proto)
    }
  }
}
