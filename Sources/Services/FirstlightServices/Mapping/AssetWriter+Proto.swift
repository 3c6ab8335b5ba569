internal import CaptureCore
internal import FirstlightAPI
internal import MovieRecording
internal import SwiftProtobuf
internal import VideoCoding

extension AssetWriterState {
  /// The writer as clients get it.
  var proto: Firstlight_V1_AssetWriter {
    .with {
      $0.name = "writers/\(id)"
      switch status {
      case .unknown: $0.state = .unknown
      case .writing: $0.state = .writing
      case .completed: $0.state = .completed
      case .failed(let error): ($0.state, $0.error) = (.failed, error.status)
      case .cancelled: $0.state = .cancelled
      }
      $0.writerConfiguration = configuration.proto
      $0.sessionEnded = isSessionEnded
      $0.recordingName = recording.map { "recordings/\($0)" } ?? ""
      $0.writerInputs = inputs.map(\.proto)
    }
  }
}

extension WriterInput {
  fileprivate var proto: Firstlight_V1_WriterInput {
    .with {
      $0.input = id
      $0.readyForMoreMediaData = isReady
      $0.appendedSampleCount = appended
      $0.acknowledgedSampleCount = acknowledged
      $0.refusedSampleCount = refused
      $0.dropped = dropped.proto
    }
  }
}

extension WriterConfiguration {
  /// Reads the configuration that a client asks for. The caller checks it.
  ///
  /// - Throws: `invalidArgument` for a value that this version does not know, or that is no time or rate.
  init(_ proto: Firstlight_V1_WriterConfiguration) throws(CaptureError) {
    func at(_ field: String) -> String { "writer_configuration.\(field)" }
    let video = try Video(proto.videoInput)
    let audioCodec = try AudioCodec.reading(proto.audioCodec, field: at("audio_codec")) ?? .aac
    let hasSound = !proto.audioInputs.isEmpty
    self.init(
      container: try MovieContainer(
        proto.container, for: video.codec, hasSound ? audioCodec : nil, field: at("container")),
      video: video)
    file = proto.file
    self.audioCodec = audioCodec
    audio = proto.audioInputs.map { input in
      AudioConnection(
        input: input.input,
        format: AudioFormat(
          sampleRate: input.audioFormat.sampleRate == 0 ? 48_000 : Int(input.audioFormat.sampleRate),
          channelCount: input.audioFormat.channelCount == 0 ? 2 : Int(input.audioFormat.channelCount)))
    }
    if proto.hasAudioAverageBitRate { audioBitRate = Int(clamping: proto.audioAverageBitRate) }
    isRealTime = proto.expectsMediaDataInRealTime
    optimizesForNetworkUse = proto.shouldOptimizeForNetworkUse
    usesVideoStorage = proto.usesProVideoStorage
    if proto.hasFragmentInterval { fragmentInterval = proto.fragmentInterval.unsignedNanoseconds ?? .max }
    if proto.hasIdleTimeout { idleTimeout = proto.idleTimeout.unsignedNanoseconds ?? .max }
  }

  fileprivate var proto: Firstlight_V1_WriterConfiguration {
    .with {
      $0.file = file
      $0.container = container.proto
      $0.videoInput = video.proto
      $0.audioInputs = audio.map { track in
        .with {
          $0.input = track.input
          $0.audioFormat = track.format.proto
        }
      }
      $0.audioCodec = audioCodec.proto
      if let audioBitRate { $0.audioAverageBitRate = UInt64(audioBitRate) }
      $0.expectsMediaDataInRealTime = isRealTime
      $0.shouldOptimizeForNetworkUse = optimizesForNetworkUse
      $0.usesProVideoStorage = usesVideoStorage
      $0.fragmentInterval = .init(nanoseconds: Int64(clamping: fragmentInterval))
      $0.idleTimeout = .init(nanoseconds: Int64(clamping: idleTimeout))
    }
  }
}

extension WriterConfiguration.Video {
  fileprivate init(_ proto: Firstlight_V1_WriterVideoInput) throws(CaptureError) {
    func at(_ field: String) -> String { "writer_configuration.video_input.\(field)" }
    let size = Size(width: Int(proto.size.width), height: Int(proto.size.height))
    let format = PixelFormat(fourCC: proto.pixelFormat.isEmpty ? "NV12" : proto.pixelFormat)
    let range = try FrameLayout.Range(proto.colorRange, field: at("color_range")) ?? .limited
    let matrix: FrameLayout.Matrix
    switch proto.colorMatrix {
    case .unspecified, .bt601: matrix = .bt601
    case .bt709: matrix = .bt709
    default: throw Validation.unknownEnum(proto.colorMatrix.rawValue, field: at("color_matrix"))
    }
    // The size is checked here, because the layout multiplies its sides.
    guard let format, size.width <= 8192, size.height <= 8192,
      let layout = format == .h264
        ? FrameLayout(pixelFormat: format, size: size, planes: [], range: range, matrix: matrix)
        : FrameLayout.packed(
          format, size, range: format.isJPEG ? .full : range, matrix: format.isJPEG ? .bt601 : matrix)
    else {
      throw CaptureError(
        .unsupportedValue,
        "\(size) in \(proto.pixelFormat.prefix(40)) cannot be read; name JPEG, H264 or an uncompressed format such as "
          + "NV12, and a size up to 8,192 × 8,192.",
        metadata: ["pixel_format": String(proto.pixelFormat.prefix(40))], field: at("pixel_format"))
    }
    self.init(codec: try MovieCodec.reading(proto.codec, field: at("codec")) ?? .h264, layout: layout)
    if proto.hasFrameRate {
      guard proto.frameRate.numerator > 0, proto.frameRate.denominator > 0 else {
        throw CaptureError(
          .invalidArgument, "A frame rate has a numerator and a denominator above 0.", field: at("frame_rate"))
      }
      frameRate = Rational(proto.frameRate.numerator, proto.frameRate.denominator)
    }
    if proto.hasQuality { rate = .quality(Int(proto.quality)) }
    if proto.hasAverageBitRate { rate = .bitRate(Int(clamping: proto.averageBitRate)) }
  }

  fileprivate var proto: Firstlight_V1_WriterVideoInput {
    .with {
      $0.codec = codec.proto
      $0.size = layout.size.proto
      $0.frameRate = frameRate.proto
      switch rate {
      case .quality(let quality): $0.quality = UInt32(quality)
      case .bitRate(let rate): $0.averageBitRate = UInt64(rate)
      }
      $0.pixelFormat = layout.pixelFormat.fourCC
      if layout.pixelFormat.isYCbCr {
        $0.colorRange = layout.range.proto
        $0.colorMatrix = layout.matrix.proto
      }
    }
  }
}
