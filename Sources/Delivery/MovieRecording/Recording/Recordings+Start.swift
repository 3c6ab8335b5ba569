internal import CaptureCore
internal import Locking
internal import VideoStorage

/// How recordings begin.
extension Recordings {
  /// Starts a recording of an output. An output that waits for deferred start runs it first.
  ///
  /// - Parameters:
  ///   - session: the id of the session.
  ///   - file: the path of the file, relative to the folder, as a client named it. Empty for a file named after
  ///     the session and the time.
  ///   - whenEnded: called once the recording needs no frames and writes no more of them, whatever happened.
  /// - Throws: `invalidArgument` for a file that must not be named so; `recordingExists`; what
  ///   ``MovieOutput/record(to:_:)`` throws; why the output cannot be prepared; `diskFull` when the limits leave no
  ///   space; what ``VideoStorage/beginCapture(to:)`` throws; why there is no folder;
  ///   `CancellationError` when the task is cancelled before the recording starts.
  public func start(
    _ output: MovieOutput, of session: String, file: String, _ settings: RecordingSettings,
    whenEnded: @escaping @Sendable () -> Void
  ) async throws -> Recording {
    let store = try await store
    try output.checkMayRecord(settings)
    try await output.awaitDeferredStart()
    let record = try await store.reserve(
      session: session, output: output.id, file: file, settings: settings, size: output.pictureSize)
    if Task.isCancelled {
      await abandon(record.lost, in: store, CaptureError(.operationInterrupted, "The client ended the request."))
      throw CancellationError()
    }
    return try await start(record, in: store, settings, whenEnded: whenEnded) { destination throws(CaptureError) in
      try output.record(to: destination, settings)
    }.recording
  }

  /// Starts the movie of a writer.
  ///
  /// - Parameter observer: as in ``MovieRecorder``.
  /// - Throws: `invalidArgument` for a file that must not be named so; `recordingExists`; `tooManyRequests`;
  ///   `processingFailed`; what ``VideoStorage/beginCapture(to:)`` throws; why there is no folder; `shuttingDown`.
  func start(
    _ configuration: WriterConfiguration, observer: @escaping @Sendable () -> Void
  ) async throws(CaptureError) -> (recording: Recording, recorder: MovieRecorder) {
    try checkIsOpen()
    let store = try await store
    let settings = configuration.settings
    let record = try await store.reserve(
      session: "", output: "", file: configuration.file, settings: settings, size: configuration.video.layout.size)
    let started = try await start(record, in: store, settings, whenEnded: {}) { destination throws(CaptureError) in
      try checkIsOpen()
      let recorder = MovieRecorder(
        to: destination, settings: settings, frameRate: configuration.video.frameRate, counters: counters,
        observer: observer)
      try recorder.start()
      return recorder
    }
    // The end of the daemon, which ends all movies, may have come just before this one was known.
    if isClosing { started.recording.end() }
    return started
  }

  /// Checks that the movie of a writer may still begin. Nothing would end it after the sessions.
  private func checkIsOpen() throws(CaptureError) {
    if isClosing { throw CaptureError(.shuttingDown, "The daemon is shutting down; connect again later.") }
  }

  /// Starts a recording whose record the store has, and follows it to its end. A recording that cannot start leaves
  /// nothing behind.
  ///
  /// - Parameter makeRecorder: makes the recorder for this destination, and starts it.
  private func start(
    _ record: RecordingRecord, in store: RecordingStore, _ settings: RecordingSettings,
    whenEnded: @escaping @Sendable () -> Void,
    _ makeRecorder: (MovieDestination) throws(CaptureError) -> MovieRecorder
  ) async throws(CaptureError) -> (recording: Recording, recorder: MovieRecorder) {
    let path = store.path(of: record)
    var space: VideoStorageCapture?
    let recorder: MovieRecorder
    do throws(CaptureError) {
      if settings.usesVideoStorage { space = try await reserveSpace(forMovieAt: path) }
      recorder = try makeRecorder(space.map { .videoStorage($0) } ?? .file(path))
    } catch {
      try? await space?.discard()
      // A movie of the video storage has no file yet, whatever lies at its place.
      await abandon(settings.usesVideoStorage ? record.lost : record, in: store, error)
      throw error
    }
    let recording = Recording(
      record, by: recorder, in: store, settings, capture: space, copies: copies,
      spaceOfOthers: { [self] in spaceOfOthers })
    live.withLock { $0[record.id] = recording }
    Task {
      await recording.follow(whenClosed: whenEnded)
      live.withLock { $0[record.id] = nil }
    }
    return (recording, recorder)
  }

  /// Takes space of the video storage for a movie.
  private func reserveSpace(forMovieAt path: String) async throws(CaptureError) -> VideoStorageCapture {
    guard let videoStorage else {
      throw CaptureError(.videoStorageNotSupported, "This daemon has no video storage; record without it.")
    }
    return try await videoStorage.beginCapture(to: path)
  }

  /// Removes the record of a recording that did not start.
  private func abandon(_ record: RecordingRecord, in store: RecordingStore, _ error: CaptureError) async {
    var record = record
    (record.state, record.end) = (.finished, .failed(error))
    try? await store.finish(record)
    try? await store.delete(record.id)
  }
}

/// Opens the folder of recordings. After a failure, whoever needs the folder next lets the opener try again.
/// Thread-safe.
final class StoreOpener: Sendable {
  private typealias Attempt = Task<Result<RecordingStore, CaptureError>, Never>

  private struct State {
    /// The newest attempt.
    var attempt: Attempt?
    /// Whether the newest attempt failed.
    var hasFailed = false
    var isClosed = false
  }

  private let open: @Sendable () async -> Result<RecordingStore, CaptureError>
  private let state = Locked(State())

  /// Begins to open the folder.
  ///
  /// - Parameter open: opens the folder, or finds why there is none.
  init(_ open: @escaping @Sendable () async -> Result<RecordingStore, CaptureError>) {
    self.open = open
    _ = attempt()
  }

  /// The folder. Waits for the attempt that is being made.
  ///
  /// - Throws: why there is none.
  var store: RecordingStore { get async throws(CaptureError) { try await attempt().value.get() } }

  /// Closes the folder, if it is open. No attempt follows.
  func close() async {
    state.withLock { $0.isClosed = true }
    if case .success(let store) = await attempt().value { await store.close() }
  }

  private func attempt() -> Attempt {
    state.withLock { state in
      if let attempt = state.attempt, !state.hasFailed || state.isClosed { return attempt }
      let attempt = Attempt { [self] in
        let answer = await open()
        if case .failure = answer { self.state.withLock { $0.hasFailed = true } }
        return answer
      }
      (state.attempt, state.hasFailed) = (attempt, false)
      return attempt
    }
  }
}
