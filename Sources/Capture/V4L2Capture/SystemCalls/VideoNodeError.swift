internal import CaptureCore
internal import Glibc

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
