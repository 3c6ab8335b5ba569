import CaptureCore
import Glibc
import Testing

@testable import V4L2Capture

/// Which reason an error gets when a call of the driver fails.
@Suite struct V4L2ErrorsTests {
  /// The arguments are the errno, the call that failed, and the reason of the error when the camera is not there any
  /// more.
  @Test(
    arguments: [
      (EBUSY, "VIDIOC_S_FMT", .deviceInUse), (EBUSY, "VIDIOC_REQBUFS", .deviceInUse),
      (ENOSPC, "VIDIOC_STREAMON", .bandwidthExceeded), (ENOSPC, "VIDIOC_REQBUFS", .deviceFailed),
      (ENODEV, "open", .deviceDisconnected), (ENXIO, "open", .deviceDisconnected),
      (EIO, "VIDIOC_S_FMT", .deviceDisconnected), (EPROTO, "VIDIOC_S_FMT", .deviceDisconnected),
      (EPIPE, "VIDIOC_S_PARM", .deviceDisconnected), (EILSEQ, "VIDIOC_S_FMT", .deviceDisconnected),
      (ETIME, "VIDIOC_S_FMT", .deviceDisconnected), (EREMOTEIO, "VIDIOC_S_FMT", .deviceDisconnected),
      (ENOLINK, "VIDIOC_S_FMT", .deviceDisconnected),
      (ETIMEDOUT, "open", .deviceNotResponding), (EACCES, "open", .deviceAccessDenied),
      (EPERM, "open", .deviceAccessDenied), (EINVAL, "VIDIOC_STREAMON", .deviceFailed),
    ] as [(Int32, String, CaptureError.Reason)])
  func errnosBecomeReasons(_ errno: Int32, _ call: String, _ reason: CaptureError.Reason) {
    let error = CaptureError.failedCall(
      VideoNodeError(call: call, errno: Errno(errno)), device: "cam", isPresent: false)
    #expect(error.reason == reason)
    #expect(error.metadata == ["device": "cam", "call": call, "errno": Errno(errno).name])
  }

  @Test(
    "a camera that is present and does not answer is reported as not responding",
    arguments: [ETIMEDOUT, EIO, EPIPE, EPROTO, EILSEQ, ETIME, EREMOTEIO, ENOLINK])
  func aCameraThatDoesNotAnswer(_ errno: Int32) {
    for call in ["VIDIOC_S_FMT", "VIDIOC_S_PARM", "VIDIOC_STREAMON"] {
      let silence = VideoNodeError(call: call, errno: Errno(errno))
      let error = CaptureError.failedCall(silence, device: "cam", isPresent: true)
      #expect(error.reason == .deviceNotResponding)
      #expect(error.metadata == ["device": "cam", "call": call, "errno": Errno(errno).name])
    }
  }

  @Test func errnosAreNamed() {
    #expect(Errno(EBUSY).name == "EBUSY")
    #expect(Errno(99999).name == "99999")
  }

  /// When a stream ends with EIO, the camera has failed if it is still there, and was lost if it is not. ENODEV always
  /// means a loss.
  @Test func anErrorOfAPresentDeviceIsNotALoss() {
    let io = VideoNodeError(call: "VIDIOC_DQBUF", errno: Errno(EIO))
    #expect(CaptureError.endOfStream(io, device: "cam", isPresent: true).reason == .deviceFailed)
    #expect(CaptureError.endOfStream(io, device: "cam", isPresent: false).reason == .deviceDisconnected)
    let gone = VideoNodeError(call: "VIDIOC_DQBUF", errno: Errno(ENODEV))
    #expect(CaptureError.endOfStream(gone, device: "cam", isPresent: true).reason == .deviceDisconnected)
  }
}
