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
