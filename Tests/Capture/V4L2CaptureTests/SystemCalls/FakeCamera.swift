import CV4L2
import CaptureCore
import Glibc

@testable import V4L2Capture

extension FakeKernel {
  /// The properties of the one camera that the fake kernel has.
  struct Camera {
    var driver = "fake"
    var card = "Fake Camera"
    var busInfo = "platform:fake-000"
    var capabilities = UInt32(V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING)
    var formats: [Format] = [Format("YUYV", sizes: [.discrete(Size(width: 64, height: 48))])]
    var controls: [UInt32: Int32] = [:]
    /// The controls for VIDIOC_QUERY_EXT_CTRL and the calls for extended controls, in the order of their ids.
    /// VIDIOC_G_CTRL answers from ``controls`` alone.
    var extendedControls: [FakeControl] = []
    /// The number of bytes that is added to the stride of every plane.
    var padding = 0
    /// The size that VIDIOC_TRY_FMT and VIDIOC_S_FMT answer whatever the caller asks for; nil to answer the size that
    /// the caller asked for.
    var insistsOn: Size?
    var colorspace = V4L2_COLORSPACE_SRGB.rawValue
    var setsRate = true
    /// The frame duration that VIDIOC_S_PARM answers whatever the caller asks for; nil to answer the duration that the
    /// caller asked for.
    var insistsOnDuration: Rational?
    /// The number of planes that VIDIOC_QUERYBUF reports for a buffer; nil for the number of planes of the format.
    var claimedPlanes: UInt32?
    /// VIDIOC_CREATE_BUFS gives no more buffers than this number.
    var mostBuffers = 32

    /// What the input of the camera receives; nil for a camera without inputs and events of the source.
    var signal: Signal?

    var isMultiPlanar: Bool { capabilities & UInt32(V4L2_CAP_VIDEO_CAPTURE_MPLANE) != 0 }
  }

  /// What an input with DV timings receives.
  struct Signal {
    var size: Size
    /// The errno that VIDIOC_QUERY_DV_TIMINGS answers; nil for a signal that can be captured.
    var error: Int32?
    /// Whether the driver tells of changes.
    var isTold = true
    /// The changes of which a program has yet to hear, each with its flags.
    var changes: [UInt32] = []
  }

  /// A pixel format of the camera, with its sizes and its frame durations.
  struct Format {
    var pixelFormat: PixelFormat
    var sizes: [DeviceFormat.FrameSize]
    var durations: FrameDurations
    /// The stride in bytes and the number of lines of each buffer of a picture of the given size.
    var planes: @Sendable (Size) -> [(stride: Int, rows: Int)]

    init(
      _ fourCC: String, sizes: [DeviceFormat.FrameSize] = [],
      durations: FrameDurations = .discrete([Rational(1, 30), Rational(1, 15)]),
      planes: @escaping @Sendable (Size) -> [(stride: Int, rows: Int)] = { [($0.width * 2, $0.height)] }
    ) {
      pixelFormat = PixelFormat(fourCC: fourCC)!
      self.sizes = sizes
      self.durations = durations
      self.planes = planes
    }
  }
}

extension FakeKernel.Camera {
  /// Answers the calls for inputs, timings and events. Returns the errno, or nil on success.
  mutating func answerInput(_ name: String, _ argument: UnsafeMutableRawPointer) -> Int32? {
    guard let signal else { return ENOTTY }
    switch name {
    case "VIDIOC_G_INPUT": argument.assumingMemoryBound(to: Int32.self).pointee = 2
    case "VIDIOC_ENUMINPUT":
      let input = argument.assumingMemoryBound(to: v4l2_input.self)
      guard input.pointee.index == 2 else { return EINVAL }
      input.pointee.capabilities = UInt32(V4L2_IN_CAP_DV_TIMINGS)
    case "VIDIOC_SUBSCRIBE_EVENT":
      let wanted = argument.assumingMemoryBound(to: v4l2_event_subscription.self).pointee
      return signal.isTold && wanted.id == 2 && wanted.type == UInt32(V4L2_EVENT_SOURCE_CHANGE) ? nil : EINVAL
    case "VIDIOC_DQEVENT":
      guard let changes = signal.changes.first else { return ENOENT }
      self.signal?.changes.removeFirst()
      let event = argument.assumingMemoryBound(to: v4l2_event.self)
      event.pointee.type = UInt32(V4L2_EVENT_SOURCE_CHANGE)
      event.pointee.u.src_change.changes = changes
    case "VIDIOC_QUERY_DV_TIMINGS":
      if let error = signal.error { return error }
      let timings = argument.assumingMemoryBound(to: v4l2_dv_timings.self)
      timings.pointee.bt.width = UInt32(signal.size.width)
      timings.pointee.bt.height = UInt32(signal.size.height)
    default:
      let timings = argument.assumingMemoryBound(to: v4l2_dv_timings.self).pointee
      insistsOn = Size(timings.bt.width, timings.bt.height)
    }
    return nil
  }

