public import CaptureCore
internal import Locking
public import Logging
internal import Synchronization
public import VideoStorage

/// The recordings of the daemon: those that are being made, and the folder with all of them. Thread-safe.
public final class Recordings: Sendable {
  private let opener: StoreOpener
  /// The recordings that are being made, by their ids.
  let live = Locked<[String: Recording]>([:])
  let copies: SeekableCopies
  let videoStorage: VideoStorage?
  private let continuous = Locked<[ContinuousRecorder]>([])
  /// The slots that bound the number of runs of each session that records continuously, by the id of the session.
  private let slots = Locked<[String: RunSlots]>([:])
  private let closing = Atomic(false)
  private let sleep: @Sendable (_ nanoseconds: UInt64) async -> Void
  /// Counts the bytes, segments and failures of all recordings.
  public let counters: RecordingCounters

  /// - Parameters:
  ///   - counters: count the bytes, segments and failures of all recordings.
  ///   - videoStorage: takes the movies of outputs that use it; nil for none.
  ///   - folder: opens the folder of recordings, or finds why there is none. A daemon without a folder does all else.
  ///     Whoever needs the folder waits until it is open. After a failure, the next one who needs it calls this again.
  public convenience init(
    counters: RecordingCounters = RecordingCounters(), videoStorage: VideoStorage? = nil,
    folder: @escaping @Sendable () async -> Result<RecordingStore, CaptureError>
  ) {
    self.init(
      counters: counters, videoStorage: videoStorage, sleep: { try? await Task.sleep(nanoseconds: $0) }, folder: folder)
  }

  /// - Parameters:
  ///   - copies: puts the index of finished movies in front.
  ///   - sleep: waits before a continuous recording opens the folder again.
  init(
    counters: RecordingCounters, copies: SeekableCopies = SeekableCopies(), videoStorage: VideoStorage? = nil,
    sleep: @escaping @Sendable (_ nanoseconds: UInt64) async -> Void,
    folder: @escaping @Sendable () async -> Result<RecordingStore, CaptureError>
  ) {
    self.counters = counters
    self.copies = copies
    self.videoStorage = videoStorage
    self.sleep = sleep
    opener = StoreOpener(folder)
  }

  /// Makes a recorder, which records an output continuously once the folder is open.
  ///
  /// - Parameters:
  ///   - settings: how the session records.
  ///   - output: the id of the output.
  ///   - session: the id of the session.
  ///   - movie: the settings of the output.
  public func recordContinuously(
    _ settings: ContinuousSettings, output: String, of session: String, _ movie: RecordingSettings, logger: Logger
  ) -> ContinuousRecorder {
    let slots = self.slots.withLock { slots in
      let found = slots[session] ?? RunSlots()
      slots[session] = found
      return found
    }
    let recorder = ContinuousRecorder(
      session: session, output: output, settings, movie, counters: counters.of("sessions/\(session)"), slots: slots,
      logger: logger)
    continuous.withLock { recorders in
      recorders.removeAll(where: \.isOver)
      recorders.append(recorder)
    }
    Task { [opener, sleep] in
      while !recorder.isOver {
        do throws(CaptureError) {
          recorder.open(try await opener.store)
          return
        } catch {
          await sleep(recorder.noteMissingFolder(error))
        }
      }
    }
    return recorder
  }

  /// Whether the session with this id records continuously.
  public func recordsContinuously(_ session: String) -> Bool {
    continuous.withLock { $0.contains { !$0.isOver && $0.session == session } }
  }

  /// The folder with all recordings.
  ///
  /// - Throws: why there is none. The next call tries again.
  public var store: RecordingStore { get async throws(CaptureError) { try await opener.store } }

  /// The free space that a copy of a finished movie has to leave, in bytes: the largest that any recording was told to
  /// leave. If a copy left less, the retention would delete segments, and recordings with such a limit would end.
  var spaceOfOthers: UInt64 {
    let sessions = continuous.withLock { $0.filter { !$0.isOver }.map(\.minimumFreeSpace) }
    let recordings = live.withLock { $0.values.map { $0.settings.limits.freeSpace ?? 0 } }
    return (sessions + recordings).max() ?? 0
  }

  /// The recording with this id while it is being made. Nil for a recording that has finished.
  public func live(_ id: String) -> Recording? { live.withLock { $0[id] } }

