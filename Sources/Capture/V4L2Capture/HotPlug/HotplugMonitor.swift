internal import CV4L2
internal import Glibc

/// Hears of video nodes that come, go or change their permissions.
///
/// Two sources, because neither suffices: kernel uevents do not reach containers, and inotify does not tell of devices
/// that vanish behind a node that stays. Where one cannot be opened, the other serves alone.
final class HotplugMonitor {
  private let uevents: Int32
  private let directory: Int32

  /// Those that are open, for `poll`.
  var descriptors: [Int32] { [uevents, directory].filter { $0 >= 0 } }

  init(deviceDirectory: String) {
    uevents = Self.openUevents()
    directory = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    if directory >= 0 {
      // IN_ATTRIB: udev gives the node to its group after creating it.
      inotify_add_watch(directory, deviceDirectory, UInt32(IN_CREATE | IN_DELETE | IN_ATTRIB))
    }
  }

  deinit { for descriptor in descriptors { close(descriptor) } }

  /// Reads all that is waiting, so that a burst of events counts once.
  ///
  /// - Returns: whether any of it concerns a video node, or events were lost.
  func drain() -> Bool {
    let kernel = drain(uevents) { Uevent.concernsVideo($0) }
    let files = drain(directory) { DirectoryEvents.concernVideo($0) }
    return kernel || files
  }

  private func drain(_ descriptor: Int32, _ concernsVideo: (UnsafeRawBufferPointer) -> Bool) -> Bool {
    guard descriptor >= 0 else { return false }
    var found = false
    withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 8) { buffer in
      while true {
        let count = read(descriptor, buffer.baseAddress!, buffer.count)
        if count > 0 {
          if concernsVideo(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { found = true }
        } else if count < 0, errno == ENOBUFS {
          // The kernel dropped events: anything may have happened.
          found = true
        } else if count < 0, errno == EINTR {
          continue
        } else {
          return
        }
      }
    }
    return found
  }

  private static func openUevents() -> Int32 {
    let descriptor = socket(
      AF_NETLINK, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), NETLINK_KOBJECT_UEVENT)
    guard descriptor >= 0 else { return -1 }
    var address = sockaddr_nl()
    address.nl_family = sa_family_t(AF_NETLINK)
    // Group 1 is the kernel itself; udevd's own messages go to group 2. Only root can send to it.
    address.nl_groups = 1
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_nl>.size))
      }
    }
    guard bound == 0 else {
      close(descriptor)
      return -1
    }
    return descriptor
  }
}
