public import CaptureCore
internal import Locking
internal import Synchronization
internal import SystemClocks
internal import VideoStorage

/// One recording, from the moment a client asked for it until its file and its record are on the storage. Thread-safe.
public final class Recording: Sendable {
  /// What happened to a recording, and what it was like then.
  public struct News: Sendable {
    /// The kinds of news, in this order; see ``RecordingEvent``.
    public enum Kind: Hashable, Sendable { case accepted, started, paused, resumed, willFinish, finished }
    /// What happened.
    public let kind: Kind
    /// The recording at that time.
    public let record: RecordingRecord
  }

  /// Everything that happened. The log ends after `finished`.
  public let news = EventLog<News>()
  private let recorder: MovieRecorder
  private let store: RecordingStore
  private let base: Locked<RecordingRecord>
  /// How the recording is made.
  let settings: RecordingSettings
  private let capture: VideoStorageCapture?
  private let copies: SeekableCopies
  private let spaceOfOthers: @Sendable () -> UInt64
  /// Whether the file and the record go when the recording has finished.
  private let isDiscarded = Atomic(false)

  /// - Parameters:
  ///   - capture: the movie in the video storage; nil when the recorder writes the file itself.
  ///   - copies: makes the copy of the file when the settings ask for one.
  ///   - spaceOfOthers: the free space that the copy leaves to others, in bytes.
  init(
    _ record: RecordingRecord, by recorder: MovieRecorder, in store: RecordingStore, _ settings: RecordingSettings,
    capture: VideoStorageCapture? = nil, copies: SeekableCopies, spaceOfOthers: @escaping @Sendable () -> UInt64
  ) {
    var record = record
    record.device = recorder.settings.device
    (record.audioTracks, record.audioCodec) = (recorder.settings.sound.tracks, recorder.settings.sound.codec)
    base = Locked(record)
    self.settings = settings
    self.capture = capture
    self.copies = copies
    self.spaceOfOthers = spaceOfOthers
    self.recorder = recorder
    self.store = store
    news.append(News(kind: .accepted, record: record))
  }

  /// The recording as it is now.
  public var record: RecordingRecord {
    var record = base.withLock { $0 }
    guard record.state != .finished else { return record }
    let progress = recorder.progress
    record.duration = progress.duration
    record.tally = progress.tally
    record.pauses = recorder.pauses
    // A movie in the video storage has no file before it is finished.
    record.isUsable = progress.tally.fileSize > 0 && capture == nil
    switch progress.state {
    case .starting: record.state = .starting
    case .recording: record.state = .recording
    case .paused: record.state = .paused
    // A recording counts as finished once its record is on the storage, too.
    case .finishing(let end), .finished(let end): (record.state, record.end) = (.finishing, end)
    }
    return record
  }

  /// Leaves frames out until ``resume()``.
  ///
  /// - Throws: `recordingEnded`; `notSupportedInConfiguration` for the movie of a writer; `tooManyRequests` after
  ///   ``RecordingPause/maximumCount`` pauses.
  public func pause() throws(CaptureError) {
    try checkIsOfSession()
    guard recorder.pauses.count < RecordingPause.maximumCount || recorder.isEnding else { throw tooManyPauses }
    if !recorder.pause() { throw ended }
  }

  /// Takes frames again.
  ///
  /// - Throws: `recordingEnded`; `notSupportedInConfiguration` for the movie of a writer.
  public func resume() throws(CaptureError) {
    try checkIsOfSession()
    if !recorder.resume() { throw ended }
  }

  private func checkIsOfSession() throws(CaptureError) {
    let record = base.withLock { $0 }
    guard record.isOfWriter else { return }
    throw CaptureError(
      .notSupportedInConfiguration,
      "Recording \(record.id) is the movie of a writer, which has no pauses; append no samples meanwhile.",
      metadata: ["recording": record.id])
  }

  /// Ends the recording, and removes its file and its record, also when the movie is still in the video storage.
  /// Returns when they are gone, whatever the recording has ended with.
  ///
  /// - Throws: why they stay; `processingFailed`.
  func discard() async throws(CaptureError) {
    isDiscarded.store(true, ordering: .relaxed)
    let record = await stop()
    do throws(CaptureError) { try await store.delete(record.id) } catch {
      // Another client may have deleted it already.
      if error.reason != .recordingNotFound { throw error }
    }
  }

