internal import CaptureCore
internal import FirstlightAPI
internal import FrameDelivery
internal import SwiftProtobuf
internal import SystemClocks
internal import SystemPressure

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
  /// The frame as clients get it, with all fields except `data`.
  ///
  /// - Parameters:
  ///   - dropped: the frames that the reader did not get since its previous frame.
  ///   - temperature: the warmest thermal zone, in thousandths of a degree Celsius; nil on a machine without a reading.
  func videoData(dropped: DropCounts, temperature: Int?) -> Firstlight_V1_VideoDataFrame {
    .with {
      $0.input = input
      $0.streamID = frame.streamID
      $0.sequence = frame.sequence
      $0.captureTime = .init(frame.time.wall)
      $0.monotonicTimeNs = frame.time.monotonic.nanoseconds
      $0.timestampSource = frame.time.source.proto
      $0.width = UInt32(frame.layout.size.width)
      $0.height = UInt32(frame.layout.size.height)
      $0.encoding = frame.layout.pixelFormat.encoding
      $0.pixelFormat = frame.layout.pixelFormat.fourCC
      $0.keyFrame = [.uncompressed, .jpeg].contains(frame.layout.pixelFormat.encoding)
      $0.dropped = dropped.proto
      $0.configRevision = configRevision
      $0.planes = frame.layout.planes.map(\.proto)
      $0.sources = frame.layers.map(\.proto)
      let isYCbCr = frame.layout.pixelFormat.isYCbCr
      $0.colorRange = isYCbCr ? frame.layout.range.proto : .full
      if isYCbCr { $0.colorMatrix = frame.layout.matrix.proto }
      if frame.layout.pixelFormat.isJPEG { $0.colorMatrix = .bt601 }
      if frame.layout.transfer == .pq { $0.colorTransfer = .pq }
      if let exposure = frame.sensor.exposureNanoseconds {
        $0.exposureDuration = .with {
          $0.seconds = Int64(exposure / 1_000_000_000)
          $0.nanos = Int32(exposure % 1_000_000_000)
        }
      }
      if let gain = frame.sensor.gain { $0.gain = gain }
      if let temperature { $0.temperatureMillidegrees = Int32(temperature) }
    }
  }
}

extension FrameLayout.Plane {
  var proto: Firstlight_V1_Plane {
    .with {
      $0.offset = UInt64(offset)
      $0.stride = UInt32(stride)
      $0.rows = UInt32(rows)
    }
  }
}

extension PressureReadings {
  /// The temperature of the warmest thermal zone, in thousandths of a degree Celsius. A temperature in doubt does not
  /// count. Nil when no other one could be read.
  var warmest: Int? { zones.lazy.filter { $0.doubt == nil }.compactMap(\.millidegrees).max() }
}
