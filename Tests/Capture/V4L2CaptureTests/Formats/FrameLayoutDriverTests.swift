import CV4L2
import CaptureCore
import Testing

@testable import V4L2Capture

/// The layout of frames that follows from the format that the driver confirmed.
@Suite struct FrameLayoutDriverTests {
  private let size = Size(width: 64, height: 48)

  private func driver(_ format: PixelFormat, strides: Int...) -> DriverFormat {
    DriverFormat(
      pixelFormat: format, size: size, planes: strides.map { .init(bytesPerLine: $0, sizeImage: $0 * 48) })
  }

  /// The last line of a picture needs no padding, so a buffer may be shorter than stride times lines.
  @Test func theDriversStrideIsKept() throws {
    let layout = try #require(FrameLayout(driver(.yuyv, strides: 160), .copied))
    #expect(layout.planes == [.init(offset: 0, stride: 160, rows: 48)])
    #expect(layout.leastByteCount(ofPlane: 0) == 160 * 47 + 128)
  }

  /// In one buffer, the chroma planes follow the luma plane, with strides that derive from the stride of luma.
  @Test func chromaFollowsLuma() throws {
    let planar = try #require(FrameLayout(driver(.yuv420, strides: 80), .copied))
    #expect(
      planar.planes == [
        .init(offset: 0, stride: 80, rows: 48), .init(offset: 3840, stride: 40, rows: 24),
        .init(offset: 4800, stride: 40, rows: 24),
      ])
    let semiPlanar = try #require(FrameLayout(driver(.nv12, strides: 80), .copied))
    #expect(
      semiPlanar.planes == [.init(offset: 0, stride: 80, rows: 48), .init(offset: 3840, stride: 80, rows: 24)])
  }

  /// A sample of P010 takes two bytes, so a stride below twice the width gives no layout.
  @Test func tenBitsTakeTwoBytes() throws {
    let layout = try #require(FrameLayout(driver(.p010, strides: 144), .copied))
    #expect(
      layout.planes == [.init(offset: 0, stride: 144, rows: 48), .init(offset: 6912, stride: 144, rows: 24)])
    #expect(FrameLayout(driver(.p010, strides: 64), .copied) == nil)
  }

  /// The samples of 16 bits of wide grey keep the driver's stride. A stride below twice the width gives no layout.
  @Test(arguments: [PixelFormat.y10, .y12, .y14, .y16, .y16BE])
  func wideGreyKeepsTheDriversStride(_ format: PixelFormat) throws {
    #expect(FrameAssembly(format) == .copied)
    let layout = try #require(FrameLayout(driver(format, strides: 192), .copied))
    #expect(layout.pixelFormat == format)
    #expect(layout.planes == [.init(offset: 0, stride: 192, rows: 48)])
    #expect(layout.leastByteCount(ofPlane: 0) == 192 * 47 + 128)
    #expect(FrameLayout(driver(format, strides: 0), .copied)?.planes[0].stride == 128)
    #expect(FrameLayout(driver(format, strides: 126), .copied) == nil)
    #expect(FrameLayout(driver(format, strides: 129), .copied)?.planes[0].stride == 129)
  }

  /// Planes in separate buffers are joined in one memory, each with the stride that the driver gave it.
  @Test func joinedPlanesKeepTheirOwnStrides() throws {
    let layout = try #require(
      FrameLayout(driver(PixelFormat(fourCC: "YM12")!, strides: 64, 48, 48), .joined(.yuv420)))
    #expect(layout.pixelFormat == .yuv420)
    #expect(
      layout.planes == [
        .init(offset: 0, stride: 64, rows: 48), .init(offset: 3072, stride: 48, rows: 24),
        .init(offset: 4224, stride: 48, rows: 24),
      ])
  }

  /// A driver that leaves the stride open delivers lines without padding.
  @Test func aStrideOfZeroMeansPackedLines() throws {
    #expect(try #require(FrameLayout(driver(.grey, strides: 0), .copied)).planes[0].stride == 64)
  }

  /// A stride that is too short, a missing plane, alternating fields, and an odd height of a format that is converted
  /// give no layout.
  @Test func formatsWithoutALayoutAreRefused() {
    #expect(FrameLayout(driver(.yuyv, strides: 100), .copied) == nil)
    #expect(FrameLayout(driver(PixelFormat(fourCC: "NM12")!, strides: 64), .joined(.nv12)) == nil)
    var fields = driver(.yuyv, strides: 128)
    fields.field = V4L2_FIELD_ALTERNATE.rawValue
    #expect(FrameLayout(fields, .copied) == nil)
    var odd = driver(PixelFormat(fourCC: "RGBP")!, strides: 128)
    odd.size.height = 47
    #expect(FrameLayout(odd, .converted) == nil)
  }

  /// A JPEG frame has no planes, and JPEG is full range.
  @Test func compressedFramesHaveNoPlanes() throws {
    let layout = try #require(FrameLayout(driver(.mjpeg, strides: 0), .jpeg))
    #expect(layout.planes.isEmpty)
    #expect(layout.range == .full)
  }
}

