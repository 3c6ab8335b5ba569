public import CaptureCore
public import CaptureSessions
internal import FirstlightAPI
internal import PhotoCapture
internal import SwiftProtobuf

extension SessionConfiguration {
  /// Reads the configuration that a client asks for.
  ///
  /// - Throws: `invalidArgument` for values that are valid for no device.
  init(_ proto: Firstlight_V1_SessionConfiguration) throws(CaptureError) {
    self.init()
    for (index, input) in proto.inputs.enumerated() {
      inputs.append(try Input(input, path: "configuration.inputs[\(index)]"))
    }
    if proto.hasPreset { preset = try SessionPreset(proto.preset) }
    if proto.hasAutomaticallyRunsDeferredStart { automaticallyRunsDeferredStart = proto.automaticallyRunsDeferredStart }
    if proto.hasPreview { preview = try Preview(proto.preview, path: "configuration.preview") }
    if proto.hasPhoto { photo = try Photo(proto.photo) }
    connections = proto.connections.map(Connection.init)
    for (index, preview) in proto.additionalPreviews.enumerated() {
      additionalPreviews.append(try Preview(preview, path: "configuration.additional_previews[\(index)]"))
    }
    for (index, output) in proto.videoData.enumerated() {
      videoData.append(try VideoData(output, path: "configuration.video_data[\(index)]"))
    }
    if proto.hasMovie { movie = try Movie(proto.movie, path: "configuration.movie") }
    for (index, movie) in proto.additionalMovies.enumerated() {
      additionalMovies.append(try Movie(movie, path: "configuration.additional_movies[\(index)]"))
    }
    if proto.hasAdaptationPolicy { adaptationPolicy = try AdaptationPolicy(proto.adaptationPolicy) }
  }
}

/// Returns the id that a client gives to an output, or nil when `id` is empty because the client gives none.
///
/// - Parameter field: the request's field that contains the id.
/// - Throws: `invalidArgument` unless `id` has at most 63 printable ASCII characters, without `/` and spaces.
func outputID(_ id: String, field: String) throws(CaptureError) -> String? {
  guard id.utf8.count <= 63, id.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != 0x2f }) else {
    throw CaptureError(
      .invalidArgument, "An id is at most 63 printable ASCII characters without / and spaces.",
      metadata: ["id": String(id.prefix(80))], field: field)
  }
  return id.isEmpty ? nil : id
}

extension SessionConfiguration.Input {
  fileprivate init(_ proto: Firstlight_V1_SessionInput, path: String) throws(CaptureError) {
    self.init(
      id: try outputID(proto.id, field: "\(path).id"),
      deviceID: proto.hasComposition && proto.device.isEmpty
        ? "" : try ResourceName.id(in: proto.device, "devices", field: "\(path).device"))
    if proto.hasComposition { composition = try .init(proto.composition, path: "\(path).composition") }
    if proto.hasFormat {
      guard let pixelFormat = PixelFormat(fourCC: proto.format.pixelFormat) else {
        throw CaptureError(
          .invalidArgument, "A pixel format is a four-character code such as YUYV.",
          metadata: ["pixel_format": String(proto.format.pixelFormat.prefix(40))], field: "\(path).format.pixel_format")
      }
      guard (1...65536).contains(proto.format.width), (1...65536).contains(proto.format.height) else {
        throw CaptureError(
          .invalidArgument, "A format's width and height are from 1 to 65536.",
          metadata: ["width": "\(proto.format.width)", "height": "\(proto.format.height)"], field: "\(path).format")
      }
      format = .init(
        pixelFormat: pixelFormat, size: Size(width: Int(proto.format.width), height: Int(proto.format.height)))
    }
    if proto.hasFrameRateOverride {
      let rate = proto.frameRateOverride
      guard rate.numerator > 0, rate.denominator > 0 else {
        throw CaptureError(
          .invalidArgument, "A frame rate's numerator and denominator are greater than 0.",
          metadata: ["frame_rate": "\(rate.numerator)/\(rate.denominator)"], field: "\(path).frame_rate_override")
      }
      frameRate = Rational(rate.numerator, rate.denominator)
    }
    if proto.hasAudioFormat { audioFormat = .init(proto.audioFormat) }
    if proto.hasDeferredStartEnabled { deferredStart = proto.deferredStartEnabled }
  }

  fileprivate var proto: Firstlight_V1_SessionInput {
    .with {
      $0.id = id ?? ""
      if !deviceID.isEmpty { $0.device = "devices/\(deviceID)" }
      if let composition { $0.composition = composition.proto }
      if let format { $0.format = streamFormat(format.pixelFormat, format.size) }
      if let frameRate { $0.frameRateOverride = frameRate.proto }
      if let audioFormat { $0.audioFormat = audioFormat.proto }
      if let deferredStart { $0.deferredStartEnabled = deferredStart }
    }
  }
}

extension SessionConfiguration.PartialAudioFormat {
  fileprivate init(_ proto: Firstlight_V1_AudioFormat) {
    self.init(
      sampleRate: proto.sampleRate > 0 ? Int(proto.sampleRate) : nil,
      channelCount: proto.channelCount > 0 ? Int(proto.channelCount) : nil)
  }

