/// Reads the bandwidth of a USB camera from its descriptors. Pure functions.
///
/// Layouts: USB 2.0 chapter 9.6, USB 3.2 chapter 9.6, USB Device Class Definition for Video Devices 1.5 chapter 3.7.2.
enum USBDescriptors {
  private enum Kind {
    static let configuration: UInt8 = 0x02
    static let interface: UInt8 = 0x04
    static let endpoint: UInt8 = 0x05
    static let classSpecificInterface: UInt8 = 0x24
    static let superSpeedCompanion: UInt8 = 0x30
    static let superSpeedPlusCompanion: UInt8 = 0x31
  }
  /// The interface class of video devices.
  private static let video: UInt8 = 0x0e

  /// One alternate setting of a video streaming interface.
  private struct Setting {
    var interface: UInt8
    /// The endpoint's `bInterval`: the interval between two packets is 2^(bInterval - 1) frames or microframes.
    var interval: UInt8
    var bytesPerInterval: Int
  }

  /// The bytes per second of each isochronous alternate setting of a camera's video streaming interfaces, smallest
  /// first, each number once. Empty when the camera has no such setting.
  ///
  /// - Parameters:
  ///   - bytes: the descriptor of the device and those of its configurations, as in the file `descriptors` of sysfs.
  ///     Where the descriptors are damaged, the part before the damage counts.
  ///   - control: the number of the camera's video control interface, whose header lists the streaming interfaces.
  ///   - megabitsPerSecond: the signalling rate of the device.
  ///   - configuration: the `bConfigurationValue` of the active configuration; nil for the first configuration.
  static func isochronousSettings(
    _ bytes: [UInt8], control: Int, megabitsPerSecond: Double, configuration: UInt8? = nil
  ) -> [Int] {
    var streaming: Set<UInt8> = []
    var settings: [Setting] = []
    var active = configuration
    var isActive = false
    var interface: (number: UInt8, subclass: UInt8)?
    /// Whether the last element of `settings` describes the endpoint that was read last, so that a companion descriptor
    /// may complete the element.
    var isOpen = false

    for descriptor in split(bytes) {
      switch descriptor[1] {
      case Kind.configuration where descriptor.count >= 9:
        active = active ?? descriptor[5]
        isActive = descriptor[5] == active
      case Kind.interface where descriptor.count >= 9:
        interface = isActive && descriptor[5] == video ? (descriptor[2], descriptor[6]) : nil
        isOpen = false
      case Kind.classSpecificInterface where descriptor.count >= 12:
        // In a VC_HEADER, the numbers of the streaming interfaces stand at the end.
        guard let interface, interface.subclass == 1, interface.number == control, descriptor[2] == 1 else { continue }
        streaming.formUnion(descriptor[12...].prefix(Int(descriptor[11])))
      case Kind.endpoint where descriptor.count >= 7:
        isOpen = interface?.subclass == 2 && descriptor[3] & 3 == 1 && descriptor[2] & 0x80 != 0
        guard let interface, isOpen else { continue }
        let packet = word(descriptor, 4)
        // At high speed, bits 12…11 count the additional transactions in the same microframe.
        let transactions = megabitsPerSecond >= 480 ? 1 + (packet >> 11 & 3) : 1
        settings.append(
          Setting(
            interface: interface.number, interval: descriptor[6], bytesPerInterval: (packet & 0x7ff) * transactions))
      case Kind.superSpeedCompanion where descriptor.count >= 6 && isOpen:
        settings[settings.count - 1].bytesPerInterval = word(descriptor, 4)
      case Kind.superSpeedPlusCompanion where descriptor.count >= 8 && isOpen:
        settings[settings.count - 1].bytesPerInterval = word(descriptor, 4) | word(descriptor, 6) << 16
      default:
        continue
      }
    }
    // A microframe lasts 125 µs and a full-speed frame 1 ms; the interval is 2^(bInterval - 1) of them.
    let intervals = megabitsPerSecond >= 480 ? 8000 : 1000
    let rates = settings.filter { streaming.contains($0.interface) && (1...16).contains($0.interval) }
      .map { $0.bytesPerInterval * intervals >> ($0.interval - 1) }
    return Set(rates.filter { $0 > 0 }).sorted()
  }

  /// Splits `bytes` into descriptors, each of which begins with its length and its type. A descriptor that is cut off
  /// ends the list.
  private static func split(_ bytes: [UInt8]) -> [[UInt8]] {
    var descriptors: [[UInt8]] = []
    var rest = bytes[...]
    while let length = rest.first, length >= 2, rest.count >= Int(length) {
      descriptors.append(Array(rest.prefix(Int(length))))
      rest = rest.dropFirst(Int(length))
    }
    return descriptors
  }

  /// A little-endian number of 16 bits.
  private static func word(_ bytes: [UInt8], _ offset: Int) -> Int { Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 }
}
