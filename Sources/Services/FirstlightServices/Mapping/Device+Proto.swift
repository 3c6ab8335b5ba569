internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import SwiftProtobuf

extension Device {
  /// The device as clients get it.
  ///
  /// - Parameters:
  ///   - session: the id of the session that holds the device; nil when none does, and in events, which leave it out.
  ///   - controls: the device's controls; empty in lists and events, which leave them out.
  func proto(session: String? = nil, controls: [Control] = []) -> Firstlight_V1_Device {
    .with {
      $0.name = "devices/\(id)"
      $0.displayName = displayName
      $0.deviceType = type.proto
      $0.position = position.proto
      $0.mediaType = .video
      $0.driver = driver
      $0.location = location
      $0.formats = formats.map(\.proto)
      $0.controls = controls.map(\.proto)
      $0.label = label
      $0.mountingRotation = UInt32(mountingRotation.rawValue)
      $0.session = session.map { "sessions/\($0)" } ?? ""
      if let unavailable { $0.unavailable = unavailable.status }
    }
  }
}

extension DeviceType {
  var proto: Firstlight_V1_DeviceType {
    switch self {
    case .builtInWideAngle: .builtInWideAngle
    case .external: .external
    case .synthetic: .synthetic
    case .microphone: .microphone
    }
  }

  init(_ proto: Firstlight_V1_DeviceType, field: String) throws(CaptureError) {
    switch proto {
    case .builtInWideAngle: self = .builtInWideAngle
    case .external: self = .external
    case .synthetic: self = .synthetic
    case .microphone: self = .microphone
    case .unspecified, .UNRECOGNIZED: throw Validation.unknownEnum(proto.rawValue, field: field)
    }
  }
}

extension DevicePosition {
  var proto: Firstlight_V1_DevicePosition {
    switch self {
    case .unspecified: .unspecified
    case .front: .front
    case .back: .back
    }
  }
}

extension DeviceFormat {
  var proto: Firstlight_V1_DeviceFormat {
    .with {
      $0.pixelFormat = pixelFormat.fourCC
      $0.description_p = description
      switch frameSize {
      case .discrete(let size): $0.size = size.proto
      case .range(let range):
        $0.sizeRange = .with {
          $0.minimumSize = range.minimum.proto
          $0.maximumSize = range.maximum.proto
          $0.stepSize = range.step.proto
        }
      }
      switch frameDurations {
      case .discrete(let durations): $0.frameRates = durations.map(\.reciprocal.proto)
      case .range(let shortest, let longest, let step):
        $0.frameRateRange = .with {
          $0.lowest = longest.reciprocal.proto
          $0.highest = shortest.reciprocal.proto
          if let step { $0.frameDurationStep = step.proto }
        }
      }
      if let isBinned { $0.binned = isBinned }
      $0.convertedPixelFormat = convertedTo?.fourCC ?? ""
      $0.highestPhotoQualitySupported = supportsHighestPhotoQuality
    }
  }
}

extension Size {
  init(_ proto: Firstlight_V1_Size) { self.init(width: Int(proto.width), height: Int(proto.height)) }

  var proto: Firstlight_V1_Size {
    .with {
      $0.width = UInt32(width)
      $0.height = UInt32(height)
    }
  }
}

extension Rational {
  init(_ proto: Firstlight_V1_Rational) { self.init(proto.numerator, proto.denominator) }

  var proto: Firstlight_V1_Rational {
    .with {
      $0.numerator = numerator
      $0.denominator = denominator
    }
  }
}

extension DropCounts {
  var proto: Firstlight_V1_DropCounts {
    .with {
      $0.late = late
      $0.outOfBuffers = outOfBuffers
      $0.discontinuity = discontinuity
      $0.damaged = damaged
    }
  }
}

extension DeviceChange.Kind {
  var proto: Firstlight_V1_DeviceEvent.Kind {
    switch self {
    case .connected: .connected
    case .disconnected: .disconnected
    case .changed: .changed
    }
  }
}

extension FormatQuery {
  /// Reads a query from a request.
  ///
  /// - Throws: `invalidArgument` for a size, a frame rate or a pixel format that no format can have.
  init(_ proto: Firstlight_V1_FormatQuery) throws(CaptureError) {
    self.init()
    if proto.hasSize {
      guard proto.size.width > 0, proto.size.height > 0 else {
        throw Self.malformed("size", "\(proto.size.width)x\(proto.size.height)", "both sides must be above 0")
      }
      size = Size(width: Int(proto.size.width), height: Int(proto.size.height))
    }
    if proto.hasFrameRate {
      let rate = Rational(proto.frameRate)
      guard rate.value > 0 else { throw Self.malformed("frame_rate", "\(rate)", "it must be above 0") }
      frameRate = rate
    }
    if !proto.pixelFormat.isEmpty {
      guard let format = PixelFormat(fourCC: proto.pixelFormat) else {
        throw Self.malformed("pixel_format", String(proto.pixelFormat.prefix(40)), "it is a four-character code")
      }
      pixelFormat = format
    }
  }

  private static func malformed(_ field: String, _ value: String, _ rule: String) -> CaptureError {
    CaptureError(
      .invalidArgument, "No format has a \(field) of \(value): \(rule).", metadata: [field: value],
      field: "format_query.\(field)")
  }
}

extension StreamRequest {
  /// The request as the best match of the client's query among the formats of `device`.
  func proto(on device: Device) -> Firstlight_V1_FormatMatch {
    .with {
      $0.device = "devices/\(device.id)"
      $0.pixelFormat = pixelFormat.fourCC
      $0.size = size.proto
      $0.frameRate = frameRate.proto
    }
  }
}

extension Microphone {
  /// The microphone as clients get it.
  ///
  /// - Parameter session: the id of the session that holds it; nil when none does, and in events, which leave it out.
  func proto(session: String? = nil) -> Firstlight_V1_Device {
    .with {
      $0.name = "devices/\(id)"
      $0.displayName = displayName
      $0.deviceType = type.proto
      $0.mediaType = .audio
      $0.driver = driver
      $0.location = location
      $0.label = label
      $0.session = session.map { "sessions/\($0)" } ?? ""
      if let unavailable {
        $0.unavailable = unavailable.status
      } else {
        $0.audioCapabilities = .with {
          $0.sampleRates = sampleRates.map(UInt32.init)
          $0.channelCounts = channelCounts.map(UInt32.init)
          $0.driverTimestamps = hasDriverStamps
        }
      }
    }
  }
}
