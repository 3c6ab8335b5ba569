import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

/// What a camera's mounting means where nobody asks for a rotation.
@Suite struct MountingRotationTests {
  private func resolve(
    _ mounting: Orientation.Rotation, _ change: (inout SessionConfiguration) -> Void = { _ in }
  ) -> (connections: [Connection?], issues: [CaptureError]) {
    var camera = Device.fake(formats: [.fake(.mjpeg, Size(width: 640, height: 360))])
    camera.mountingRotation = mounting
    var asked = SessionConfiguration()
    asked.inputs = [.init(deviceID: camera.id, format: .init(pixelFormat: .mjpeg, size: Size(width: 640, height: 360)))]
    asked.preview = .init()
    asked.photo = .init()
    // The camera's JPEG, which cannot be turned.
    asked.videoData = [.init(id: "own"), .init(id: "grey", pixelFormat: "GREY")]
    change(&asked)
    let (resolved, issues) = ConfigurationResolver.resolve(asked, devices: [camera])
    return (resolved.outputs.map(\.connection), issues)
  }

  private func turned(_ rotation: Orientation.Rotation, isMirrored: Bool = false) -> Connection {
    Connection(orientation: Orientation(rotation: rotation, isMirrored: isMirrored))
  }

  @Test(arguments: Orientation.Rotation.allCases)
  func withoutConnectionsWhatCanBeTurnedIsUpright(_ mounting: Orientation.Rotation) {
    let (connections, issues) = resolve(mounting)
    #expect(issues.isEmpty)
    #expect(connections == [turned(mounting), turned(mounting), turned(.none), turned(mounting)])
  }

  @Test func aConnectionWithoutAnAngleIsUprightToo() {
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

  @Test func anAngleThatIsAskedForWins() {
    let (connections, issues) = resolve(.half) {
      $0.connections = [.init(output: "preview", rotationAngle: 0), .init(output: "photo", rotationAngle: 90)]
    }
    #expect(issues.isEmpty)
    #expect(connections == [turned(.none), turned(.quarter), nil, nil])
  }

  @Test func aCameraNobodyKnowsIsNotTurned() {
    let (connections, issues) = resolve(.half) { $0.inputs[0].deviceID = "nobody" }
    #expect(issues.map(\.reason) == [.deviceNotFound])
    #expect(!connections.isEmpty && connections.allSatisfy { $0 == Connection() })
  }
}
