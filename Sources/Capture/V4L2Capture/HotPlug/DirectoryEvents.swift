internal import CV4L2
internal import Glibc

/// A read from inotify: events of a 16-byte header, the last four of which are the length of the name that follows.
enum DirectoryEvents {
  static func concernVideo(_ events: UnsafeRawBufferPointer) -> Bool {
    var position = 0
    while position + 16 <= events.count {
      let mask = events.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self)
      if mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
      let length = Int(events.loadUnaligned(fromByteOffset: position + 12, as: UInt32.self))
      let start = position + 16
      guard start + length <= events.count else { return false }
      if events[start..<(start + length)].starts(with: "video".utf8) { return true }
      position = start + length
    }
    return false
  }
}