/// The colour description that follows from what the driver says about its format.
@Suite struct ColorimetryTests {
  private func colour(
    _ format: PixelFormat, _ colorspace: v4l2_colorspace, _ delivery: FrameAssembly = .copied,
    encoding: UInt32 = 0, quantization: UInt32 = 0, transfer: UInt32 = 0
  ) -> Colorimetry {
    var driver = DriverFormat(pixelFormat: format, size: Size(width: 2, height: 2), planes: [])
    driver.colorspace = colorspace.rawValue
    driver.encoding = encoding
    driver.quantization = quantization
    driver.transfer = transfer
    return Colorimetry(driver, delivery)
  }

  /// A driver may leave encoding and quantization at their defaults, which V4L2 defines for each colorspace.
  @Test func defaultsFollowTheColorspace() {
    #expect(colour(.yuyv, V4L2_COLORSPACE_SRGB) == Colorimetry(range: .limited, matrix: .bt601))
    #expect(colour(.yuyv, V4L2_COLORSPACE_REC709) == Colorimetry(range: .limited, matrix: .bt709))
    #expect(colour(.yuyv, V4L2_COLORSPACE_JPEG) == Colorimetry(range: .full, matrix: .bt601))
    #expect(colour(.rgb24, V4L2_COLORSPACE_SRGB).range == .full)
  }

  /// An encoding and a quantization that the driver names override the defaults of the colorspace.
  @Test func theDriversValuesOverrideTheDefaults() {
    let told = colour(
      .yuyv, V4L2_COLORSPACE_REC709, encoding: V4L2_YCBCR_ENC_601.rawValue,
      quantization: V4L2_QUANTIZATION_FULL_RANGE.rawValue)
    #expect(told == Colorimetry(range: .full, matrix: .bt601))
    // videodev2.h: "sYCC (Y'CbCr encoding of sRGB), identical to ENC_601."
    let deprecated = colour(.yuyv, V4L2_COLORSPACE_REC709, encoding: V4L2_YCBCR_ENC_SYCC.rawValue)
    #expect(deprecated == Colorimetry(range: .limited, matrix: .bt601))
    #expect(colour(.yuyv, V4L2_COLORSPACE_JPEG, quantization: V4L2_QUANTIZATION_LIM_RANGE.rawValue).range == .limited)
  }

  /// The transfer function for high dynamic range and the matrix of BT.2020 come from the driver. JPEG pictures keep
  /// their own colour description.
  @Test func highDynamicRangeIsDescribed() {
    let pq = V4L2_XFER_FUNC_SMPTE2084.rawValue
    #expect(
      colour(.p010, V4L2_COLORSPACE_BT2020, transfer: pq)
        == Colorimetry(range: .limited, matrix: .bt2020, transfer: .pq))
    #expect(
      colour(.yuyv, V4L2_COLORSPACE_REC709, transfer: pq) == Colorimetry(range: .limited, matrix: .bt709, transfer: .pq)
    )
    #expect(colour(.nv12, V4L2_COLORSPACE_BT2020) == Colorimetry(range: .limited, matrix: .bt2020))
    #expect(
      colour(.nv12, V4L2_COLORSPACE_REC709, encoding: V4L2_YCBCR_ENC_BT2020.rawValue).matrix == .bt2020)
    #expect(colour(.mjpeg, V4L2_COLORSPACE_BT2020, .jpeg, transfer: pq) == Colorimetry(range: .full, matrix: .bt601))
  }

  /// Measured values are no colours, whatever the driver says of them.
  @Test func wideGreyHasNoColours() {
    let told = colour(
      .y16, V4L2_COLORSPACE_BT2020, quantization: V4L2_QUANTIZATION_LIM_RANGE.rawValue,
      transfer: V4L2_XFER_FUNC_SMPTE2084.rawValue)
    #expect(told == Colorimetry(range: .full, matrix: .bt601))
  }

  /// JPEG pictures are full range with the matrix of BT.601, as JFIF says, whatever the driver says.
  @Test func jpegIsJFIF() {
    #expect(colour(.mjpeg, V4L2_COLORSPACE_REC709, .jpeg) == Colorimetry(range: .full, matrix: .bt601))
  }

  /// RGB becomes YUV of limited range with the matrix of BT.601. A conversion between YUV formats keeps the matrix.
  @Test func conversionFromRGBGivesLimitedRange() {
    let rgb = colour(PixelFormat(fourCC: "RGBP")!, V4L2_COLORSPACE_REC709, .converted)
    #expect(rgb == Colorimetry(range: .limited, matrix: .bt601))
    let yuv = colour(PixelFormat(fourCC: "YVYU")!, V4L2_COLORSPACE_REC709, .converted)
    #expect(yuv == Colorimetry(range: .limited, matrix: .bt709))
  }
}
