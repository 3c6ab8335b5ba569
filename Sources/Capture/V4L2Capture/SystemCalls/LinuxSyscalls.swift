internal import CV4L2
internal import Glibc

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
