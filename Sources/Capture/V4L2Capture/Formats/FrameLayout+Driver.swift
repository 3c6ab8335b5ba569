internal import CV4L2
internal import CaptureCore

extension FrameLayout {
  /// The layout of the frames that the daemon makes from pictures in the format `driver`. The frames keep the driver's
  /// line strides, and their planes lie one after the other.
  ///
  /// - Returns: nil for a format that a layout cannot describe: separate fields, lines shorter than the lines of a
  ///   picture, or an odd width or height where libv4lconvert is needed (the library halves chroma without rounding).
  init?(_ driver: DriverFormat, _ delivery: FrameAssembly) {
    guard driver.orderOfFieldsApart == nil else { return nil }
    let format = delivery.publishedFormat(of: driver.pixelFormat)
    let colour = Colorimetry(driver, delivery)
    guard
      let packed = FrameLayout.packed(
        format, driver.size, range: colour.range, matrix: colour.matrix, transfer: colour.transfer),
      let bufferCount = driver.planes.isEmpty ? nil : driver.planes.count
    else { return nil }
    self = packed
    switch delivery {
    case .jpeg:
      break
    case .converted:
      guard driver.size.width % 2 == 0, driver.size.height % 2 == 0 else { return nil }
    case .copied:
      setStrides(packed.planes.indices.map { Self.stride(of: $0, driver.planes[0].bytesPerLine, format) })
    case .joined:
      guard bufferCount >= packed.planes.count else { return nil }
      setStrides(packed.planes.indices.map { driver.planes[$0].bytesPerLine })
    }
    for (plane, least) in zip(planes, packed.planes) where plane.stride < least.stride { return nil }
  }

  /// The least number of bytes that a whole plane has. A driver may leave out the padding of the last line.
  func leastByteCount(ofPlane index: Int) -> Int {
    let plane = planes[index]
    let lineBytes = FrameLayout.packed(pixelFormat, size)?.planes[index].stride ?? plane.stride
    return plane.stride * (plane.rows - 1) + lineBytes
  }

  /// The stride of a plane in bytes. For a contiguous planar format, V4L2 gives only the stride of the luma plane; the
  /// strides of the other planes follow from the subsampling.
  private static func stride(of plane: Int, _ bytesPerLine: Int, _ format: PixelFormat) -> Int {
    switch format {
    case .yuv420, .yvu420, .yuv422p: plane == 0 ? bytesPerLine : (bytesPerLine + 1) / 2
    case .nv12, .nv21, .p010: plane == 0 ? bytesPerLine : (bytesPerLine + 1) & ~1
    default: bytesPerLine
    }
  }

  /// Sets the stride of each plane, and places the planes one after the other. A stride of 0 means that the driver gave
  /// none; the plane then keeps the stride without padding.
  private mutating func setStrides(_ strides: [Int]) {
    var offset = 0
    for index in planes.indices {
      if strides[index] > 0 { planes[index].stride = strides[index] }
      planes[index].offset = offset
      offset += planes[index].stride * planes[index].rows
    }
  }
}
