internal import Glibc
internal import HotPlug

extension Wakeup {
  /// Makes a wakeup.
  ///
  /// - Throws: the error of eventfd(2), mostly EMFILE.
  static func make() throws(VideoNodeError) -> Wakeup {
    guard let wakeup = Wakeup() else { throw VideoNodeError(call: "eventfd", errno: Errno(errno)) }
    return wakeup
  }
}
