internal import CV4L2
internal import Glibc

/// A thread for work that blocks, which Swift's own pool must never do.
enum DedicatedThread {
  private final class Body {
    let name: String
    let run: @Sendable () -> Void
    init(name: String, run: @escaping @Sendable () -> Void) {
      self.name = name
      self.run = run
    }
  }

  /// Runs `body` on a thread of its own. Nobody joins it: `body` tells whom it concerns, as its last act.
  ///
  /// - Parameter name: as `top -H` shows it; cut to the kernel's 15 bytes.
  static func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
    let context = Unmanaged.passRetained(Body(name: name, run: body))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    let error = pthread_create(&thread, &attributes, main, context.toOpaque())
    precondition(error == 0, "pthread_create failed: \(error)")
  }

  private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
    let body = Unmanaged<Body>.fromOpaque(context!).takeRetainedValue()
    var name = String()
    for character in body.name where name.utf8.count + character.utf8.count <= 15 { name.append(character) }
    CV4L2_name_thread(name)
    body.run()
    return nil
  }
}
