import CaptureCore
import CaptureTestKit

@testable import CaptureSessions

extension Device {
  /// A camera whose sensor reads out 260 million pixels in a second, as that of a synthetic camera.
  static func sensor(id: String = "sensor-0") -> Device {
    let (uhd, hd) = (Size(width: 3840, height: 2160), Size(width: 1920, height: 1080))
    var device = Device.fake(
      id: id,
      formats: [
        .fake(.nv12, hd, rates: [60, 30, 15]), .fake(.nv12, uhd, rates: [60, 50, 30, 15]),
        .fake(.nv12, Size(width: 640, height: 360), rates: [60, 30]),
        .fake(.nv12, Size(width: 1920, height: 1080).half, rates: [60, 30], isBinned: true),
      ])
    device.limits.sensorReadout = 260_000_000
    return device
  }

  /// A USB webcam at high speed. Its largest isochronous setting reserves three packets of 1020 bytes in each
  /// microframe.
  ///
  /// - Parameters:
  ///   - bus: the number of the USB bus.
  ///   - settings: the bytes per second that each isochronous setting reserves; empty for a camera that uses bulk
  ///     transfers.
  static func webcam(id: String = "webcam-0", bus: Int = 2, settings: [Int] = webcamSettings) -> Device {
    var device = Device.fake(
      id: id,
      formats: [
        .fake(.yuyv, Size(width: 1280, height: 720), rates: [30, 10], isBinned: nil),
        .fake(.yuyv, Size(width: 640, height: 480), rates: [30, 15], isBinned: nil),
        .fake(.mjpeg, Size(width: 1280, height: 720), rates: [30, 15], isBinned: nil),
      ])
    device.limits.usb = USBLink(bus: bus, megabitsPerSecond: 480, isochronousSettings: settings)
    return device
  }

  /// The isochronous settings of the webcam, in bytes per second.
  static let webcamSettings = [1_536_000, 10_240_000, 15_872_000, 21_504_000, 24_480_000]
}

extension Size {
  fileprivate var half: Size { Size(width: width / 2, height: height / 2) }
}

extension MachineCapacity {
  /// A capacity in round figures: each of two cores copies 4·10⁹ bytes, converts 2·10⁹ pixels or encodes 10⁹ pixels in
  /// a second, and can do so all the time.
  static let round = MachineCapacity(
    core: CoreThroughput(copiedBytes: 4e9, convertedPixels: 2e9, encodedPixels: 1e9), cores: 2, sustainedShare: 1)
}

extension SessionConfiguration {
  /// A configuration with one camera in this format and a preview.
  ///
  /// - Parameter rate: frames per second; nil asks for none.
  static func priced(
    _ device: Device, _ pixelFormat: PixelFormat, _ width: Int, _ height: Int, rate: UInt32? = nil
  ) -> SessionConfiguration {
    var configuration = SessionConfiguration()
    configuration.inputs = [
      .init(
        deviceID: device.id, format: .init(pixelFormat: pixelFormat, size: Size(width: width, height: height)),
        frameRate: rate.map { Rational($0, 1) })
    ]
    configuration.preview = .init()
    return configuration
  }

  /// The cost of the configuration when `device` is the only camera.
  func cost(on device: Device, _ model: CostModel = CostModel()) -> ConfigurationCost {
    model.cost(of: CostDemand(ConfigurationResolver.resolve(self, devices: [device]).resolved, devices: [device]))
  }
}

extension ConfigurationCost {
  /// The first component of the cost for `resource`; nil when there is none.
  func component(_ resource: Component.Resource) -> Component? { components.first { $0.resource == resource } }
}