  fileprivate var proto: Firstlight_V1_AudioFormat {
    .with {
      $0.sampleRate = UInt32(sampleRate ?? 0)
      $0.channelCount = UInt32(channelCount ?? 0)
    }
  }
}

extension AudioFormat {
  var proto: Firstlight_V1_AudioFormat {
    .with {
      $0.sampleRate = UInt32(sampleRate)
      $0.channelCount = UInt32(channelCount)
    }
  }
}

extension SessionConfiguration {
  /// The configuration as the client asked for it, without defaults.
  var proto: Firstlight_V1_SessionConfiguration {
    .with {
      $0.inputs = inputs.map(\.proto)
      if let preset { $0.preset = preset.proto }
      if let automaticallyRunsDeferredStart { $0.automaticallyRunsDeferredStart = automaticallyRunsDeferredStart }
      if let preview { $0.preview = preview.proto }
      if let photo { $0.photo = photo.proto }
      $0.connections = connections.map(\.proto)
      $0.additionalPreviews = additionalPreviews.map(\.proto)
      $0.videoData = videoData.map(\.proto)
      if let movie { $0.movie = movie.proto }
      $0.additionalMovies = additionalMovies.map(\.proto)
      if let adaptationPolicy { $0.adaptationPolicy = adaptationPolicy.proto }
    }
  }
}

extension ResolvedConfiguration {
  /// The resolved configuration as clients get it, with every default filled in.
  var proto: Firstlight_V1_SessionConfiguration {
    .with { proto in
      proto.inputs = inputs.map { input in
        .with {
          $0.id = input.id
          switch input.source {
          case .composed(let layout): $0.composition = layout.proto
          case .device(let device):
            $0.device = "devices/\(device)"
            $0.format = streamFormat(input.request.pixelFormat, input.request.size)
            $0.frameRateOverride = input.frameRate.proto
            $0.deferredStartEnabled = input.deferredStart
          }
        }
      }
      proto.inputs += microphones.map { microphone in
        .with {
          $0.id = microphone.id
          $0.device = "devices/\(microphone.deviceID)"
          $0.audioFormat = microphone.format.proto
        }
      }
      proto.preset = preset.proto
      proto.automaticallyRunsDeferredStart = automaticallyRunsDeferredStart
      proto.adaptationPolicy = adaptationPolicy.proto
      for output in outputs {
        proto.connections += output.constituents.map { $0.connection.proto(from: $0.input, to: output.id) }
        if output.constituents.isEmpty, let input = camera(of: output), let connection = output.connection {
          proto.connections.append(connection.proto(from: input.id, to: output.id))
        }
        proto.connections += output.microphones.map { microphone in
          .with {
            $0.input = microphone.input
            $0.output = output.id
            $0.enabled = microphone.isEnabled
          }
        }
        switch output.kind {
        case .preview(let isMain):
          let preview = SessionConfiguration.Preview(id: output.id, deferredStart: output.deferredStart).proto
          if isMain { proto.preview = preview } else { proto.additionalPreviews.append(preview) }
        case .videoData(let data): proto.videoData.append(output.proto(data))
        case .photo(let photo): proto.photo = photoOutput(photo, of: output)
        case .movie(let movie):
          let movieOutput = output.proto(movie)
          if movie.isMain { proto.movie = movieOutput } else { proto.additionalMovies.append(movieOutput) }
        }
      }
    }
  }
}

private func streamFormat(_ pixelFormat: PixelFormat, _ size: Size) -> Firstlight_V1_StreamFormat {
  .with {
    $0.pixelFormat = pixelFormat.fourCC
    $0.width = UInt32(size.width)
    $0.height = UInt32(size.height)
  }
}

extension SessionPreset {
  fileprivate init(_ proto: Firstlight_V1_SessionPreset) throws(CaptureError) {
    switch proto {
    case .unspecified, .high: self = .high
    case .photo: self = .photo
    case .medium: self = .medium
    case .low: self = .low
    case .hd720P: self = .hd720p
    case .hd1080P: self = .hd1080p
    case .hd4K: self = .hd4K
    case .inputPriority: self = .inputPriority
    case .UNRECOGNIZED(let value): throw Validation.unknownEnum(value, field: "configuration.preset")
    }
  }

  fileprivate var proto: Firstlight_V1_SessionPreset {
    switch self {
    case .high: .high
    case .photo: .photo
    case .medium: .medium
    case .low: .low
    case .hd720p: .hd720P
    case .hd1080p: .hd1080P
    case .hd4K: .hd4K
    case .inputPriority: .inputPriority
    }
  }
}

extension SessionConfiguration {
  /// Reads a configuration from JSON, in the proto3 JSON mapping of `firstlight.v1.SessionConfiguration`. The names of
  /// fields may be in snake_case or camelCase.
  ///
  /// - Throws: `invalidArgument` when `json` is not such a message, and for values that are valid for no device.
  public init(json: String) throws(CaptureError) {
    let message: Firstlight_V1_SessionConfiguration
    do { message = try Firstlight_V1_SessionConfiguration(jsonString: json) } catch {
      throw CaptureError(.invalidArgument, "it is not a SessionConfiguration (\(error))")
    }
    try self.init(message)
  }
}