  /// Answers VIDIOC_ENUM_FRAMESIZES. Returns the errno, or nil on success.
  func answer(_ size: UnsafeMutablePointer<v4l2_frmsizeenum>) -> Int32? {
    let sizes = formats.first { $0.pixelFormat.rawValue == size.pointee.pixel_format }?.sizes ?? []
    guard Int(size.pointee.index) < sizes.count else { return EINVAL }
    switch sizes[Int(size.pointee.index)] {
    case .discrete(let only):
      size.pointee.type = V4L2_FRMSIZE_TYPE_DISCRETE.rawValue
      size.pointee.discrete = v4l2_frmsize_discrete(width: UInt32(only.width), height: UInt32(only.height))
    case .range(let range):
      size.pointee.type =
        range.step == Size(width: 1, height: 1)
        ? V4L2_FRMSIZE_TYPE_CONTINUOUS.rawValue : V4L2_FRMSIZE_TYPE_STEPWISE.rawValue
      size.pointee.stepwise = v4l2_frmsize_stepwise(
        min_width: UInt32(range.minimum.width), max_width: UInt32(range.maximum.width),
        step_width: UInt32(range.step.width), min_height: UInt32(range.minimum.height),
        max_height: UInt32(range.maximum.height), step_height: UInt32(range.step.height))
    }
    return nil
  }

  /// Answers VIDIOC_ENUM_FRAMEINTERVALS. Returns the errno, or nil on success.
  func answer(_ interval: UnsafeMutablePointer<v4l2_frmivalenum>) -> Int32? {
    func fraction(_ value: Rational) -> v4l2_fract {
      v4l2_fract(numerator: value.numerator, denominator: value.denominator)
    }
    let format = formats.first { $0.pixelFormat.rawValue == interval.pointee.pixel_format }
    switch format?.durations ?? .discrete([]) {
    case .discrete(let all):
      guard Int(interval.pointee.index) < all.count else { return EINVAL }
      interval.pointee.type = V4L2_FRMIVAL_TYPE_DISCRETE.rawValue
      interval.pointee.discrete = fraction(all[Int(interval.pointee.index)])
    case .range(let shortest, let longest, let step):
      guard interval.pointee.index == 0 else { return EINVAL }
      interval.pointee.type =
        step == nil ? V4L2_FRMIVAL_TYPE_CONTINUOUS.rawValue : V4L2_FRMIVAL_TYPE_STEPWISE.rawValue
      interval.pointee.stepwise = v4l2_frmival_stepwise(
        min: fraction(shortest), max: fraction(longest), step: fraction(step ?? Rational(1, 1)))
    }
    return nil
  }

  /// Answers VIDIOC_G_FMT, VIDIOC_TRY_FMT or VIDIOC_S_FMT. Returns the planes of the format in the answer.
  func negotiate(_ call: String, _ format: UnsafeMutablePointer<v4l2_format>) -> [(stride: Int, rows: Int)] {
    let asked =
      isMultiPlanar
      ? (format.pointee.fmt.pix_mp.pixelformat, format.pointee.fmt.pix_mp.width, format.pointee.fmt.pix_mp.height)
      : (format.pointee.fmt.pix.pixelformat, format.pointee.fmt.pix.width, format.pointee.fmt.pix.height)
    let found = formats.first { $0.pixelFormat.rawValue == asked.0 } ?? formats[0]
    let size = insistsOn ?? (call == "VIDIOC_G_FMT" ? Size(width: 64, height: 48) : Size(asked.1, asked.2))
    let planes = found.planes(size).map { (stride: $0.stride > 0 ? $0.stride + padding : 0, rows: $0.rows) }
    if isMultiPlanar {
      var pix = v4l2_pix_format_mplane()
      (pix.pixelformat, pix.width, pix.height) = (found.pixelFormat.rawValue, UInt32(size.width), UInt32(size.height))
      pix.num_planes = UInt8(planes.count)
      pix.field = V4L2_FIELD_NONE.rawValue
      pix.colorspace = colorspace
      withUnsafeMutableBytes(of: &pix.plane_fmt) { bytes in
        let all = bytes.bindMemory(to: v4l2_plane_pix_format.self)
        for (index, plane) in planes.enumerated() {
          all[index].bytesperline = UInt32(plane.stride)
          all[index].sizeimage = UInt32(plane.stride * plane.rows)
        }
      }
      format.pointee.fmt.pix_mp = pix
    } else {
      var pix = v4l2_pix_format()
      (pix.pixelformat, pix.width, pix.height) = (found.pixelFormat.rawValue, UInt32(size.width), UInt32(size.height))
      pix.field = V4L2_FIELD_NONE.rawValue
      pix.bytesperline = UInt32(planes[0].stride)
      pix.sizeimage = UInt32(max(planes[0].stride, 1) * planes[0].rows)
      pix.colorspace = colorspace
      format.pointee.fmt.pix = pix
    }
    return planes
  }
}
