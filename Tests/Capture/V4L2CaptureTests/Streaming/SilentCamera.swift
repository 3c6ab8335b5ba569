import Dispatch
import Glibc

@testable import V4L2Capture

/// The fake kernel, whose cameras are all the same, with one camera that can fall silent. A call of a silent camera
/// keeps its caller waiting, as a driver does for seconds, until the test lets the camera answer.
final class SilentCamera: Syscalls {
  private let kernel: FakeKernel
  private let path: String
  private let call: String
  private let descriptors = Locked<Set<Int32>>([])
  private let isSilent = Locked(false)
  private let gate = DispatchSemaphore(value: 0)
  private let arrived: AsyncStream<Void>
  private let arrivals: AsyncStream<Void>.Continuation

  /// - Parameters:
  ///   - path: the node of the camera, as a provider opens it.
  ///   - call: the name of the call that gets no answer, such as `"VIDIOC_G_EXT_CTRLS"`.
  init(_ path: String, silentAt call: String, in kernel: FakeKernel) {
    (self.kernel, self.path, self.call) = (kernel, path, call)
    (arrived, arrivals) = AsyncStream.makeStream()
  }

  func fallSilent() { isSilent.withLock { $0 = true } }

  /// Returns when a caller waits for the camera.
  func isAsked() async { for await _ in arrived { return } }

  /// Answers the caller that waits, and all callers from now on.
  func answer() { gate.signal() }

  func open(_ path: String) throws(Errno) -> Int32 {
    let descriptor = try kernel.open(path)
    if path == self.path { descriptors.withLock { _ = $0.insert(descriptor) } }
    return descriptor
  }

  func close(_ descriptor: Int32) {
    descriptors.withLock { _ = $0.remove(descriptor) }
    kernel.close(descriptor)
  }

  func ioctl(_ descriptor: Int32, _ request: UInt, _ argument: UnsafeMutableRawPointer) throws(Errno) {
    if isSilent.withLock({ $0 }), descriptors.withLock({ $0.contains(descriptor) }),
      VideoRequest.all.first(where: { $0.number == request })?.name == call
    {
      arrivals.yield()
      // When the calls of a test wait for each other, the test fails by this error instead of never ending.
      guard gate.wait(timeout: .now() + 30) == .success else { throw Errno(ETIMEDOUT) }
      gate.signal()
    }
    try kernel.ioctl(descriptor, request, argument)
  }

  func map(_ descriptor: Int32, length: Int, offset: Int) throws(Errno) -> UnsafeMutableRawPointer {
    try kernel.map(descriptor, length: length, offset: offset)
  }

  func unmap(_ base: UnsafeMutableRawPointer, length: Int) { kernel.unmap(base, length: length) }

  func detach(_ base: UnsafeMutableRawPointer, length: Int) throws(Errno) { try kernel.detach(base, length: length) }

  func poll(_ descriptors: inout [pollfd], milliseconds: Int32) throws(Errno) {
    try kernel.poll(&descriptors, milliseconds: milliseconds)
  }
}
