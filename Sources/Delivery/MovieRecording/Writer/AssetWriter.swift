public import CaptureCore
public import Locking
internal import SystemClocks

/// A writer: one movie in one file, of samples that clients append or that an output of a session gives. It is used
/// once. Thread-safe.
///
/// The movie is a recording: the same threads encode and write it, and the same store keeps it.
public final class AssetWriter: Sendable {
  struct Shared {
    var machine: AssetWriterStateMachine
    var idleness = WriterIdleness(now: .now())
    var recording: Recording?
    var recordingID: String?
    var recorder: MovieRecorder?
    var source: WriterSource?
    var idleWatch: Task<Void, Never>?
    var published: AssetWriterState?

    var state: AssetWriterState { AssetWriterState(machine, recording: recordingID) }

    /// Reads what the recorder has. Returns whether anything changed since the last call.
    mutating func hasNews() -> Bool {
      if let recorder, !machine.isOver {
        machine.note(recorder.progress.tally)
        machine.note(hasRoomForPictures: !recorder.isBusy, forSound: !recorder.isBacklogged)
      }
      let state = state
      defer { published = state }
      return state != published
    }
  }

  /// The id of the writer.
  public let id: String
  let shared: Locked<Shared>
  /// Memory of the pictures that wait: those for the encoder, and coded ones for the disk.
  let pool: Locked<FramePool?>
  /// The parameter sets of the pictures in H.264 so far.
  let parameterSets = Locked(ParameterSets())
  private let recordings: Recordings
  private let changed = Broadcast<Void>(depth: 1)

  init(id: String, _ configuration: WriterConfiguration, _ recordings: Recordings) {
    self.id = id
    self.recordings = recordings
    pool = Locked(nil)
    shared = Locked(Shared(machine: AssetWriterStateMachine(id: id, configuration)))
  }

  // MARK: What clients see

  /// The writer now.
  public var state: AssetWriterState { shared.withLock(\.state) }

  /// The writer now, and then each newer state. A slow reader gets the newest one.
  ///
  /// - Returns: the states, and a function that ends them after the newest.
  public func states() -> (NewestValues<AssetWriterState>, end: @Sendable () -> Void) {
    let (changes, end) = changed.endableWatch()
    return (NewestValues(of: changes) { [self] in state }, end)
  }

  /// Runs `body`, which serves a stream to a client. The writer counts as used until `body` ends.
  public func whileUsed<R>(_ body: () async throws -> R) async rethrows -> R {
    shared.withLock { $0.idleness.beginUse() }
    defer { shared.withLock { $0.idleness.endUse(now: .now()) } }
    return try await body()
  }

  /// Notes that a call named the writer.
  func touch() { shared.withLock { $0.idleness.touch(now: .now()) } }

  // MARK: Its life

  /// Replaces the configuration, which was checked.
  ///
  /// - Throws: `writerStarted`, `writerEnded`.
  public func configure(_ configuration: WriterConfiguration) throws(CaptureError) {
    try change { shared throws(CaptureError) in try shared.machine.configure(configuration) }
    watchIdleness()
  }

  /// Makes the file. The writer takes samples when this method returns. It has failed when this method throws an error
  /// of the folder or the disk.
  ///
  /// - Throws: `writerStarted`, `writerEnded`; as ``Recordings/start(_:observer:)``.
  public func start() async throws(CaptureError) {
    shared.withLock { $0.idleness.beginUse() }
    defer { shared.withLock { $0.idleness.endUse(now: .now()) } }
    let configuration = try change { shared throws(CaptureError) in
      try shared.machine.start()
      return shared.machine.configuration
    }
    let opened: (recording: Recording, recorder: MovieRecorder)
    do throws(CaptureError) {
      opened = try await recordings.start(configuration) { [weak self] in self?.noteProgress() }
    } catch {
      var error = error
      // The request that starts the writer has no field for what is wrong. An earlier request named the file.
      error.field = nil
      change { [error] in $0.machine.didFail(error) }
      throw error
    }
    pool.withLock { $0 = FramePool(budget: configuration.poolBudget) }
    change { shared in
      (shared.recording, shared.recorder) = opened
      shared.recordingID = opened.recording.record.id
      shared.machine.didOpen()
    }
    Task {
      let record = await opened.recording.finished()
      change { shared in
        shared.machine.note(record.tally)
        shared.machine.didEnd(record.end ?? .stopped, for: endingOfMovie(by: record.end))
        shared.machine.note(hasRoomForPictures: false, forSound: false)
      }
    }
  }

