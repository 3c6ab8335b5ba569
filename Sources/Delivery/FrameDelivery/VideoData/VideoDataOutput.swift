public import CaptureCore
internal import Imaging
internal import Locking

/// Gives its readers every frame that they can take, in order, and the exact count of the frames that they missed.
/// Thread-safe.
///
/// The capture thread puts the camera's own frames straight into the slots of the readers. Frames that must be
/// converted or turned are converted once for all readers, on a thread that exists only while there are readers.
///
/// Frames that come before ``prepare()`` are counted, but not given to readers.
public final class VideoDataOutput: CaptureOutput {
  /// The most readers at once.
  package static let maxReaders = 64
  /// How many frames the pool must still be able to lend when readers get a frame of the camera's own, as for
  /// ``PreviewOutput``. Readers who do not read leave that memory to the camera.
  static let framesLeftToCamera = 4

  /// The output's id, unique in the session.
  public let id: String
  private let settings: VideoDataSettings
  /// The output's view of its session. ``close(_:)`` sets nil, because the session holds its outputs too.
  private let session: Locked<(any OutputContext)?>
  private let directory: ReaderDirectory
  /// Memory of converted frames, enough for four of 4K with 32 bits a pixel. The pool allocates memory only as needed.
  private let pool: FramePool
  private let makeEncoder: MakePictureEncoder
  private let state: Locked<VideoDataState>
  let cadence = CadenceMeter()

  /// Makes an output without readers.
  ///
  /// - Parameters:
  ///   - id: the output's id, unique in the session.
  ///   - settings: how the output gives its frames.
  ///   - context: the output's view of its session, which the output retains until ``close(_:)``. The output does not
  ///     call the context before the first frame.
  ///   - directory: where readers are found by their token. The daemon has one directory for all outputs.
  ///   - memory: where the memory of converted frames comes from.
  public convenience init(
    id: String, settings: VideoDataSettings, context: any OutputContext, directory: ReaderDirectory,
    memory: FrameMemory = .process
  ) {
    self.init(
      id: id, settings: settings, context: context, directory: directory, memory: memory,
      makeEncoder: PictureEncoding.make)
  }

  init(
    id: String, settings: VideoDataSettings, context: any OutputContext, directory: ReaderDirectory,
    memory: FrameMemory = .process, makeEncoder: @escaping MakePictureEncoder
  ) {
    self.id = id
    pool = FramePool(budget: 128 << 20, memory: memory)
    self.settings = settings
    session = Locked(context)
    self.directory = directory
    self.makeEncoder = makeEncoder
    state = Locked(VideoDataState(settings: settings))
  }

  /// The output's view of its session. Nil once the output is closed.
  private var context: (any OutputContext)? { session.withLock { $0 } }

  /// Lets frames through from now on. Never throws.
  public func prepare() async throws(CaptureError) { state.withLock { $0.isPrepared = true } }

  /// Takes the conditions that hold from now on, and tells the readers when the session's status has changed.
  public func update(_ conditions: OutputConditions) {
    let slots = state.withLock { state in
      defer { state.conditions = conditions }
      return state.conditions.status == conditions.status ? [] : state.slots
    }
    for slot in slots { slot.update(session: conditions.status) }
  }

  /// Ends all readers with `error`, and lets go of the session.
  public func close(_ error: CaptureError) {
    let (slots, work) = state.withLock { $0.close(error) }
    work.stopped?.stop()
    for slot in slots { end(slot, error) }
    session.withLock { $0 = nil }
  }

  /// How the camera's frames lie in memory; nil while the session has no camera.
  var frameLayout: FrameLayout? { state.withLock(\.conditions.expectedLayout) }

  /// Readers that are attached now.
  public var readerCount: Int { state.withLock { $0.slots.count } }

  /// The frames that the output received and the source lost so far, the readers, and how evenly readers got their
  /// frames. Never nil.
  public var counts: OutputCounts? {
    state.withLock {
      OutputCounts(
        received: $0.tally.received, lost: $0.tally.missing, readers: $0.slots.count, cadence: cadence.current)
    }
  }

  /// Attaches a reader. The reader's first event is the status. The frames captured from now on follow.
  ///
  /// - Throws: `invalidArgument` for a request with a value out of range; `messageLimit` when the camera's frames are
  ///   known not to fit the reader's messages; `tooManyRequests` when there are 64 readers already; once the output is
  ///   closed, the error that ``close(_:)`` was given.
  public func attach(_ request: VideoDataRequest) throws(CaptureError) -> VideoDataReader {
    try request.validate()
    if let layout = frameLayout {
      let key = state.withLock { $0.conversion(of: layout) }
      // Compressed frames differ in length. A compressed frame that is too long ends the reader's stream when it comes.
      try request.check((key.map { FrameLayout.packed($0.format, $0.size) } ?? layout)?.byteCount ?? 0)
    }
    let token = RandomToken.make()
    let slot = try state.withLock { state throws(CaptureError) in try state.add(token, request) }
    directory.add(slot) { state.withLock { $0.slots.contains { $0 === slot } } }
    return VideoDataReader(slot: slot, output: self, context: context)
  }

