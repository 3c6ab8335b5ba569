internal import CV4L2
internal import CaptureCore

/// The driver's answer to a `v4l2_format`, from the single-planar or the multi-planar interface.
struct DriverFormat: Hashable {
  struct Plane: Hashable {
    /// Bytes from the start of one line to the start of the next; 0 for compressed formats.
    var bytesPerLine: Int
    /// Bytes that the driver reserves for the plane of one picture.
    var sizeImage: Int
  }

  var pixelFormat: PixelFormat
  var size: Size
  /// One element for each buffer that a picture consists of.
  var planes: [Plane]
  /// A `V4L2_FIELD_` value: how the driver stores interlaced pictures.
  var field: UInt32 = V4L2_FIELD_NONE.rawValue
  /// A `V4L2_COLORSPACE_` value; 0 means that the driver leaves the colour space at its default.
  var colorspace: UInt32 = 0
  /// A `V4L2_YCBCR_ENC_` value; 0 means the default of the colour space.
  var encoding: UInt32 = 0
  /// A `V4L2_QUANTIZATION_` value; 0 means the default of the colour space and the pixel format.
  var quantization: UInt32 = 0
  /// A `V4L2_XFER_FUNC_` value; 0 means the default of the colour space.
  var transfer: UInt32 = 0

  /// Asks the driver what `format` would give (VIDIOC_TRY_FMT), which changes nothing in the device.
  ///
  /// - Parameter size: the size to ask for; nil for the size that the device is set to.
  /// - Throws: the error of VIDIOC_TRY_FMT, or of VIDIOC_G_FMT when `size` is nil.
  init(
    trying format: PixelFormat, _ size: Size?, on node: VideoNode, _ interface: CaptureInterface
  ) throws(VideoNodeError) {
    var wanted = Self.empty(interface)
    if size == nil { try node.perform(.getFormat, &wanted) }
    Self.write(format, size, to: &wanted, interface)
    try node.perform(.tryFormat, &wanted)
    self.init(wanted, interface)
  }

  /// Asks the driver what the device is set to (VIDIOC_G_FMT).
  init(of node: VideoNode, _ interface: CaptureInterface) throws(VideoNodeError) {
    var present = Self.empty(interface)
    try node.perform(.getFormat, &present)
    self.init(present, interface)
  }

  /// Sets `format` and `size` (VIDIOC_S_FMT). The driver may choose another format and size.
  ///
  /// - Throws: the error of VIDIOC_S_FMT.
  init(
    setting format: PixelFormat, _ size: Size, on node: VideoNode, _ interface: CaptureInterface
  ) throws(VideoNodeError) {
    var wanted = Self.empty(interface)
    Self.write(format, size, to: &wanted, interface)
    try node.perform(.setFormat, &wanted)
    self.init(wanted, interface)
  }

  /// V4L2's name for the order of the two fields of an interlaced picture, where the driver gives them apart. Nil for
  /// any other order: a buffer then has whole pictures, or one field alone that counts as one.
  var orderOfFieldsApart: String? {
    switch v4l2_field(rawValue: field) {
    case V4L2_FIELD_SEQ_TB: "seq-tb"
    case V4L2_FIELD_SEQ_BT: "seq-bt"
    case V4L2_FIELD_ALTERNATE: "alternate"
    default: nil
    }
  }

  init(pixelFormat: PixelFormat, size: Size, planes: [Plane]) {
    self.pixelFormat = pixelFormat
    self.size = size
    self.planes = planes
  }

  private init(_ format: v4l2_format, _ interface: CaptureInterface) {
    switch interface {
    case .singlePlanar:
      let pix = format.fmt.pix
      self.init(
        pixelFormat: PixelFormat(rawValue: pix.pixelformat), size: Size(pix.width, pix.height),
        planes: [Plane(bytesPerLine: Int(pix.bytesperline), sizeImage: Int(pix.sizeimage))])
      (field, colorspace) = (pix.field, pix.colorspace)
      (encoding, quantization, transfer) = (pix.ycbcr_enc, pix.quantization, pix.xfer_func)
    case .multiPlanar:
      let pix = format.fmt.pix_mp
      let all = [
        pix.plane_fmt.0, pix.plane_fmt.1, pix.plane_fmt.2, pix.plane_fmt.3, pix.plane_fmt.4, pix.plane_fmt.5,
        pix.plane_fmt.6, pix.plane_fmt.7,
      ]
      self.init(
        pixelFormat: PixelFormat(rawValue: pix.pixelformat), size: Size(pix.width, pix.height),
        planes: all.prefix(Int(pix.num_planes)).map {
          Plane(bytesPerLine: Int($0.bytesperline), sizeImage: Int($0.sizeimage))
        })
      (field, colorspace) = (pix.field, pix.colorspace)
      (encoding, quantization, transfer) = (UInt32(pix.ycbcr_enc), UInt32(pix.quantization), UInt32(pix.xfer_func))
    }
  }

  private static func empty(_ interface: CaptureInterface) -> v4l2_format {
    var format = v4l2_format()
    format.type = interface.bufferType
    return format
  }

  private static func write(
    _ pixelFormat: PixelFormat, _ size: Size?, to format: inout v4l2_format, _ interface: CaptureInterface
  ) {
    switch interface {
    case .singlePlanar:
      var pix = v4l2_pix_format()
      pix.width = size.map { UInt32($0.width) } ?? format.fmt.pix.width
      pix.height = size.map { UInt32($0.height) } ?? format.fmt.pix.height
      pix.pixelformat = pixelFormat.rawValue
      pix.priv = CV4L2_PIX_FMT_PRIV_MAGIC
      format.fmt.pix = pix
    case .multiPlanar:
      var pix = v4l2_pix_format_mplane()
      pix.width = size.map { UInt32($0.width) } ?? format.fmt.pix_mp.width
      pix.height = size.map { UInt32($0.height) } ?? format.fmt.pix_mp.height
      pix.pixelformat = pixelFormat.rawValue
      format.fmt.pix_mp = pix
    }
  }
}
