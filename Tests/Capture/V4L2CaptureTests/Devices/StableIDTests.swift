import CaptureCore
import Testing

@testable import V4L2Capture

/// The ids and the attachment that follow from a camera's driver and hardware.
@Suite struct CameraIdentityTests {
  private func usb(serial: String?, port: String = "1-1", interface: Int = 0) -> CameraIdentity {
    CameraIdentity(
      .example(
        driver: "uvcvideo", busInfo: "usb-0000:00:14.0-\(port.dropFirst(2))",
        hardware: Hardware(
          path: "/sys/devices/pci0000:00/usb1/\(port)/\(port):1.\(interface)", index: 0,
          usb: Hardware.USB(
            vendor: "046d", product: "0825", serial: serial, port: port, interface: interface, isFixed: false))))
  }

  /// The serial number makes the id, so that the camera has the same id at every port.
  @Test func usbCamerasAreNamedBySerial() {
    #expect(usb(serial: "A1B2C3").preferred == "046d-0825-a1b2c3")
  }

  @Test func withoutASerialNumberThePortNamesTheCamera() {
    #expect(usb(serial: nil, port: "1-4.2").preferred == "046d-0825-usb-0000-00-14.0-4.2")
  }

  /// A depth camera and a colour camera in one USB device have the same serial number, so their ids and attachments
  /// differ by the interface.
  @Test func camerasOfOneUSBDeviceDiffer() {
    let (depth, colour) = (usb(serial: "S"), usb(serial: "S", interface: 3))
    #expect(depth.attachment != colour.attachment)
    #expect(colour.preferred == "046d-0825-s.3")
  }

  /// A camera that is not on USB gets its id from its driver and its place.
  @Test(arguments: [
    ("vivid", "platform:vivid-000", "vivid-000"), ("vivid", "platform:vivid-001", "vivid-001"),
    ("unicam", "platform:fe801000.csi", "unicam-fe801000.csi"), ("rkisp1", "platform:rkisp1", "rkisp1"),
  ])
  func platformCamerasAreNamedByPlace(_ driver: String, _ bus: String, _ id: String) {
    #expect(CameraIdentity(.example(driver: driver, busInfo: bus, hardware: nil)).preferred == id)
  }

  /// Two connectors of one card are two cameras, which differ by the index of their nodes.
  @Test func eachConnectorOfACaptureCardIsACamera() {
    func connector(_ index: Int) -> CameraIdentity {
      CameraIdentity(
        .example(
          driver: "tw686x", busInfo: "PCI:0000:01:00.0",
          hardware: Hardware(path: "/sys/devices/pci0000:00/0000:01:00.0", index: index, usb: nil)))
    }
    #expect(connector(0).attachment != connector(1).attachment)
    #expect(connector(1).preferred == "tw686x-pci-0000-01-00.0-1")
  }
}

extension CameraNode {
  static func example(driver: String, busInfo: String, hardware: Hardware?) -> CameraNode {
    CameraNode(
      path: "/dev/video0", interface: .singlePlanar,
      capability: NodeCapability(driver: driver, card: "Camera", busInfo: busInfo, deviceCapabilities: 0),
      hardware: hardware, formats: [])
  }
}