  /// Ends the reader of `token`. Ignores an unknown token.
  func detach(_ token: String) { remove(token)?.end(.detached) }

  /// Whether a reader that holds `count` frames may hold `frame` too. Each further frame must leave twice as much to
  /// other readers, so that a reader that never lets go gets few frames and costs other readers none. Some of the
  /// camera's own memory is also left to the camera.
  func mayLend(_ frame: Frame, besides count: Int) -> Bool { spareToKeep(frame) >= 2 * count }

  /// The same as ``spare(_:)``, for readers who may keep the frame for long: -1 instead of 0 for a frame in the
  /// camera's own memory. Such readers do not get the last frame that may be lent, because a few stuck readers would
  /// take that frame from all readers who need it only for as long as it takes to show it.
  private func spareToKeep(_ frame: Frame) -> Int {
    let spare = spare(frame)
    return spare == 0 && !frame.buffer.isFrom(pool) ? -1 : spare
  }

  /// How many frames like this one the pool could lend, beyond the frames that are left to whatever fills the pool: the
  /// camera or the conversion.
  private func spare(_ frame: Frame) -> Int {
    frame.buffer.room - (frame.buffer.isFrom(pool) ? 1 : Self.framesLeftToCamera)
  }

  // MARK: Frames

  /// Takes a frame of the camera, on the capture thread. Neither converts nor waits.
  public func receive(_ frame: CapturedFrame) {
    guard let delivery = state.withLock({ $0.receive(frame) }) else { return }
    delivery.work.stopped?.stop()
    if let started = delivery.work.started { start(started) }
    guard let conversion = delivery.conversion else {
      let spare = settings.queueDepth == nil ? spare(frame.frame) : spareToKeep(frame.frame)
      return offer(frame, delivery.tally, to: delivery.slots, spare: spare)
    }
    // Without a queue the conversion holds at most two frames, however slow it is. A queue that holds frames leaves two
    // more frames to the readers of other outputs. A queue that holds none takes the frame only for as long as its
    // conversion lasts.
    let more = conversion.isIdle ? 0 : 2
    if !conversion.isQueue || frame.frame.buffer.leavesRoom(for: Self.framesLeftToCamera + more) {
      conversion.submit(frame, delivery.tally)
    } else {
      conversion.lose(delivery.tally)
    }
  }

  private func start(_ conversion: EncodingVariant) {
    do {
      // The thread holds the output weakly, so that it does not keep an output alive that everyone has left.
      try conversion.start(
        name: "data", pool: pool, makeEncoder: makeEncoder,
        isOver: { [weak self] frame in self?.context?.isOver(frame) == true },
        deliver: { [weak self] variant, tally, outcome in self?.deliver(variant, tally, outcome) })
    } catch {
      refuse(state.withLock { $0.readers(of: conversion) }, error)
    }
  }

  private func deliver(_ conversion: EncodingVariant, _ tally: FrameTally, _ outcome: EncodingVariant.Outcome) {
    let slots = state.withLock { $0.readers(of: conversion) }
    switch outcome {
    case .encoded(let converted, _, _):
      offer(converted, tally, to: slots, spare: settings.queueDepth == nil ? nil : spare(converted.frame))
    case .lost(let cause): for slot in slots { slot.lose(tally, cause) }
    case .unsupported(let error, _): refuse(slots, error)
    }
  }

  /// Offers a frame to readers, and ends the readers whose messages the frame does not fit.
  ///
  /// - Parameter spare: see ``ReaderSlotStateMachine/Offer``. The caller counts it once, before the frame waits
  ///   anywhere.
  private func offer(_ frame: CapturedFrame, _ tally: FrameTally, to slots: [ReaderSlot], spare: Int?) {
    let memo = PictureMemo.shared(by: slots.count)
    for slot in slots {
      if slot.fits(frame.frame) {
        slot.offer(frame, tally, memo: memo, pixelFormat: frame.frame.layout.pixelFormat, spare: spare)
      } else {
        let bytes = frame.frame.buffer.count
        refuse([slot], VideoDataRequest.messageLimit(bytes, limit: slot.maxBytes + VideoDataRequest.overhead))
      }
    }
  }

  private func refuse(_ slots: [ReaderSlot], _ error: CaptureError) {
    for slot in slots where remove(slot.token) != nil { slot.end(.closed(error)) }
  }

  private func remove(_ token: String) -> ReaderSlot? {
    guard let (slot, work) = state.withLock({ $0.remove(token) }) else { return nil }
    work.stopped?.stop()
    directory.remove(token)
    return slot
  }

  private func end(_ slot: ReaderSlot, _ error: CaptureError) {
    directory.remove(slot.token)
    slot.end(.closed(error))
  }
}
