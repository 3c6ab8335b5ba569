internal import CV4L2
internal import CaptureCore
internal import Glibc

/// Agrees with a driver on format and frame rate.
struct StreamNegotiation {
  let node: VideoNode
  let interface: CaptureInterface
  let deviceID: String

  /// What `request` would get. Changes nothing in the device (VIDIOC_TRY_FMT).
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

  /// Sets format and rate (VIDIOC_S_FMT, VIDIOC_S_PARM). The input stays as it is.
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

  /// The frame duration on offer whose rate is nearest to the wanted one; nil when the driver does not tell.
  private func nearestDuration(_ request: StreamRequest) -> Rational? {
    FormatEnumerator(node: node, interface: interface).durations(request.pixelFormat, request.size)
      .nearest(toRate: request.frameRate)
  }

  /// Always sets the rate: some drivers start at 5 frames per second.
  ///
  /// - Returns: the rate that the driver confirmed, or, when it neither sets nor tells rates, the one asked for.
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
      // A driver without frame rates is no reason to refuse its pictures, nor is a camera that refuses to have its rate set by a
      // protocol stall. One that is gone, in use or without an answer is.
      guard failure.reason == .deviceFailed || error.errno.rawValue == EPIPE && isPresent else { throw failure }
      do { try node.perform(.getParameters, &parameters) } catch { return request.frameRate }
    }
    let confirmed = Rational(parameters.parm.capture.timeperframe)
    return confirmed.value > 0 ? confirmed.reciprocal : request.frameRate
  }
}
