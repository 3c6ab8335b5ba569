internal import CaptureCore

/// Makes a picture look as if it had too little light: moves every pixel towards black and every colour towards grey.
struct Underexposure {
  private let luma: [UInt8]
  private let chroma: [UInt8]

  /// - Parameter brightness: the share of the light that is left, 0 to 1.
  init(brightness: Double) {
    luma = (0..<256).map { UInt8(min(255, 16 + max(0, Double($0) - 16) * brightness)) }
    chroma = (0..<256).map { UInt8(min(255, 128 + (Double($0) - 128) * brightness)) }
  }

  /// Darkens a picture in place.
  ///
  /// - Parameter layout: packed NV12 or YUYV.
  func apply(to picture: UnsafeMutablePointer<UInt8>, _ layout: FrameLayout) {
    let isPlanar = layout.pixelFormat == .nv12
    for (index, plane) in layout.planes.enumerated() {
      let bytes = picture + plane.offset
      let (even, odd) = isPlanar ? (index == 0 ? (luma, luma) : (chroma, chroma)) : (luma, chroma)
      even.withUnsafeBufferPointer { even in
        odd.withUnsafeBufferPointer { odd in
          var i = 0
          // A plain loop, which the optimiser turns into fast code (see ``SensorNoise``).
          while i &+ 1 < plane.rows &* plane.stride {
            bytes[i] = even[Int(bytes[i])]
            bytes[i &+ 1] = odd[Int(bytes[i &+ 1])]
            i &+= 2
          }
        }
      }
    }
  }
}