  /// The recording with this id as it is now.
  ///
  /// - Throws: `recordingNotFound`; why there is no folder.
  public func record(_ id: String) async throws(CaptureError) -> RecordingRecord {
    let store = try await store
    guard let recording = live(id) else { return try await store.record(id) }
    return try await store.looked(at: [recording.record])[0]
  }

  /// All recordings as they are now, in no order. The store has not read their files; ``looked(at:)`` does.
  ///
  /// - Throws: why there is no folder.
  public func all() async throws(CaptureError) -> [RecordingRecord] {
    try await store.allRecords.map { live($0.id)?.record ?? $0 }
  }

  /// Returns the spans of the recordings for which `isWanted` is true. The store reads no file of a finished recording,
  /// because the record keeps what the file says.
  ///
  /// - Throws: why there is no folder.
  public func spans(
    where isWanted: @Sendable (RecordingRecord) -> Bool
  ) async throws(CaptureError) -> [RecordingSpan] {
    let store = try await store
    var wanted: [RecordingRecord] = []
    for record in store.allRecords {
      let live = live(record.id)?.record
      guard isWanted(live ?? record) else { continue }
      // The store only opens as much of a file as it knows to play, so it must know what this recording has by now.
      if let live { store.update(live) }
      wanted.append(live ?? record)
    }
    // The movie of a recording in the video storage has no file yet.
    wanted.removeAll { $0.usesVideoStorage && $0.state != .finished || store.isInVideoStorage($0) }
    return RecordingSpan.spans(of: try await store.withForms(wanted))
  }

  /// Records of ``all()`` after a look at their files.
  ///
  /// - Throws: why there is no folder.
  public func looked(at records: [RecordingRecord]) async throws(CaptureError) -> [RecordingRecord] {
    try await store.looked(at: records)
  }

  /// Opens the file of a recording, as far as it plays now.
  ///
  /// - Throws: as ``RecordingStore/open(_:)``; why there is no folder.
  public func open(_ id: String) async throws(CaptureError) -> RecordingFile {
    let store = try await store
    if let recording = live(id) { store.update(recording.record) }
    return try await store.open(id)
  }

  /// Waits until every recording has finished and another daemon may have the folder, but only so long, because a disk
  /// may never answer. Movies that would be optimized for network use stay as they were recorded, and a movie that has
  /// not left the video storage after half of the time leaves it with the next daemon. The caller has ended the
  /// sessions, so no other recording starts, and no movie of a writer starts from now on.
  ///
  /// - Returns: nil when everything is done, or what may be incomplete: the files of recordings, and the names of
  ///   sessions that record continuously.
  public func close(within limit: Duration) async -> [String]? {
    closing.store(true, ordering: .relaxed)
    copies.cancel()
    let timer = Task { [videoStorage] in
      if (try? await Task.sleep(for: limit / 2)) != nil { videoStorage?.breakOffMoves() }
    }
    defer { timer.cancel() }
    if await Waiting.isDone(within: limit, { await self.finish() }) { return nil }
    let files = live.withLock { $0.values.map(\.record.file) }
    let sessions = continuous.withLock { recorders in recorders.filter { !$0.isOver }.map { "sessions/\($0.session)" } }
    return files.sorted() + sessions.sorted()
  }

  /// Whether the daemon ends, so that all recordings do.
  var isClosing: Bool { closing.load(ordering: .relaxed) }

  private func finish() async {
    let movies = live.withLock { Array($0.values) }
    // No session ends the movies of writers. All of them end before any of them is waited for.
    for movie in movies where movie.record.isOfWriter { movie.end() }
    for recorder in continuous.withLock({ $0 }) { await recorder.finished() }
    for movie in movies { _ = await movie.finished() }
    // Nobody writes to the folder once it is closed.
    videoStorage?.breakOffMoves()
    await opener.close()
  }
}

/// Waits for work that nothing can cancel.
private enum Waiting {
  /// Waits until `work` is done, but at most for `limit`. Work that takes longer goes on.
  ///
  /// - Returns: whether the work is done.
  static func isDone(within limit: Duration, _ work: @escaping @Sendable () async -> Void) async -> Bool {
    let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
    Task {
      await work()
      answer.yield(true)
    }
    let timer = Task {
      if (try? await Task.sleep(for: limit)) != nil { answer.yield(false) }
    }
    defer { timer.cancel() }
    return await answers.first { _ in true } ?? false
  }
}
