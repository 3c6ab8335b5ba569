public import CaptureCore
internal import Locking
internal import Synchronization
internal import SystemClocks

/// Shows what the camera sees to many readers. Each reader gets the newest frame, and the count of the frames that it
/// missed. Thread-safe.
///
/// The capture thread puts the camera's own bytes straight into the slots of readers who can take them. Every other
/// picture is encoded once for all readers who want the same encoding, quality and size, on a thread that exists only
/// while a reader wants that picture.
///
/// The output counts frames that come before ``prepare()``, but shows them to nobody.
public final class PreviewOutput: CaptureOutput {
  /// The most encodings that may run when a reader attaches; a reader that needs one more is refused. A later change of
  /// the frames or of the pressure may split the encodings of the readers who are there, up to twice as many.
  package static let maxEncodings = 8
  /// The most readers at once.
  package static let maxReaders = 1024
  /// How many frames the pool must still be able to lend when the preview offers a frame of the camera's own to
  /// readers. Readers who do not read can then take memory from each other, but not from the camera and from all that
  /// depends on the camera.
  static let framesLeftToCamera = 4

  /// The output's id, unique in the session.
  public let id: String
  /// The output's view of its session. ``close(_:)`` sets nil, because the session holds its outputs too.
  private let session: Locked<(any OutputContext)?>
  let directory: ReaderDirectory
  /// Memory of encoded pictures: as much as slow readers may hold before frames are dropped for want of buffers. Raw
  /// pictures are ten times as large and have a pool of their own, so that they do not use up the memory of all others.
  private let (pool, rawPool) = (FramePool(budget: 64 << 20), FramePool(budget: 64 << 20))
  let makeEncoder: MakePictureEncoder
  let now: @Sendable () -> MonotonicInstant
  let state = Locked(PreviewState())
  let encodes = Atomic<UInt64>(0)
  let cadence = CadenceMeter()
  private let audio = PreviewAudio()
  /// Stands between the camera's frames and ``take(_:onlyAsFirst:drawnAfter:)``.
  let composer = PreviewComposer()

  /// Makes an output without readers.
  ///
  /// - Parameters:
  ///   - id: the output's id, unique in the session.
  ///   - context: the output's view of its session, which the output retains until ``close(_:)``. The output does not
  ///     call the context before the first frame or reader.
  ///   - directory: where readers are found by their token. The daemon has one directory for all outputs.
  ///   - usesHardwareEncoders: whether the machine's own encoder encodes video where there is one.
  public convenience init(
    id: String, context: any OutputContext, directory: ReaderDirectory, usesHardwareEncoders: Bool = false
  ) {
    self.init(
      id: id, context: context, directory: directory,
      makeEncoder: PictureEncoding.make(usingHardware: usesHardwareEncoders),
      now: { .now() })
  }

  init(
    id: String, context: any OutputContext, directory: ReaderDirectory,
    makeEncoder: @escaping MakePictureEncoder, now: @escaping @Sendable () -> MonotonicInstant
  ) {
    self.id = id
    session = Locked(context)
    self.directory = directory
    self.makeEncoder = makeEncoder
    self.now = now
  }

  /// Pictures encoded so far. The count does not grow while the preview has no readers, nor by pictures that are passed
  /// through.
  public var encodeCount: UInt64 { encodes.load(ordering: .relaxed) }

  /// How long a camera may take for a frame, in nanoseconds. 0 once the output is closed.
  public var framePatienceNanoseconds: UInt64 { context?.framePatienceNanoseconds ?? 0 }

  /// Readers that are attached now.
  public var readerCount: Int { state.withLock { $0.routing.readerCount } }

  /// The frames that the output received and the source lost so far, the readers, and how evenly readers got their
  /// frames. Never nil.
  public var counts: OutputCounts? {
    state.withLock {
      OutputCounts(
        received: $0.received.tally.received, lost: $0.received.tally.missing, readers: $0.routing.readerCount,
        cadence: cadence.current)
    }
  }

  /// Lets frames through from now on. Each encoder is made later, on its own thread, when a reader wants the encoding.
  /// Never throws.
  public func prepare() async throws(CaptureError) {
    state.withLock { $0.isPrepared = true }
    tellWhetherOpen()
  }

  /// Takes a frame of the camera, on the capture thread. Neither draws nor encodes nor waits.
  public func receive(_ frame: CapturedFrame) {
    if let plain = composer.pass(frame) { take(plain) }
  }

  /// Hands sound to the readers that want it, on the thread that captures it.
  public func receive(_ block: AudioBlock, of input: String) { audio.receive(block, of: input) }

  /// Attaches a reader of the sound of the microphones that are connected now. Nil when there are none.
  public func attachAudio() -> PreviewAudioReader? {
    let connections = state.withLock(\.conditions.audio)
    return connections.isEmpty ? nil : audio.attach(connections)
  }

  /// Takes the conditions that hold from now on, changes encodings accordingly, and tells readers of a changed status.
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

  /// Ends all readers and a program's part in the preview with `error`, and lets go of the session.
  public func close(_ error: CaptureError) {
    composer.close(error)
    let work = state.withLock { $0.close(error) }
    perform(work, refusing: error)
    session.withLock { $0 = nil }
  }

  func pool(for format: PixelFormat) -> FramePool { format == .jpeg || format == .h264 ? pool : rawPool }

  /// The output's view of its session. Nil once the output is closed.
  var context: (any OutputContext)? { session.withLock { $0 } }

  /// Attaches a reader. The reader's first event is the status. The newest frame follows at once if it is at most two
  /// periods old and the output is prepared.
  ///
  /// - Parameter request: what the reader wants.
  /// - Throws: `invalidArgument` for a request with a value out of range; `tooManyRequests` when the reader needs more
  ///   than 8 encodings to run or there are 1,024 readers already; once the output is closed, the error that
  ///   ``close(_:)`` was given.
  public func attach(_ request: PreviewRequest) throws(CaptureError) -> PreviewReader {
    try request.validate()
    let newest = freshNewest()
    // An output that was added to a running session may not have received a frame yet.
    if let newest { take(newest, onlyAsFirst: true) }
    let token = RandomToken.make()
    let observer = ReaderSlot.LinkObserver(now: now) { [weak self] token, reduction in
      guard let self else { return }
      perform(state.withLock { $0.reduce(token, to: reduction) })
    }
    let (slot, work, way) = try state.withLock { state throws(CaptureError) in
      let (slot, work) = try state.add(token, request, observer: observer)
      // When a newer frame came meanwhile, the new reader gets that frame with all other readers. Before the preview
      // has started, no reader gets a frame.
      let isReceived = state.isOpen && newest.map { FrameID($0.frame) == state.received.newest } ?? false
      return (slot, work, isReceived ? state.way(to: token) : nil)
    }
    directory.add(slot) { state.withLock { $0.slots[token] != nil } }
    perform(work)
    if let newest, let way { catchUp(PreviewState.Recipient(slot: slot, pace: request.pace(.none)), newest, way) }
    return PreviewReader(slot: slot, encoding: request.encoding, output: self, context: context)
  }

  /// Ends the reader of `token`, and the reader's encoding when no other reader wants it. Ignores an unknown token.
  func detach(_ token: String) {
    let (slot, work) = state.withLock { $0.remove(token) }
    perform(work)
    guard let slot else { return }
    directory.remove(token)
    slot.end(.detached)
  }
}