  /// Why the movie takes no more samples, when no client of the writer has ended it.
  ///
  /// - Parameter end: what ended the movie. Its error is the cause that a client has to mend first.
  func endingOfMovie(by end: RecordingEnd?) -> CaptureError {
    if recordings.isClosing { return CaptureError(.shuttingDown, "The daemon is shutting down; connect again later.") }
    if case .failed(let cause) = end {
      return CaptureError(
        .writerEnded, "The movie of writer \(id) has ended by an error. \(cause.message)",
        metadata: ["writer": id, "cause": cause.reason.rawValue])
    }
    return CaptureError(
      .writerEnded, "The movie of writer \(id) has ended; make another writer.", metadata: ["writer": id])
  }

  /// Takes no more samples.
  ///
  /// - Throws: `writerNotStarted`, `writerEnded`.
  public func endSession() throws(CaptureError) {
    try change { shared throws(CaptureError) in try shared.machine.endSession() }
  }

  /// Completes the movie, and returns when it is on the storage or failed, or when the task is cancelled.
  ///
  /// - Throws: `writerNotStarted`, `writerEnded`.
  public func finish() async throws(CaptureError) {
    try change { shared throws(CaptureError) in try shared.machine.finish() }
    await over()
  }

  /// Removes the movie, and returns when it is gone or cannot be removed, or when the task is cancelled.
  ///
  /// - Throws: `writerStarted`, `writerEnded`.
  public func cancel() async throws(CaptureError) {
    try change { shared throws(CaptureError) in try shared.machine.cancel() }
    await over()
  }

  private func over() async {
    for await state in states().0 where state.isOver { return }
  }

  /// Looks now and then, until the writer ends, whether anybody still uses it. A later call looks with the timeout of
  /// that time.
  func watchIdleness() {
    let watch = Task { [weak self] in
      while !Task.isCancelled, let left = self?.timeUntilIdle {
        if left > 0 { try? await Task.sleep(nanoseconds: left) } else { self?.change { $0.machine.expire() } }
      }
    }
    let former = shared.withLock { shared in
      defer { shared.idleWatch = watch }
      return shared.idleWatch
    }
    former?.cancel()
  }

  /// Nil once the writer ends.
  private var timeUntilIdle: UInt64? {
    shared.withLock { shared in
      shared.machine.isEnding
        ? nil : shared.idleness.remaining(of: shared.machine.configuration.idleTimeout, now: .now())
    }
  }

  // MARK: Changes

  /// Changes the writer, tells its watchers, and does what follows from the change.
  @discardableResult
  func change<R: Sendable, E: Error>(_ body: (inout Shared) throws(E) -> R) throws(E) -> R {
    let (result, actions, source, recording, recorder, watch) = try shared.withLock { shared throws(E) in
      let source = shared.source
      let result = try body(&shared)
      let actions = shared.machine.takeActions()
      let (recording, recorder) = (shared.recording, shared.recorder)
      var watch: Task<Void, Never>?
      // The daemon knows the writer for a long time after its end, and needs no memory for it then.
      if shared.machine.isOver {
        swap(&watch, &shared.idleWatch)
        (shared.recording, shared.recorder, shared.source) = (nil, nil, nil)
        pool.withLock { $0 = nil }
      }
      if shared.hasNews() { changed.tell() }
      return (result, actions, source, recording, recorder, watch)
    }
    watch?.cancel()
    for action in actions {
      switch action {
      case .endSource(let error): source?.end(error)
      case .finishMovie: recorder?.end(.stopped)
      case .discardMovie: if let recording { discard(recording) }
      }
    }
    return result
  }

  private func discard(_ recording: Recording) {
    Task {
      do throws(CaptureError) {
        try await recording.discard()
        change { $0.machine.didDiscard(nil) }
      } catch { change { $0.machine.didDiscard(error) } }
    }
  }

  /// Called on the threads of the recorder.
  private func noteProgress() {
    let source = shared.withLock { shared in
      if shared.hasNews() { changed.tell() }
      return shared.source
    }
    source?.tellRoom()
  }
}
