internal import CV4L2
internal import Glibc

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
