import CV4L2
import Testing

@testable import V4L2Capture

/// Which nodes are cameras, judging by the flags that the driver gives in VIDIOC_QUERYCAP.
@Suite struct NodeCapabilityTests {
  private func interface(_ flags: Int32...) -> CaptureInterface? {
    NodeCapability(
      driver: "", card: "", busInfo: "", deviceCapabilities: flags.reduce(0) { $0 | UInt32(bitPattern: $1) }
    )
    .captureInterface
  }

  /// A camera is a node that captures video and can stream, single-planar or multi-planar.
  @Test func camerasCaptureAndStream() {
    #expect(interface(V4L2_CAP_VIDEO_CAPTURE, V4L2_CAP_STREAMING) == .singlePlanar)
    #expect(interface(V4L2_CAP_VIDEO_CAPTURE_MPLANE, V4L2_CAP_STREAMING) == .multiPlanar)
  }

  /// Nodes that cannot stream, nodes for metadata, outputs and memory-to-memory devices are no cameras.
  @Test func otherNodesAreNotCameras() {
    #expect(interface(V4L2_CAP_VIDEO_CAPTURE) == nil)
    #expect(interface(V4L2_CAP_META_CAPTURE, V4L2_CAP_STREAMING) == nil)
    #expect(interface(V4L2_CAP_VIDEO_OUTPUT, V4L2_CAP_STREAMING) == nil)
    #expect(interface(V4L2_CAP_VIDEO_CAPTURE, V4L2_CAP_STREAMING, V4L2_CAP_VIDEO_M2M) == nil)
    #expect(interface(V4L2_CAP_VIDEO_CAPTURE_MPLANE, V4L2_CAP_STREAMING, V4L2_CAP_VIDEO_M2M_MPLANE) == nil)
  }

  /// `capabilities` has the flags of all nodes of a device, and `device_caps` those of the node alone.
  @Test func theFlagsOfTheNodeDecide() {
    var capability = v4l2_capability()
    capability.capabilities = 0xffff_ffff
    capability.device_caps = UInt32(V4L2_CAP_META_CAPTURE | V4L2_CAP_STREAMING)
    #expect(NodeCapability(capability).captureInterface == nil)
  }

  /// Old drivers give `capabilities` and leave `device_caps` empty.
  @Test func theFlagsOfTheDeviceDecideForOldDrivers() {
    var capability = v4l2_capability()
    capability.capabilities = UInt32(V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING)
    #expect(NodeCapability(capability).captureInterface == .singlePlanar)
  }
}
