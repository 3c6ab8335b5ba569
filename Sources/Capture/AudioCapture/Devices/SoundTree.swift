internal import Glibc

/// Reads what files say about the inputs of sound cards: `/dev/snd`, sysfs, and `/proc/asound` where it is mounted.
struct SoundTree: Sendable {
  var deviceDirectory = "/dev"
  var sysfs = "/sys"
  var procfs = "/proc"

  /// An input's node: `pcmC<card>D<device>c`.
  struct Node: Hashable, Sendable {
    var card: Int
    var device: Int

    /// The node with this file name; nil for a file that is no input's node.
    init?(_ name: String) {
      guard name.hasPrefix("pcmC"), name.hasSuffix("c") else { return nil }
      let numbers = name.dropFirst(4).dropLast().split(separator: "D", omittingEmptySubsequences: false).map { Int($0) }
      guard numbers.count == 2, let card = numbers[0], let device = numbers[1] else { return nil }
      (self.card, self.device) = (card, device)
    }
  }

  /// The hardware of a card.
  struct Hardware: Hashable, Sendable {
    /// The card's id, which the kernel makes of its name. No two cards have the same.
    var cardID: String
    /// Where the card is attached, as cameras spell it; empty when sysfs does not tell.
    var location = ""
    /// The vendor and the product of a USB device as `vendor-product`, and its serial number; nil for other cards.
    var model: String?
    var serial: String?
  }

  /// The nodes of all inputs, by card and device.
  func nodes() -> [Node] {
    guard let directory = opendir(deviceDirectory + "/snd") else { return [] }
    defer { closedir(directory) }
    var nodes: [Node] = []
    while let entry = readdir(directory) {
      let name = UnsafeRawPointer(entry).advanced(by: MemoryLayout<dirent>.offset(of: \.d_name)!)
      if let node = Node(String(cString: name.assumingMemoryBound(to: CChar.self))) { nodes.append(node) }
    }
    return nodes.sorted { ($0.card, $0.device) < ($1.card, $1.device) }
  }

  func path(of node: Node) -> String { "\(deviceDirectory)/snd/pcmC\(node.card)D\(node.device)c" }

  /// The hardware of the card of `node`.
  func hardware(of node: Node) -> Hardware {
    let card = "\(sysfs)/class/sound/card\(node.card)"
    var hardware = Hardware(cardID: attribute(card + "/id") ?? "card\(node.card)")
    guard let device = resolve(card + "/device") else { return hardware }
    hardware.location = location(device)
    // The card's device is an interface of the USB device.
    for usb in [device, device + "/.."] {
      guard let vendor = attribute(usb + "/idVendor"), let product = attribute(usb + "/idProduct") else { continue }
      hardware.model = "\(vendor)-\(product)"
      hardware.serial = attribute(usb + "/serial")
      break
    }
    return hardware
  }

  /// The rate and the number of channels that a program has set on an input that it uses; nil when none has, or when
  /// the files do not tell.
  func running(_ node: Node) -> (sampleRate: Int, channelCount: Int)? {
    let file = "\(procfs)/asound/card\(node.card)/pcm\(node.device)c/sub0/hw_params"
    var values: [Substring: Int] = [:]
    for line in lines(file) {
      let parts = line.split(separator: " ")
      if parts.count >= 2, let number = Int(parts[1]) { values[parts[0]] = number }
    }
    guard let rate = values["rate:"], let channels = values["channels:"] else { return nil }
    return (rate, channels)
  }

  /// The place of a device, spelled as `bus_info` of a camera at the same place.
  private func location(_ device: String) -> String {
    let parts = device.split(separator: "/").map(String.init)
    // The path of a USB device is …/<controller>/usb<bus>/<bus>-<ports>/…
    if let root = parts.lastIndex(where: { $0.hasPrefix("usb") && Int($0.dropFirst(3)) != nil }), root > 0 {
      let ports = [device, device + "/.."].lazy.compactMap { attribute($0 + "/devpath") }.first
      return ports.map { "usb-\(parts[root - 1])-\($0)" } ?? ""
    }
    switch resolve(device + "/subsystem")?.split(separator: "/").last {
    case "pci": return "PCI:" + (parts.last ?? "")
    case "platform": return "platform:" + (parts.last ?? "")
    default: return parts.last ?? ""
    }
  }

  private func resolve(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private func attribute(_ path: String) -> String? {
    lines(path).first.map { line in
      String(line.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The lines of the first 4 KiB of a file; none when it cannot be read.
  private func lines(_ path: String) -> [Substring] {
    guard let file = fopen(path, "re") else { return [] }
    defer { fclose(file) }
    let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { $1 = fread($0.baseAddress, 1, $0.count, file) }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }
}
