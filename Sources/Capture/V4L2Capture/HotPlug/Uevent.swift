internal import CV4L2

/// A message of the kernel: `action@path`, then `KEY=value` fields, each ended by NUL.
enum Uevent {
  static func concernsVideo(_ message: UnsafeRawBufferPointer) -> Bool {
    message.split(separator: 0).contains { $0.elementsEqual("SUBSYSTEM=video4linux".utf8) }
  }
}
