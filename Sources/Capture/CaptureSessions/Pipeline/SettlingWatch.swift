public import CaptureCore
internal import Synchronization

/// The mean luma of a picture, 0 to 255; nil when its format cannot be read. Called on a thread of its own.
public typealias LumaMeter = @Sendable (Frame) -> Double?

/// Finds the first frame of a launch whose exposure is stable.
///
/// The capture thread only puts frames into a mailbox of one, and one load says when nobody looks any more. Measuring has
/// a thread below every other, since a compressed picture must be decoded for it; frames that come meanwhile are left out.
final class SettlingWatch: Sendable {
  /// When nothing settled in so many frames, the scene is not going to.
  static let maximumFrames = 1000

  private let inbox = Mutex<Mailbox<Frame>?>(nil)
  private let isWatching = Atomic<Bool>(false)
  private let measure: LumaMeter
  private let onEnd: @Sendable (Frame?) -> Void

  /// - Parameter onEnd: called once for each ``begin()`` that is not ended before, with the first settled frame, or nil
  ///   when none was found.
  init(measure: @escaping LumaMeter, onEnd: @escaping @Sendable (Frame?) -> Void) {
    self.measure = measure
    self.onEnd = onEnd
  }

  /// Looks at the frames offered from now on.
  func begin() {
    let mailbox = Mailbox<Frame>(depth: 1)
    inbox.withLock { inbox in
      inbox?.close()
      inbox = mailbox
    }
    do {
      try WorkerThread.start(name: "settling", niceness: 19) { [self] in
        let found = watch(mailbox)
        // Ended from outside: nobody waits for the answer.
        guard forget(mailbox) else { return }
        onEnd(found)
      }
      isWatching.store(true, ordering: .releasing)
    } catch {
      if forget(mailbox) { onEnd(nil) }
    }
  }

  /// Looks no further.
  func end() {
    isWatching.store(false, ordering: .releasing)
    inbox.withLock { inbox in
      inbox?.close()
      inbox = nil
    }
  }

  /// Called on the capture thread, after every output has had the frame.
  func offer(_ frame: Frame) {
    guard isWatching.load(ordering: .acquiring) else { return }
    inbox.withLock { $0 }?.put(frame)
  }

  private func watch(_ mailbox: Mailbox<Frame>) -> Frame? {
    var candidates = SettlingWindow<Frame>()
    for _ in 0..<Self.maximumFrames {
      guard let frame = mailbox.take() else { return nil }
      guard let luma = measure(frame) else {
        // The next one may be a picture again.
        if frame.buffer.isDamaged { continue }
        return nil
      }
      if let settled = candidates.add(frame, luma: luma) { return settled }
    }
    return nil
  }

  private func forget(_ mailbox: Mailbox<Frame>) -> Bool {
    inbox.withLock { inbox in
      guard inbox === mailbox else { return false }
      isWatching.store(false, ordering: .releasing)
      inbox = nil
      return true
    }
  }
}
