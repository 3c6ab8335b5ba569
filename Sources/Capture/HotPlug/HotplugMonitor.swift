internal import CV4L2
internal import Glibc

/// Receives the events of device nodes that come, go or change their permissions. One thread uses it.
///
/// The monitor has two sources, because neither suffices: kernel uevents do not reach containers, and inotify does not
/// report a device that vanishes while its node stays. When one source cannot be opened, the monitor uses the other
/// alone.
package final class HotplugMonitor {
  private let uevents: Int32
  private let directory: Int32
  private let folders: [String]
  private let names: [String]
  private let subsystem: String

  /// The descriptors of the sources that could be opened, for `poll`.
  package var descriptors: [Int32] { [uevents, directory].filter { $0 >= 0 } }

  /// Begins to watch.
  ///
  /// - Parameters:
  ///   - folders: the folders of the nodes. A folder may come later, if its coming is an event.
  ///   - names: how the names of the nodes begin.
  ///   - subsystem: the kernel's name for the kind of devices.
  package init(folders: [String], names: [String], subsystem: String) {
    (self.folders, self.names, self.subsystem) = (folders, names, subsystem)
    uevents = Self.openUevents()
    directory = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    watchFolders()
  }

  /// Watches every folder that is there. A folder that is watched already stays so.
  private func watchFolders() {
    guard directory >= 0 else { return }
    for folder in folders {
      // udev gives the node to its group after the node was created, which only IN_ATTRIB reports.
      inotify_add_watch(directory, folder, UInt32(IN_CREATE | IN_DELETE | IN_ATTRIB))
    }
  }

  deinit { for descriptor in descriptors { close(descriptor) } }

  /// Reads all waiting events, so that a burst of events causes one enumeration.
  ///
  /// - Returns: whether an event concerns one of the nodes, or events were lost.
  package func drain() -> Bool {
    let kernel = drain(uevents) { Uevent.concerns(subsystem, $0) }
    let files = drain(directory) { DirectoryEvents.concern(names, $0) }
    if kernel || files, folders.count > 1 { watchFolders() }
    return kernel || files
  }

  private func drain(_ descriptor: Int32, _ concerns: (UnsafeRawBufferPointer) -> Bool) -> Bool {
    guard descriptor >= 0 else { return false }
    var found = false
    withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 8) { buffer in
      while true {
        let count = read(descriptor, buffer.baseAddress!, buffer.count)
        if count > 0 {
          if concerns(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { found = true }
        } else if count < 0, errno == ENOBUFS {
          // ENOBUFS means that the kernel dropped events, and any of them may have concerned one of the nodes.
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
    // Group 1 carries the kernel's own messages, to which only root can send; udevd sends its messages to group 2.
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

/// A kernel uevent: `action@path`, then fields of the form `KEY=value`. A NUL ends each part.
package enum Uevent {
  /// Whether the message is about a device of the subsystem.
  package static func concerns(_ subsystem: String, _ message: UnsafeRawBufferPointer) -> Bool {
    message.split(separator: 0).contains { $0.elementsEqual("SUBSYSTEM=\(subsystem)".utf8) }
  }
}

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
