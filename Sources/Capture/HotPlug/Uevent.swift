/// A kernel uevent: `action@path`, then fields of the form `KEY=value`. A NUL ends each part.
package enum Uevent {
  /// Whether the message is about a device of the subsystem.
  package static func concerns(_ subsystem: String, _ message: UnsafeRawBufferPointer) -> Bool {
    message.split(separator: 0).contains { $0.elementsEqual("SUBSYSTEM=\(subsystem)".utf8) }
  }
}
