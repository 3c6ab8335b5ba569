import CV4L2
import Testing

@testable import V4L2Capture

@Suite struct NodeCapabilityTests {
  private func interface(_ flags: Int32...) -> CaptureInterface? {
    NodeCapability(
      driver: "", card: "", busInfo: "", deviceCapabilities: flags.reduce(0) { $0 | UInt32(bitPattern: $1) }
    )
    .captureInterface
  }

  @Test func camerasCaptureAndStream() {
    #expect(interface(V4L2_CAP_VIDEO_CAPTURE, V4L2_CAP_STREAMING) == .singlePlanar)
    #expect(interface(V4L2_CAP_VIDEO_CAPTURE_MPLANE, V4L2_CAP_STREAMING) == .multiPlanar)
  }

  @Test func otherNodesAreNotCameras() {
    #expect(interface(V4L2_CAP_VIDEO_CAPTURE) == nil)
    #expect(interface(V4L2_CAP_META_CAPTURE, V4L2_CAP_STREAMING) == nil)
    #expect(interface(V4L2_CAP_VIDEO_OUTPUT, V4L2_CAP_STREAMING) == nil)
    #expect(interface(V4L2_CAP_VIDEO_CAPTURE, V4L2_CAP_STREAMING, V4L2_CAP_VIDEO_M2M) == nil)
    #expect(interface(V4L2_CAP_VIDEO_CAPTURE_MPLANE, V4L2_CAP_STREAMING, V4L2_CAP_VIDEO_M2M_MPLANE) == nil)
  }

  @Test func theNodeCountsNotTheDevice() {
    var capability = v4l2_capability()
    capability.capabilities = 0xffff_ffff
    capability.device_caps = UInt32(V4L2_CAP_META_CAPTURE | V4L2_CAP_STREAMING)
    #expect(NodeCapability(capability).captureInterface == nil)
  }

  @Test func oldDriversHaveOnlyOneSetOfFlags() {
    var capability = v4l2_capability()
    capability.capabilities = UInt32(V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING)
    #expect(NodeCapability(capability).captureInterface == .singlePlanar)
  }
}
