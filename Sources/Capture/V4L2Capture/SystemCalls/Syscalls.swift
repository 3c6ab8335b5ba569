internal import CV4L2
internal import Glibc

/// An errno, and nothing else.
struct Errno: Error, Hashable {
  var rawValue: Int32

  init(_ rawValue: Int32) { self.rawValue = rawValue }

  /// The symbolic name, `"EBUSY"`; the number in decimal when the C library has no name for it.
  var name: String { CV4L2_errno_name(rawValue).map { String(cString: $0) } ?? String(rawValue) }
}

/// Every system call that touches a video node, so that tests can put a device made of values in its place.
protocol Syscalls: Sendable {
  /// Opens for reading and writing, non-blocking, closed on exec.
  func open(_ path: String) throws(Errno) -> Int32
  func close(_ descriptor: Int32)
  /// `argument` is the struct that belongs to `request`; repeated when a signal interrupts it.
  func ioctl(_ descriptor: Int32, _ request: UInt, _ argument: UnsafeMutableRawPointer) throws(Errno)
  /// Maps a kernel buffer shared, for reading and writing (libv4lconvert uses its source as scratch space).
  func map(_ descriptor: Int32, length: Int, offset: Int) throws(Errno) -> UnsafeMutableRawPointer
  func unmap(_ base: UnsafeMutableRawPointer, length: Int)
  /// Waits for so many milliseconds; returns early, with nothing set, when a signal interrupts it.
  func poll(_ descriptors: inout [pollfd], milliseconds: Int32) throws(Errno)
}

/// The kernel's own.
struct LinuxSyscalls: Syscalls {
  func open(_ path: String) throws(Errno) -> Int32 {
    let descriptor = Glibc.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw Errno(errno) }
    return descriptor
  }

  func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

  func ioctl(_ descriptor: Int32, _ request: UInt, _ argument: UnsafeMutableRawPointer) throws(Errno) {
    let error = CV4L2_ioctl(descriptor, request, argument)
    if error != 0 { throw Errno(error) }
  }

  func map(_ descriptor: Int32, length: Int, offset: Int) throws(Errno) -> UnsafeMutableRawPointer {
    let base = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, offset)
    guard let base, base != MAP_FAILED else { throw Errno(errno) }
    return base
  }

  func unmap(_ base: UnsafeMutableRawPointer, length: Int) { munmap(base, length) }

  func poll(_ descriptors: inout [pollfd], milliseconds: Int32) throws(Errno) {
    if Glibc.poll(&descriptors, nfds_t(descriptors.count), milliseconds) < 0 {
      guard errno == EINTR else { throw Errno(errno) }
      for index in descriptors.indices { descriptors[index].revents = 0 }
    }
  }
}
