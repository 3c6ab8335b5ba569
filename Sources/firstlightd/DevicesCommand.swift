internal import ArgumentParser
internal import CaptureCore
internal import Logging
internal import V4L2Capture

struct DevicesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "List the cameras of this machine without starting the daemon.")

  func run() async throws {
    var logger = Logger(label: "firstlightd")
    logger.logLevel = .error
    let devices = await V4L2DeviceProvider(logger: logger).devices()
    for device in devices {
      print("devices/\(device.id)  \(device.displayName)  (\(device.driver), \(device.location))")
      for format in device.formats { print("  \(format.pixelFormat)  \(sizes(of: format))  \(format.description)") }
    }
    if devices.isEmpty { print("No camera found. `firstlightd serve` then offers a synthetic one.") }
  }

  private func sizes(of format: DeviceFormat) -> String {
    switch format.frameSize {
    case .discrete(let size): "\(size)"
    case .range(let range): "\(range.minimum)…\(range.maximum)"
    }
  }
}
