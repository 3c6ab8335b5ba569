import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

/// Tests how the rotation of a camera's mounting turns pictures upright when the client asks for no rotation.
@Suite struct MountingRotationTests {
  /// The connections of a preview, a photo output and two video data outputs, on a camera with this mounting, and the
  /// issues.
  private func resolve(
    _ mounting: Orientation.Rotation, _ change: (inout SessionConfiguration) -> Void = { _ in }
  ) -> (connections: [Connection?], issues: [CaptureError]) {
    var camera = Device.fake(formats: [.fake(.mjpeg, Size(width: 640, height: 360))])
    camera.mountingRotation = mounting
    var asked = SessionConfiguration()
    asked.inputs = [.init(deviceID: camera.id, format: .init(pixelFormat: .mjpeg, size: Size(width: 640, height: 360)))]
    asked.preview = .init()
    asked.photo = .init()
    // The output `own` gives the camera's JPEG, which cannot be turned.
    asked.videoData = [.init(id: "own"), .init(id: "grey", pixelFormat: "GREY")]
    change(&asked)
    let (resolved, issues) = ConfigurationResolver.resolve(asked, devices: [camera])
    return (resolved.outputs.map(\.connection), issues)
  }

  /// An enabled connection with this orientation.
  private func turned(_ rotation: Orientation.Rotation, isMirrored: Bool = false) -> Connection {
    Connection(orientation: Orientation(rotation: rotation, isMirrored: isMirrored))
  }

  /// Without connections in the configuration, every output that can turn pictures shows them upright; an output of the
  /// camera's JPEG gives them as they are, and this is no issue.
  @Test(arguments: Orientation.Rotation.allCases)
  func withoutConnectionsPicturesAreUprightWherePossible(_ mounting: Orientation.Rotation) {
    let (connections, issues) = resolve(mounting)
    #expect(issues.isEmpty)
    #expect(connections == [turned(mounting), turned(mounting), turned(.none), turned(mounting)])
  }

  /// A connection that names no angle gets the rotation of the mounting, also when it is mirrored or disabled.
  @Test func aConnectionWithoutAnAngleIsUpright() {
    let (connections, issues) = resolve(.quarter) {
      $0.connections = [
        .init(output: "preview"), .init(output: "photo", isMirrored: true), .init(output: "own"),
        .init(output: "grey", isEnabled: false),
      ]
    }
    #expect(issues.isEmpty)
    let disabled = Connection(isEnabled: false, orientation: Orientation(rotation: .quarter))
    #expect(connections == [turned(.quarter), turned(.quarter, isMirrored: true), turned(.none), disabled])
  }

  /// An angle that the client names replaces the rotation of the mounting; it is not added to it.
  @Test func anExplicitAngleReplacesTheMountingRotation() {
    let (connections, issues) = resolve(.half) {
      $0.connections = [.init(output: "preview", rotationAngle: 0), .init(output: "photo", rotationAngle: 90)]
    }
    #expect(issues.isEmpty)
    #expect(connections == [turned(.none), turned(.quarter), nil, nil])
  }

  /// When the camera is unknown, the only issue is `deviceNotFound`, and the connections have no rotation.
  @Test func picturesOfAnUnknownCameraAreNotTurned() {
    let (connections, issues) = resolve(.half) { $0.inputs[0].deviceID = "nobody" }
    #expect(issues.map(\.reason) == [.deviceNotFound])
    #expect(!connections.isEmpty && connections.allSatisfy { $0 == Connection() })
  }
}
