public import CaptureCore
internal import Synchronization

/// Shows what the camera sees to any number of readers: each gets the newest frame, and the count of what it missed.
///
/// A camera's own bytes go straight into the readers' slots on the capture thread. Everything else is encoded once per
/// distinct (encoding, quality, size), on a thread that exists only while someone wants it. Thread-safe.
///
/// Frames that come before ``prepare()`` are counted, not shown.
public final class PreviewOutput: CaptureOutput {
  /// Encodings that run at once at most.
  package static let maxEncodings = 8
  /// Readers at most.
  package static let maxReaders = 1024
  /// Frames that must be left to lend before the camera's own are offered to readers, so that readers who do not read
  /// can take memory from each other, but not from the camera and all who depend on it.
  static let framesLeftToCamera = 4

  public let id: String
  /// Let go of by ``close(_:)``, because the session holds its outputs too.
  private let session: Mutex<(any OutputContext)?>
  let directory: ReaderDirectory
  /// Encoded pictures: what slow readers may hold before frames are dropped for want of buffers. Raw ones are ten times
  /// as large, and must not use up the memory of all others.
  private let (pool, rawPool) = (FramePool(budget: 64 << 20), FramePool(budget: 64 << 20))
  let makeEncoder: MakePictureEncoder
  let now: @Sendable () -> UInt64
  let state = Mutex(PreviewState())
  let encodes = Atomic<UInt64>(0)
  let cadence = CadenceMeter()
  /// Between the camera's frames and ``take(_:onlyAsFirst:)``.
  let composer = PreviewComposer()

  /// - Parameters:
  ///   - id: unique in the session.
  ///   - context: retained until ``close(_:)``. Not called before the first frame or reader.
  ///   - directory: where readers are found by token; one for the daemon.
  ///   - usesHardwareEncoders: whether video is encoded by the machine's own encoder where there is one.
  public convenience init(
    id: String, context: any OutputContext, directory: ReaderDirectory, usesHardwareEncoders: Bool = false
  ) {
    self.init(
      id: id, context: context, directory: directory,
      makeEncoder: PictureEncoding.make(usingHardware: usesHardwareEncoders),
      now: { SystemClock.monotonicNanoseconds() })
  }

  init(
    id: String, context: any OutputContext, directory: ReaderDirectory,
    makeEncoder: @escaping MakePictureEncoder, now: @escaping @Sendable () -> UInt64
  ) {
    self.id = id
    session = Mutex(context)
    self.directory = directory
    self.makeEncoder = makeEncoder
    self.now = now
  }

  /// Pictures encoded so far. Does not grow while nobody watches, nor for what is passed through.
  public var encodeCount: UInt64 { encodes.load(ordering: .relaxed) }

  /// Readers attached now.
  public var readerCount: Int { state.withLock { $0.routing.readerCount } }

  public var counts: OutputCounts? {
    state.withLock {
      OutputCounts(
        received: $0.tally.received, lost: $0.tally.missing, readers: $0.routing.readerCount, cadence: cadence.current)
    }
  }

  /// Lets frames through from now on. Encoders are made later, on their threads, when someone wants them.
  public func prepare() async throws(CaptureError) {
    state.withLock { $0.isPrepared = true }
    tellWhetherOpen()
  }

  public func receive(_ frame: CapturedFrame) {
    if let plain = composer.pass(frame) { take(plain) }
  }

  public func update(_ conditions: OutputConditions) {
    composer.setConnection(conditions.connection)
    let expected = conditions.expectedLayout.flatMap { composer.composed($0) }
    let changes = state.withLock { $0.update(conditions, expecting: expected) }
    perform(changes.work)
    if changes.opensOrCloses { tellWhetherOpen() }
    for slot in changes.slots { slot.update(session: conditions.status) }
    for (slot, picture) in changes.expectations { slot.update(session: conditions.status, expecting: picture) }
  }

  private func tellWhetherOpen() {
    for slot in state.withLock({ Array($0.slots.values) }) { slot.update { state.withLock(\.isOpen) } }
  }

  public func close(_ error: CaptureError) {
    composer.close(error)
    let work = state.withLock { $0.close(error) }
    perform(work, refusing: error)
    session.withLock { $0 = nil }
  }

  func pool(for format: PixelFormat) -> FramePool { format == .jpeg || format == .h264 ? pool : rawPool }

  /// Nil once closed.
  var context: (any OutputContext)? { session.withLock { $0 } }

  /// Attaches a reader. Its first event is the status; the newest frame follows at once if it is at most two periods old and
  /// the output is prepared.
  ///
  /// - Throws: `invalidArgument`; `tooManyRequests` above 8 encodings or 1,024 readers; once closed, the error of that.
  public func attach(_ request: PreviewRequest) throws(CaptureError) -> PreviewReader {
    try request.validate()
    let newest = freshNewest()
    // Added to a running session, the output may not have been given a frame yet.
    if let newest { take(newest, onlyAsFirst: true) }
    let token = RandomToken.make()
    let observer = ReaderSlot.LinkObserver(now: now) { [weak self] token, reduction in
      guard let self else { return }
      perform(state.withLock { $0.reduce(token, to: reduction) })
    }
    let (slot, work, way) = try state.withLock { state throws(CaptureError) in
      let (slot, work) = try state.add(token, request, observer: observer)
      // A newer one came meanwhile: the reader gets it like everyone. Before the preview has started nobody gets any.
      let isReceived = state.isOpen && newest.map { FrameID($0.frame) == state.newest } ?? false
      return (slot, work, isReceived ? state.way(to: token) : nil)
    }
    directory.add(slot)
    // Closed in between: then nobody else will remove it.
    if !state.withLock({ $0.slots[token] != nil }) { directory.remove(token) }
    perform(work)
    if let newest, let way { catchUp(PreviewState.Recipient(slot: slot, pace: request.pace(.none)), newest, way) }
    return PreviewReader(slot: slot, encoding: request.encoding, output: self, context: context)
  }

  /// Ends the reader of `token`, and its encoding if it was the last; unknown tokens are ignored.
  func detach(_ token: String) {
    let (slot, work) = state.withLock { $0.remove(token) }
    perform(work)
    guard let slot else { return }
    directory.remove(token)
    slot.end(.detached)
  }
}
