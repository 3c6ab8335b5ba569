internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import SwiftProtobuf

extension SessionConfiguration.Preview {
  init(_ proto: Firstlight_V1_PreviewOutput, path: String) throws(CaptureError) {
    self.init(
      id: try outputID(proto.id, field: "\(path).id"),
      deferredStart: proto.hasDeferredStartEnabled ? proto.deferredStartEnabled : nil)
  }

  var proto: Firstlight_V1_PreviewOutput {
    .with {
      $0.id = id ?? ""
      if let deferredStart { $0.deferredStartEnabled = deferredStart }
    }
  }
}

extension SessionConfiguration.VideoData {
  init(_ proto: Firstlight_V1_VideoDataOutput, path: String) throws(CaptureError) {
    self.init(
      id: try outputID(proto.id, field: "\(path).id"),
      deferredStart: proto.hasDeferredStartEnabled ? proto.deferredStartEnabled : nil,
      pixelFormat: proto.pixelFormat.isEmpty ? nil : proto.pixelFormat,
      range: try FrameLayout.Range(proto.colorRange, field: "\(path).color_range"),
      alwaysDiscardsLateFrames: proto.hasAlwaysDiscardsLateVideoFrames ? proto.alwaysDiscardsLateVideoFrames : nil,
      maxQueueDepth: proto.hasMaxQueueDepth ? proto.maxQueueDepth : nil)
  }

  var proto: Firstlight_V1_VideoDataOutput {
    .with {
      $0.id = id ?? ""
      if let deferredStart { $0.deferredStartEnabled = deferredStart }
      $0.pixelFormat = pixelFormat ?? ""
      $0.colorRange = range?.proto ?? .unspecified
      if let alwaysDiscardsLateFrames { $0.alwaysDiscardsLateVideoFrames = alwaysDiscardsLateFrames }
      if let maxQueueDepth { $0.maxQueueDepth = maxQueueDepth }
    }
  }
}

extension SessionConfiguration.Connection {
  init(_ proto: Firstlight_V1_SessionConnection) {
    self.init(
      input: proto.input, output: proto.output, isEnabled: proto.hasEnabled ? proto.enabled : nil,
      isMirrored: proto.hasVideoMirrored ? proto.videoMirrored : nil,
      rotationAngle: proto.hasVideoRotationAngle ? proto.videoRotationAngle : nil)
  }

  var proto: Firstlight_V1_SessionConnection {
    .with {
      $0.input = input
      $0.output = output
      if let isEnabled { $0.enabled = isEnabled }
      if let isMirrored { $0.videoMirrored = isMirrored }
      if let rotationAngle { $0.videoRotationAngle = rotationAngle }
    }
  }
}

extension Connection {
  func proto(from input: String, to output: String) -> Firstlight_V1_SessionConnection {
    .with {
      $0.input = input
      $0.output = output
      $0.enabled = isEnabled
      $0.videoMirrored = orientation.isMirrored
      $0.videoRotationAngle = UInt32(orientation.rotation.rawValue)
    }
  }
}

extension ResolvedConfiguration {
  /// Returns the capabilities of `output`, which must be one of ``outputs``.
  func capabilities(of output: Output) -> Firstlight_V1_OutputCapabilities {
    .with {
      $0.output = output.id
      $0.deferredStartSupported = true
      $0.videoOrientationSupported = output.supportsOrientation
      switch output.kind {
      case .preview: $0.previewCapabilities = .with { $0.toneMappingEnabled = camera(of: output)?.mapsTones ?? false }
      case .videoData(let data):
        $0.videoDataCapabilities = .with { $0.availablePixelFormats = data.availableFormats.map(\.fourCC) }
      case .photo(let photo): $0.photoCapabilities = capabilities(photo)
      case .movie(let movie): $0.movieCapabilities = movie.capabilities
      }
    }
  }
}

extension ResolvedConfiguration.Output {
  func proto(_ data: ResolvedConfiguration.VideoData) -> Firstlight_V1_VideoDataOutput {
    .with {
      $0.id = id
      $0.deferredStartEnabled = deferredStart
      $0.pixelFormat = data.format?.fourCC ?? ""
      $0.colorRange = data.range?.proto ?? .unspecified
      $0.alwaysDiscardsLateVideoFrames = data.queueDepth == nil
      if let queueDepth = data.queueDepth { $0.maxQueueDepth = UInt32(queueDepth) }
    }
  }
}
