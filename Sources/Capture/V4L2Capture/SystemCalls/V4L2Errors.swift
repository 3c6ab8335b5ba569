internal import CV4L2
internal import CaptureCore
internal import Glibc

extension CaptureError {
  /// The error to report when a call fails while the daemon opens, configures or starts the device `deviceID`.
  ///
  /// - Parameter isPresent: whether the device is still registered after the failure. The parameter separates two cases
  ///   with the same errno: a call to an unplugged USB camera fails with EIO, EPROTO or another error of an aborted
  ///   transfer until the kernel unregisters the camera, and so does a call to a connected camera that does not answer.
  static func failedCall(_ error: VideoNodeError, device deviceID: String, isPresent: Bool) -> CaptureError {
    let metadata = ["device": deviceID, "call": error.call, "errno": error.errno.name]
    let because = "(\(error.call): \(error.errno.name))"
    switch error.errno.rawValue {
    case EBUSY:
      return CaptureError(
        .deviceInUse, "\(deviceID) is in use by another program; stop that one first \(because).", metadata: metadata)
    case ENOSPC where error.call == VideoRequest.streamOn.name:
      return CaptureError(
        .bandwidthExceeded,
        "The bus of \(deviceID) has no bandwidth left; choose a compressed or smaller format, or another port "
          + "\(because).",
        metadata: metadata)
    case _ where error.isSilence && (isPresent || error.isTimeout):
      return CaptureError(
        .deviceNotResponding,
        "\(deviceID) is connected and does not answer; if this lasts, unplug it and plug it in again \(because).",
        metadata: metadata)
    case _ where error.isLoss || error.isSilence || error.errno.rawValue == ENOENT:
      return CaptureError(.deviceDisconnected, "\(deviceID) is no longer connected \(because).", metadata: metadata)
    case EACCES, EPERM:
      return CaptureError(
        .deviceAccessDenied, "The daemon may not use \(deviceID); add its user to the group video \(because).",
        metadata: metadata)
    default:
      return CaptureError(.deviceFailed, "\(deviceID) failed \(because).", metadata: metadata)
    }
  }

  /// The error to report when a call fails while a stream runs.
  ///
  /// - Parameter isPresent: whether the device still answered after the failure. The errno cannot tell: EIO means an
  ///   unplugged camera as well as a fatal error of a connected one.
  static func endOfStream(_ error: VideoNodeError, device deviceID: String, isPresent: Bool) -> CaptureError {
    if error.isLoss || !isPresent {
      return failedCall(VideoNodeError(call: error.call, errno: Errno(ENODEV)), device: deviceID, isPresent: false)
    }
    return CaptureError(
      .deviceFailed, "\(deviceID) stopped streaming; start it again (\(error.call): \(error.errno.name)).",
      metadata: ["device": deviceID, "call": error.call, "errno": error.errno.name])
  }

  /// The error to report when the daemon fails to set or to read `control`.
  ///
  /// - Parameter isPresent: whether the device is still registered after the failure.
  static func failedControl(
    _ error: VideoNodeError, _ control: Control, device deviceID: String, isPresent: Bool
  ) -> CaptureError {
    if error.isLoss || !isPresent { return endOfStream(error, device: deviceID, isPresent: false) }
    switch error.errno.rawValue {
    case ERANGE, EINVAL:
      return .unsupported(
        value: "set to this", of: control.id, device: deviceID, rule: "the driver refuses it (\(error.errno.name))")
    case EACCES, EPERM: return .readOnly(control: control.id, device: deviceID)
    case EBUSY: return .grabbed(control: control.id, device: deviceID)
    case _ where error.isSilence:
      return CaptureError(
        .deviceNotResponding,
        "\(deviceID) is connected and did not answer when \(control.id) was set or read; try again, and if this "
          + "lasts, unplug it and plug it in again (\(error.call): \(error.errno.name)).",
        metadata: ["device": deviceID, "control": control.id, "call": error.call, "errno": error.errno.name])
    default:
      return CaptureError(
        .deviceFailed, "\(deviceID) could not set \(control.id) (\(error.call): \(error.errno.name)).",
        metadata: ["device": deviceID, "control": control.id, "call": error.call, "errno": error.errno.name])
    }
  }

  static func notFound(device deviceID: String) -> CaptureError {
    CaptureError(.deviceNotFound, "There is no device \(deviceID).", metadata: ["device": deviceID])
  }

  /// The error to report when the driver cannot deliver what `request` asks for.
  ///
  /// - Parameter offered: the format and size that the driver would deliver in place of the requested ones; nil when
  ///   the driver made no offer.
  static func notSupported(
    _ request: StreamRequest, device deviceID: String, offered: (format: PixelFormat, size: Size)?
  ) -> CaptureError {
    var metadata = [
      "device": deviceID, "pixel_format": request.pixelFormat.fourCC, "size": request.size.description,
    ]
    var message = "\(deviceID) cannot deliver \(request.pixelFormat) at \(request.size)"
    if let offered {
      metadata["offered_pixel_format"] = offered.format.fourCC
      metadata["offered_size"] = offered.size.description
      message += "; it offers \(offered.format) at \(offered.size)"
    }
    return CaptureError(.formatNotSupported, message + ".", metadata: metadata)
  }
}

/// An errno as a Swift error. The error does not say which call failed.
struct Errno: Error, Hashable {
  var rawValue: Int32

  init(_ rawValue: Int32) { self.rawValue = rawValue }

  /// The symbolic name, such as `"EBUSY"`. An errno for which the C library has no name gives its number in decimal.
  var name: String { CV4L2_errno_name(rawValue).map { String(cString: $0) } ?? String(rawValue) }
}

/// A system call on a video node that failed, with its errno.
struct VideoNodeError: Error, Hashable {
  /// The call's name: `"open"`, `"mmap"`, `"VIDIOC_STREAMON"`.
  var call: String
  var errno: Errno

  /// Whether the errno says that the hardware is gone.
  var isLoss: Bool { [ENODEV, ENXIO, ESHUTDOWN].contains(errno.rawValue) }

  /// Whether this process lacks descriptors or memory. Such an error says nothing about the device.
  var isShortage: Bool { [EMFILE, ENFILE, ENOMEM].contains(errno.rawValue) }

  /// Whether the device gave no answer, or none with a meaning. USB drivers report these errors when a request times
  /// out or when its transfer is aborted. EPIPE is a protocol stall, by which a camera refuses a request without giving
  /// a reason.
  var isSilence: Bool {
    [ETIMEDOUT, EIO, EPIPE, EPROTO, EILSEQ, ETIME, EREMOTEIO, ENOLINK].contains(errno.rawValue)
  }

  /// Whether the driver waited for an answer for seconds and got none. The next request to the device will take as
  /// long.
  var isTimeout: Bool { errno.rawValue == ETIMEDOUT }

  /// Whether the driver refuses an argument. The device works then.
  var isRefusal: Bool { errno.rawValue == EINVAL }
}
