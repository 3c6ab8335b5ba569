public import CaptureCore
internal import Imaging
internal import Synchronization

/// Gives programs every frame, in order, and the exact count of those they missed.
///
/// The camera's own frames go straight into the readers' slots on the capture thread. What has to be converted or turned is,
/// once for all readers, on a thread that exists only while someone reads. Thread-safe.
///
/// Frames that come before ``prepare()`` are counted, not given.
public final class VideoDataOutput: CaptureOutput {
  /// Readers at most.
  package static let maxReaders = 64
  /// As for ``PreviewOutput``: readers who do not read leave this much of the camera's memory alone.
  static let framesLeftToCamera = 4

  public let id: String
  private let settings: VideoDataSettings
  /// Let go of by ``close(_:)``, because the session holds its outputs too.
  private let session: Mutex<(any OutputContext)?>
  private let directory: ReaderDirectory
  /// Converted frames: four of 4K in 32 bits. Allocated as needed.
  private let pool: FramePool
  private let makeEncoder: MakePictureEncoder
  private let state: Mutex<VideoDataState>
  let cadence = CadenceMeter()

  /// - Parameters:
  ///   - id: unique in the session.
  ///   - settings: how frames are given.
  ///   - context: retained until ``close(_:)``. Not called before the first frame.
  ///   - directory: where readers are found by token; one for the daemon.
  ///   - memory: of converted frames.
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
    session = Mutex(context)
    self.directory = directory
    self.makeEncoder = makeEncoder
    state = Mutex(VideoDataState(settings: settings))
  }

  /// Nil once closed.
  private var context: (any OutputContext)? { session.withLock { $0 } }

  /// Lets frames through from now on.
  public func prepare() async throws(CaptureError) { state.withLock { $0.isPrepared = true } }

  public func update(_ conditions: OutputConditions) {
    let slots = state.withLock { state in
      defer { state.conditions = conditions }
      return state.conditions.status == conditions.status ? [] : state.slots
    }
    for slot in slots { slot.update(session: conditions.status) }
  }

  public func close(_ error: CaptureError) {
    let (slots, work) = state.withLock { $0.close(error) }
    work.stopped?.stop()
    for slot in slots { end(slot, error) }
    session.withLock { $0 = nil }
  }

  /// How the camera's frames lie in memory; nil without a camera.
  var frameLayout: FrameLayout? { state.withLock(\.conditions.expectedLayout) }

  /// Readers attached now.
  public var readerCount: Int { state.withLock { $0.slots.count } }

  public var counts: OutputCounts? {
    state.withLock {
      OutputCounts(
        received: $0.tally.received, lost: $0.tally.missing, readers: $0.slots.count, cadence: cadence.current)
    }
  }

  /// Attaches a reader. Its first event is the status; frames captured from now on follow.
  ///
  /// - Throws: `invalidArgument`; `messageLimit` when the camera's frames are known not to fit the reader's messages;
  ///   `tooManyRequests` above 64 readers; the error of ``close(_:)`` once the output is closed.
  public func attach(_ request: VideoDataRequest) throws(CaptureError) -> VideoDataReader {
    try request.validate()
    if let layout = frameLayout {
      let key = state.withLock { $0.conversion(of: layout) }
      // Compressed frames differ in length: one too long ends the stream when it comes.
      try request.check((key.map { FrameLayout.packed($0.format, $0.size) } ?? layout)?.byteCount ?? 0)
    }
    let token = RandomToken.make()
    let slot = try state.withLock { state throws(CaptureError) in try state.add(token, request) }
    directory.add(slot)
    // Closed in between: then nobody else will remove it.
    if !state.withLock({ $0.slots.contains { $0 === slot } }) { directory.remove(token) }
    return VideoDataReader(slot: slot, output: self, context: context)
  }

  /// Ends the reader of `token`; unknown tokens are ignored.
  func detach(_ token: String) { remove(token)?.end(.detached) }

  /// Whether a reader who holds `count` frames may hold `frame` besides. Each one more must leave twice as much to others:
  /// so one that never lets go gets few, and costs others none. Of the camera's own memory some is left to the camera too.
  func mayLend(_ frame: Frame, besides count: Int) -> Bool { spareToKeep(frame) >= 2 * count }

  /// As ``spare(_:)``, for readers who may keep it for long. Of the camera's own the last one is not for them: a few of them,
  /// each stuck, would take it from all who have a frame only for as long as it takes to show it.
  private func spareToKeep(_ frame: Frame) -> Int {
    let spare = spare(frame)
    return spare == 0 && !frame.buffer.isFrom(pool) ? -1 : spare
  }

  /// How many frames like this one the pool could lend beyond those that are left to whoever fills it.
  private func spare(_ frame: Frame) -> Int {
    frame.buffer.room - (frame.buffer.isFrom(pool) ? 1 : Self.framesLeftToCamera)
  }

  // MARK: Frames

  /// On the capture thread it neither converts nor waits.
  public func receive(_ frame: CapturedFrame) {
    guard let delivery = state.withLock({ $0.receive(frame.frame) }) else { return }
    delivery.work.stopped?.stop()
    if let started = delivery.work.started { start(started) }
    guard let conversion = delivery.conversion else {
      let spare = settings.queueDepth == nil ? spare(frame.frame) : spareToKeep(frame.frame)
      return offer(frame, delivery.tally, to: delivery.slots, spare: spare)
    }
    // Without a queue it holds two frames at most, however slow it is. A queue that holds some leaves two more to readers of
    // other outputs; one that holds none takes the frame for as long as the conversion takes.
    let more = conversion.isIdle ? 0 : 2
    if !conversion.isQueue || frame.frame.buffer.leavesRoom(for: Self.framesLeftToCamera + more) {
      conversion.submit(frame, delivery.tally)
    } else {
      conversion.lose(delivery.tally)
    }
  }

  private func start(_ conversion: EncodingVariant) {
    do {
      // Weak: the thread must not keep an output alive that everyone has left.
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

  /// - Parameter spare: see ``ReaderSlotStateMachine/Offer``. Counted once, before the frame waits anywhere.
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
