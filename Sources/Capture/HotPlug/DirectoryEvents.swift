internal import CV4L2
internal import Glibc

/// The events of one read from inotify. Each event is a header of 16 bytes and a name; the last four bytes of the
/// header are the length of the name, see inotify(7).
package enum DirectoryEvents {
  /// Whether an event names a file whose name begins with one of `names`, or the kernel lost events.
  package static func concern(_ names: [String], _ events: UnsafeRawBufferPointer) -> Bool {
    var position = 0
    while position + 16 <= events.count {
      let mask = events.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self)
      if mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
      let length = Int(events.loadUnaligned(fromByteOffset: position + 12, as: UInt32.self))
      let start = position + 16
      guard start + length <= events.count else { return false }
      let name = events[start..<(start + length)]
      if names.contains(where: { name.starts(with: $0.utf8) }) { return true }
      position = start + length
    }
    return false
  }
}
