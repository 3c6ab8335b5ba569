internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import PhotoCapture
internal import FrameDelivery
internal import SwiftProtobuf

extension ServerFacts {
  /// Describes the encodings that this machine can make, as far as the daemon knows without loading a codec.
  func describeEncodings(_ info: inout Firstlight_V1_ServerInfo) {
    info.videoEncoders = PreviewEncoding.videoEncoders(usingHardware: usesHardwareEncoders).map { encoder in
      .with {
        $0.encoding = .h264
        $0.name = encoder.name
        $0.hardware = encoder.isHardware
      }
    }
    info.previewEncodings = [.jpeg] + (info.videoEncoders.isEmpty ? [] : [.h264]) + [.uncompressed]
    info.photoEncodings = PhotoEncoding.available.map(\.proto)
  }

  /// The limits of the daemon, as GetServerInfo tells them.
  var limits: Firstlight_V1_ServerLimits {
    .with {
      $0.maxRequestBytes = UInt64(server.maximumRequestBytes)
      $0.maxSmallRequestBytes = UInt64(server.maximumSmallRequestBytes)
      $0.maxConnections = UInt32(server.maximumConnections)
      $0.maxConnectionsPerAddress = UInt32(server.maximumConnectionsPerAddress)
      $0.maxCalls = UInt32(server.maximumCalls)
      $0.maxCallsPerSecond = UInt32(server.maximumCallsPerSecond)
      $0.maxSessions = UInt32(SessionRegistry.maximumSessions)
      $0.maxPreviewOutputs = UInt32(1 + SessionConfiguration.maximumAdditionalPreviews)
      $0.maxMovieOutputs = UInt32(1 + SessionConfiguration.maximumAdditionalMovies)
      $0.maxVideoDataOutputs = UInt32(SessionConfiguration.maximumVideoData)
      $0.maxPreviewReaders = UInt32(PreviewOutput.maxReaders)
      $0.maxPreviewEncodings = UInt32(PreviewOutput.maxEncodings)
      $0.maxVideoDataReaders = UInt32(VideoDataOutput.maxReaders)
      $0.maxWaitingCaptures = UInt32(PhotoOutput.maxPending)
      $0.maxCaptureWatchers = UInt32(PhotoOutput.maxWatchers)
      $0.maxKeptCaptures = UInt32(CaptureStore.maxKept)
      $0.maxCallsPerConnection = UInt32(server.maximumCallsPerConnection)
      $0.maxKeptEvents = UInt32(EventLogCapacity.standard)
    }
  }
}
