internal import CaptureCore
internal import Glibc

/// A system call on a video node that failed.
struct VideoNodeError: Error, Hashable {
  /// The call's name: `"open"`, `"mmap"`, `"VIDIOC_STREAMON"`.
  var call: String
  var errno: Errno

  /// Whether the kernel says that the hardware is no longer there.
  var isLoss: Bool { [ENODEV, ENXIO, ESHUTDOWN].contains(errno.rawValue) }

  /// Whether this process lacks something, rather than the device.
  var isShortage: Bool { [EMFILE, ENFILE, ENOMEM].contains(errno.rawValue) }

  /// Whether the device gave no answer, or none that means anything: what USB drivers report when a request times out or its
  /// transfer is broken off. EPIPE is a protocol stall, by which a camera refuses a request without a reason.
  var isSilence: Bool {
    [ETIMEDOUT, EIO, EPIPE, EPROTO, EILSEQ, ETIME, EREMOTEIO, ENOLINK].contains(errno.rawValue)
  }

  /// Whether the driver waited in vain, for seconds: whatever is asked next takes as long.
  var isTimeout: Bool { errno.rawValue == ETIMEDOUT }

  /// Whether the driver refuses an argument, rather than failing.
  var isRefusal: Bool { errno.rawValue == EINVAL }
}
