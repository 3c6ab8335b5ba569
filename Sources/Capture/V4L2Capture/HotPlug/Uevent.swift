internal import CV4L2

/// A kernel uevent: `action@path`, then fields of the form `KEY=value`. A NUL ends each part.
enum Uevent {
  /// Whether the message is about a device of the subsystem video4linux.
  static func concernsVideo(_ message: UnsafeRawBufferPointer) -> Bool {
    message.split(separator: 0).contains { $0.elementsEqual("SUBSYSTEM=video4linux".utf8) }
  }
}
