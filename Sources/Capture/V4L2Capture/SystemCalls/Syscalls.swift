internal import CV4L2
internal import Glibc

/// Every system call on a video node. Tests replace the system calls by a simulated device.
protocol Syscalls: Sendable {
  /// Opens `path` for reading and writing, non-blocking and close-on-exec. The caller owns the descriptor that the call
  /// returns.
  func open(_ path: String) throws(Errno) -> Int32
  func close(_ descriptor: Int32)
  /// Performs `request`, and repeats the call while a signal interrupts it. `argument` points to the C struct that
  /// belongs to `request`.
  func ioctl(_ descriptor: Int32, _ request: UInt, _ argument: UnsafeMutableRawPointer) throws(Errno)
  /// Maps `length` bytes of a kernel buffer from `offset` on, as shared memory for reading and writing. The memory must
  /// be writable, because libv4lconvert uses its source as scratch space. The caller unmaps the memory.
  func map(_ descriptor: Int32, length: Int, offset: Int) throws(Errno) -> UnsafeMutableRawPointer
  func unmap(_ base: UnsafeMutableRawPointer, length: Int)
  /// Replaces a mapping by memory of this process with the same bytes, at the same address, while other threads read
  /// it. When the call throws, the mapping is still there. The caller unmaps the memory.
  func detach(_ base: UnsafeMutableRawPointer, length: Int) throws(Errno)
  /// Waits until a descriptor is ready, for at most `milliseconds`; a negative number waits without limit. When a
  /// signal interrupts the wait, the call returns early with all `revents` 0.
  func poll(_ descriptors: inout [pollfd], milliseconds: Int32) throws(Errno)
}

/// The system calls of the running kernel.
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

  func detach(_ base: UnsafeMutableRawPointer, length: Int) throws(Errno) {
    let error = CV4L2_detach_mapping(base, length)
    if error != 0 { throw Errno(error) }
  }

  func poll(_ descriptors: inout [pollfd], milliseconds: Int32) throws(Errno) {
    if Glibc.poll(&descriptors, nfds_t(descriptors.count), milliseconds) < 0 {
      guard errno == EINTR else { throw Errno(errno) }
      for index in descriptors.indices { descriptors[index].revents = 0 }
    }
  }
}