  /// Ends the recording, and returns its record when the file is complete and on the storage. A recording that ends
  /// already keeps its reason.
  public func stop() async -> RecordingRecord {
    end()
    return await finished()
  }

  /// Ends the recording, whose file is complete later.
  func end() { recorder.end(.stopped) }

  /// Returns the record when the file is complete and on the storage, or when the task is cancelled.
  public func finished() async -> RecordingRecord {
    while base.withLock({ $0.state != .finished }), !Task.isCancelled { _ = try? await news.entry(after: news.lastID) }
    return record
  }

  /// Follows the recorder until the recording has finished.
  ///
  /// - Parameter whenClosed: called once the recorder has closed the file, whatever happened.
  func follow(whenClosed: @Sendable () -> Void) async {
    // Nobody cancels this task, so the events end with the recorder.
    for await event in recorder.events { note(event) }
    whenClosed()
    if let end = recorder.end { await finish(end) }
  }

  /// Takes an event of the recorder over, before its end.
  private func note(_ event: RecordingEvent) {
    switch event {
    case .started(let stamp):
      base.withLock {
        // The stamps of a writer are of a clock of its client.
        $0.startMonotonic = $0.isOfWriter ? nil : stamp
        $0.startTime = $0.isOfWriter ? .now() : WallClock.shared.wallInstant(at: stamp)
        if let request = settings.preRoll?.time, request > stamp { $0.preRoll = request.nanoseconds(since: stamp) }
      }
      tell(.started)
    case .paused: tell(.paused)
    case .resumed: tell(.resumed)
    case .continued: store.update(record)
    case .willFinish: tell(.willFinish)
    case .finished: break
    }
  }

  /// Puts the recording on the storage, whose file the recorder has closed.
  private func finish(_ end: RecordingEnd) async {
    var last = record
    last.end = end
    let keepsMovie = !isDiscarded.load(ordering: .relaxed) && last.tally.fileSize > 0
    if let error = await endCapture(of: last, keepsMovie: keepsMovie) {
      last.end = end.followed(by: error)
      last.state = .finished
      // The movie is still in the video storage, and may move later. The record on the disk stays as it is, so that
      // the next start of the daemon repairs it by the file.
      store.fail(last, error)
      // The storage tells when the movie has moved after all. The store must know by then that the recording ended.
      await capture?.leave()
      conclude(last)
      return
    }
    // A movie that the storage discarded had no file: one at its place is somebody else's.
    if capture != nil, !keepsMovie { last = last.lost }
    // Neither has a movie of which nothing came to the disk.
    if last.tally.fileSize == 0 { last.isLost = true }
    last.isUsable = last.tally.fileSize > 0
    if settings.optimizesForNetworkUse, !isDiscarded.load(ordering: .relaxed), last.tally.fileSize > 0 {
      last = await store.optimize(last, by: copies, leaving: spaceOfOthers())
    }
    last.state = .finished
    do throws(CaptureError) { try await store.finish(last) } catch { last.end = end.followed(by: error) }
    // Somebody may have removed the file meanwhile.
    if last.isUsable { last.isUsable = await store.hasFile(of: last) }
    conclude(last)
  }

  /// Moves a movie that is kept from the video storage to its file. Returns why it cannot move.
  private func endCapture(of record: RecordingRecord, keepsMovie: Bool) async -> CaptureError? {
    guard let capture else { return nil }
    do throws(CaptureError) {
      if keepsMovie {
        await store.saveEnd(of: record)
        try await capture.finish(length: record.tally.fileSize)
      } else {
        try await capture.discard()
      }
      return nil
    } catch {
      return error
    }
  }

  private func conclude(_ record: RecordingRecord) {
    base.withLock { $0 = record }
    news.append(News(kind: .finished, record: record))
    news.end(ended)
  }

  private func tell(_ kind: News.Kind) {
    let now = record
    store.update(now)
    news.append(News(kind: kind, record: now))
  }

  private var tooManyPauses: CaptureError {
    let (id, limit) = (base.withLock(\.id), RecordingPause.maximumCount)
    return CaptureError(
      .tooManyRequests,
      "Recording \(id) has had \(limit) pauses, which is the limit; stop it and start another one.",
      metadata: ["recording": id, "limit": "\(limit)"])
  }

  private var ended: CaptureError {
    let id = base.withLock(\.id)
    return CaptureError(
      .recordingEnded, "Recording \(id) has ended; start another one.", metadata: ["recording": id])
  }
}
