internal import ArgumentParser
internal import AudioCapture
internal import CaptureCore
internal import Configuration
internal import Logging
internal import SystemFiles
internal import V4L2Capture

struct DevicesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "List the cameras and microphones of this machine without starting the daemon.")

  @Option(help: "Configuration file, YAML: list the cameras as it calls them. (default: none)")
  var config: String?
  @Option(help: "The daemon's data folder, which tells what it calls cameras. (default: /var/lib/firstlight)")
  var dataDir: String?

  func run() async throws {
    let (names, path): (DeviceDirectory, String)
    do {
      let flags = dataDir.map { [AbsoluteConfigKey(["data-dir"]): ConfigValue(.string($0), isSecret: false)] } ?? [:]
      let sources = try await ConfigurationSources(flags: flags, config: config)
      names = sources.file?.devices.directory ?? DeviceDirectory()
      path = try await sources.reader.fetchString(forKey: "data-dir") ?? DaemonConfiguration().folders.data
    } catch {
      throw ValidationError("\(error)")
    }
    var logger = Logger(label: "firstlightd")
    logger.logLevel = .error
    let folder = DataFolder(path: path, isReadOnly: true) { _ in }
    let provider = V4L2DeviceProvider(directory: names, folder: folder, logger: logger)
    let devices = await provider.devices()
    for device in devices {
      let called = device.label.isEmpty ? device.displayName : "\(device.label), \(device.displayName)"
      print("devices/\(device.id)  \(called)  (\(device.driver), \(device.location))")
      if let refusal = device.unavailable {
        print("  cannot be used: \(refusal.message)")
        continue
      }
      for format in device.formats { print("  \(format.pixelFormat)  \(sizes(of: format))  \(format.description)") }
      for control in (try? await provider.controls(of: device.id)) ?? [] {
        print("  \(control.id)  \(control.kind)  \(control.value.map(text) ?? "-")")
      }
    }
    await listMicrophones(names, logger)
    if devices.isEmpty { print("No camera found. `firstlightd serve` then offers a synthetic one.") }
  }

  private func listMicrophones(_ names: DeviceDirectory, _ logger: Logger) async {
    for microphone in await ALSAMicrophoneProvider(directory: names, logger: logger).microphones() {
      let called =
        microphone.label.isEmpty ? microphone.displayName : "\(microphone.label), \(microphone.displayName)"
      print("devices/\(microphone.id)  \(called)  (\(microphone.driver), \(microphone.location))")
      if let refusal = microphone.unavailable {
        print("  cannot be used: \(refusal.message)")
        continue
      }
      let rates = microphone.sampleRates.map(String.init).joined(separator: ", ")
      print("  \(rates) Hz  \(microphone.channelCounts.map(String.init).joined(separator: ", ")) channels")
    }
  }

  private func text(_ value: ControlValue) -> String {
    switch value {
    case .integer(let number): "\(number)"
    case .boolean(let isOn): isOn ? "1" : "0"
    case .text(let text): text
    case .elements(let bytes): "\(bytes.count) bytes"
    }
  }

  private func sizes(of format: DeviceFormat) -> String {
    switch format.frameSize {
    case .discrete(let size): "\(size)"
    case .range(let range): "\(range.minimum)…\(range.maximum)"
    }
  }
}
