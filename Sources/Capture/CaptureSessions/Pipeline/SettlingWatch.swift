public import CaptureCore
internal import Locking
internal import Synchronization

/// Returns the mean luma of a picture, 0 to 255; nil when its format cannot be read. Called on a thread of its own.
public typealias LumaMeter = @Sendable (Frame) -> Double?

/// Finds the first settled frame of a launch.
///
/// The capture thread only puts each frame into a mailbox that holds one, and a single atomic load tells it when no
/// watch is under way. A thread of the lowest priority measures the frames, because it must decode compressed pictures;
/// frames that come while it is busy are left out.
final class SettlingWatch: Sendable {
  /// The number of frames after which the watch gives up, because the scene is not going to settle.
  static let maximumFrames = 1000

  private let inbox = Locked<Mailbox<Frame>?>(nil)
  private let isWatching = Atomic<Bool>(false)
  private let measure: LumaMeter
  private let onEnd: @Sendable (Frame?) -> Void

  /// - Parameters:
  ///   - measure: returns the mean luma of a picture.
  ///   - onEnd: called once for each ``begin()``, with the first settled frame, or nil when there was none. Not called
  ///     when ``end()`` or another ``begin()`` comes first.
  init(measure: @escaping LumaMeter, onEnd: @escaping @Sendable (Frame?) -> Void) {
    self.measure = measure
    self.onEnd = onEnd
  }

  /// Begins a watch over the frames that are offered from now on.
  func begin() {
    let mailbox = Mailbox<Frame>(depth: 1)
    inbox.withLock { inbox in
      inbox?.close()
      inbox = mailbox
    }
    do {
      try WorkerThread.start(name: "settling", niceness: 19) { [self] in
        let found = watch(mailbox)
        // `end()` or another `begin()` ended this watch, so its result is not needed.
        guard forget(mailbox) else { return }
        onEnd(found)
      }
      isWatching.store(true, ordering: .releasing)
    } catch {
      if forget(mailbox) { onEnd(nil) }
    }
  }

  /// Whether a thread looks at frames now.
  var isLooking: Bool { isWatching.load(ordering: .acquiring) }

  /// Ends the watch without a result.
  func end() {
    isWatching.store(false, ordering: .releasing)
    inbox.withLock { inbox in
      inbox?.close()
      inbox = nil
    }
  }

  /// Offers a frame to the watch. The capture thread calls this after every output has received the frame.
  func offer(_ frame: Frame) {
    guard isWatching.load(ordering: .acquiring) else { return }
    inbox.withLock { $0 }?.put(frame)
  }

  private func watch(_ mailbox: Mailbox<Frame>) -> Frame? {
    var candidates = SettlingWindow<Frame>()
    for _ in 0..<Self.maximumFrames {
      guard let frame = mailbox.take() else { return nil }
      guard let luma = measure(frame) else {
        // A damaged frame says nothing of the next one, so go on. Any other frame without luma has a format that cannot
        // be read.
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

/// Recognises three frames in a row that are equally bright. A value.
struct SettlingWindow<Candidate> {
  private var recent: [(candidate: Candidate, luma: Double)] = []

  /// Adds the next frame.
  ///
  /// - Parameter luma: the mean luma of the picture, 0 to 255.
  /// - Returns: the first of the last three frames if they are equally bright; else nil.
  mutating func add(_ candidate: Candidate, luma: Double) -> Candidate? {
    recent.append((candidate, luma))
    if recent.count > 3 { recent.removeFirst() }
    guard recent.count == 3, Settling.isSettled(recent.map(\.luma)) else { return nil }
    return recent[0].candidate
  }
}
