internal import CV4L2
internal import CaptureCore
internal import Glibc

/// Agrees with a driver on the format and the frame rate of a stream.
struct StreamNegotiation {
  let node: VideoNode
  let interface: CaptureInterface
  let deviceID: String

  /// The stream that `request` would get. The call changes nothing in the device (VIDIOC_TRY_FMT).
  ///
  /// - Throws: `formatNotSupported` when the daemon or the driver cannot deliver exactly the requested pixel format and
  ///   size; `deviceInUse`, `deviceNotResponding`, `deviceDisconnected`, `deviceAccessDenied` or `deviceFailed` when a
  ///   call fails.
  func trial(_ request: StreamRequest) throws(CaptureError) -> NegotiatedStream {
    let delivery = try delivery(request)
    let driver: DriverFormat
    do {
      driver = try DriverFormat(trying: request.pixelFormat, request.size, on: node, interface)
    } catch {
      throw refusal(error, request)
    }
    let layout = try layout(driver, delivery, request)
    let nearest = nearestDuration(request)
    return NegotiatedStream(
      driver: driver, delivery: delivery,
      format: StreamFormat(
        devicePixelFormat: driver.pixelFormat, layout: layout, frameRate: nearest?.reciprocal ?? request.frameRate))
  }

  /// Sets the format and the frame rate (VIDIOC_S_FMT, VIDIOC_S_PARM). The device keeps its selected video input
  /// (VIDIOC_S_INPUT).
  ///
  /// - Throws: the errors of ``trial(_:)``.
  func commit(_ request: StreamRequest) throws(CaptureError) -> NegotiatedStream {
    let delivery = try delivery(request)
    let driver: DriverFormat
    do {
      driver = try DriverFormat(setting: request.pixelFormat, request.size, on: node, interface)
    } catch {
      throw refusal(error, request)
    }
    let layout = try layout(driver, delivery, request)
    let rate = try setRate(request)
    return NegotiatedStream(
      driver: driver, delivery: delivery,
      format: StreamFormat(devicePixelFormat: driver.pixelFormat, layout: layout, frameRate: rate))
  }

  private func delivery(_ request: StreamRequest) throws(CaptureError) -> FrameAssembly {
    guard request.size.width > 0, request.size.height > 0, let delivery = FrameAssembly(request.pixelFormat) else {
      throw .notSupported(request, device: deviceID, offered: nil)
    }
    return delivery
  }

  /// The error to report when the driver does not answer with a format.
  private func refusal(_ error: VideoNodeError, _ request: StreamRequest) -> CaptureError {
    error.isRefusal
      ? .notSupported(request, device: deviceID, offered: nil)
      : .failedCall(error, device: deviceID, isPresent: node.isPresent)
  }

  private func layout(
    _ driver: DriverFormat, _ delivery: FrameAssembly, _ request: StreamRequest
  ) throws(CaptureError) -> FrameLayout {
    guard driver.pixelFormat == request.pixelFormat, driver.size == request.size,
      let layout = FrameLayout(driver, delivery)
    else {
      throw .notSupported(request, device: deviceID, offered: (driver.pixelFormat, driver.size))
    }
    return layout
  }

  /// The frame duration in seconds, among those that the driver lists, whose rate is nearest to the requested rate. Nil
  /// when the driver lists none, or when the requested rate is 0.
  private func nearestDuration(_ request: StreamRequest) -> Rational? {
    FormatEnumerator(node: node, interface: interface).durations(request.pixelFormat, request.size)
      .nearest(toRate: request.frameRate)
  }

  /// Sets the frame rate, also when the driver lists no rates, because some drivers start at 5 frames per second.
  ///
  /// - Returns: the rate that the driver confirmed; the requested rate when the driver neither sets nor tells rates.
  /// - Throws: the error of VIDIOC_S_PARM when the device is gone, is in use or does not answer.
  private func setRate(_ request: StreamRequest) throws(CaptureError) -> Rational {
    let wanted = nearestDuration(request) ?? request.frameRate.reciprocal
    var parameters = v4l2_streamparm()
    parameters.type = interface.bufferType
    parameters.parm.capture.timeperframe = v4l2_fract(numerator: wanted.numerator, denominator: wanted.denominator)
    do {
      try node.perform(.setParameters, &parameters)
    } catch {
      let isPresent = node.isPresent
      let failure = CaptureError.failedCall(error, device: deviceID, isPresent: isPresent)
      // A driver without frame rates still delivers usable pictures, and so does a camera that refuses its rate by a
      // protocol stall (EPIPE). A device that is gone, is in use or does not answer does not.
      guard failure.reason == .deviceFailed || error.errno.rawValue == EPIPE && isPresent else { throw failure }
      do { try node.perform(.getParameters, &parameters) } catch { return request.frameRate }
    }
    let confirmed = Rational(parameters.parm.capture.timeperframe)
    return confirmed.value > 0 ? confirmed.reciprocal : request.frameRate
  }
}

/// The formats of one stream: what the driver delivers, how the daemon makes frames from the driver's buffers, and what
/// the daemon publishes.
struct NegotiatedStream: Hashable {
  var driver: DriverFormat
  var delivery: FrameAssembly
  var format: StreamFormat
}
