internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import SwiftProtobuf
internal import SystemClocks

extension SessionConfiguration.Composition {
  /// Reads a composition. Numbers that no composition may have are refused when the configuration is resolved.
  ///
  /// - Throws: `invalidArgument` for a rate that is no fraction.
  init(_ proto: Firstlight_V1_Composition, path: String) throws(CaptureError) {
    self.init(
      size: Size(width: Int(proto.width), height: Int(proto.height)), layers: proto.layers.map(CompositionLayer.init))
    guard proto.hasFrameRate else { return }
    let rate = proto.frameRate
    guard rate.numerator > 0, rate.denominator > 0 else {
      throw CaptureError(
        .invalidArgument, "A frame rate's numerator and denominator are greater than 0.",
        metadata: ["frame_rate": "\(rate.numerator)/\(rate.denominator)"], field: "\(path).frame_rate")
    }
    frameRate = Rational(rate.numerator, rate.denominator)
  }

  var proto: Firstlight_V1_Composition {
    .with {
      $0.width = UInt32(size.width)
      $0.height = UInt32(size.height)
      if let frameRate { $0.frameRate = frameRate.proto }
      $0.layers = layers.map(\.proto)
    }
  }
}

extension CompositionLayout {
  /// The layout as clients get it in a resolved configuration.
  var proto: Firstlight_V1_Composition {
    SessionConfiguration.Composition(size: size, frameRate: frameRate, layers: layers).proto
  }
}

extension CompositionLayer {
  fileprivate init(_ proto: Firstlight_V1_CompositionLayer) {
    self.init(
      input: proto.input,
      rectangle: Rectangle(
        x: Int(proto.rect.left), y: Int(proto.rect.top),
        size: Size(width: Int(proto.rect.width), height: Int(proto.rect.height))),
      order: Int(proto.order), isMirrored: proto.mirrored, cornerRadius: Int(proto.cornerRadius))
  }

  fileprivate var proto: Firstlight_V1_CompositionLayer {
    .with {
      $0.input = input
      $0.rect.left = UInt32(rectangle.x)
      $0.rect.top = UInt32(rectangle.y)
      $0.rect.width = UInt32(rectangle.size.width)
      $0.rect.height = UInt32(rectangle.size.height)
      $0.order = Int32(order)
      $0.mirrored = isMirrored
      $0.cornerRadius = UInt32(cornerRadius)
    }
  }
}

extension ComposedLayer {
  /// What the layer shows, as clients get it with a frame or a photo.
  var proto: Firstlight_V1_LayerSource {
    .with {
      $0.input = input
      $0.stale = isStale
      guard let source else { return }
      $0.streamID = source.streamID
      $0.sequence = source.sequence
      $0.captureTime = .init(source.time.wall)
      $0.monotonicTimeNs = source.time.monotonic.nanoseconds
    }
  }
}
