internal import CaptureCore
internal import FrameDelivery
internal import Imaging
internal import Locking
internal import SystemClocks
internal import SystemFiles

/// Writes the chunks of one reader, and reads the parts that are to be sent, on a thread of its own. Thread-safe.
///
/// The thread that brings a picture only puts it into a short queue. While the queue is full, the preview is not asked
/// for another picture, so the preview counts what is lost and goes on with a key frame.
final class ChunkThread: Sendable {
  typealias Answer = CheckedContinuation<ChunkEvent, any Error>

  private struct State {
    var pictures: [PreviewPicture] = []
    var bytes = 0
    /// Whether the preview is to be asked when the queue has room again.
    var owesQuestion = false
    /// The newest status, until the reader has been told it.
    var status: PreviewStatus?
    var answer: Answer?
    var end: (any Error)?
  }

  /// How much sound is kept for the next chunk, in nanoseconds: more than a picture can be late.
  private static let soundKept: UInt64 = 2_000_000_000
  /// The most pictures, and the most bytes of pictures, that wait for the disk.
  private static let (queueDepth, queueBytes) = (32, 16 << 20)

  private let reader: PreviewReader
  private let audio: PreviewAudioReader?
  private let latency: UInt64
  private let folder: String
  private let state = Locked(State())
  private let alarm = Alarm()
  private let question = Locked<(@Sendable () -> Void)?>(nil)

  /// - Parameters:
  ///   - reader: a reader of H.264, which belongs to this object from now on.
  ///   - audio: a reader of the preview's sound; nil for chunks without sound.
  ///   - latency: the least duration of a chunk, in nanoseconds.
  ///   - folder: where the temporary files lie.
  init(_ reader: PreviewReader, _ audio: PreviewAudioReader?, latency: UInt64, in folder: String) {
    self.reader = reader
    self.audio = audio
    self.latency = latency
    self.folder = folder
  }

  /// Starts the thread, which ends at ``end(_:)`` and with the preview.
  ///
  /// - Parameter didEnd: called when the thread has ended and the files are gone.
  /// - Throws: `processingFailed` when the system cannot create a thread.
  func start(didEnd: @escaping @Sendable () -> Void) throws(CaptureError) {
    let ask = reader.asking { [weak self] in self?.arrive($0) }
    question.withLock { $0 = ask }
    try WorkerThread.start(name: "delayed-chunks") { [self] in
      ask()
      do throws(CaptureError) { try run() } catch { end(error) }
      question.withLock { $0 = nil }
      didEnd()
    }
  }

  /// Asks for the next event.
  func ask(_ answer: Answer) {
    let error: (any Error)? = state.withLock { state in
      if let end = state.end { return end }
      precondition(state.answer == nil, "a reader has one caller")
      state.answer = answer
      return nil
    }
    if let error { answer.resume(throwing: error) } else { alarm.ring() }
  }

  /// Ends the wait for the next event. No event is lost.
  func abandon() { takeAnswer()?.resume(throwing: CancellationError()) }

  /// Ends everything. Only the first error counts.
  func end(_ error: any Error) {
    let answer = state.withLock { state in
      if state.end == nil { state.end = error }
      (state.pictures, state.bytes) = ([], 0)
      return state.answer.take()
    }
    answer?.resume(throwing: error)
    alarm.ring()
    reader.detach()
  }

  private func takeAnswer() -> Answer? { state.withLock { $0.answer.take() } }

  private var isOver: Bool { state.withLock { $0.end != nil } }

  /// Takes what the preview brings, on the thread that brings it.
  private func arrive(_ result: Result<PreviewEvent, any Error>) {
    let event: PreviewEvent
    switch result {
    case .failure(let error): return end(error)
    case .success(let success): event = success
    }
    let asks: Bool = state.withLock { state in
      switch event {
      case .status(var status):
        status.token = ""
        state.status = status
      case .frame(let picture):
        guard state.end == nil else { return false }
        state.pictures.append(picture)
        state.bytes += picture.picture.buffer.count
      }
      state.owesQuestion = state.pictures.count >= Self.queueDepth || state.bytes >= Self.queueBytes
      return !state.owesQuestion
    }
    alarm.ring()
    if asks { question.withLock(\.self)?() }
  }
}

extension ChunkThread {
  /// What the thread alone uses.
  private struct Work {
    var rotation: ChunkRotation
    var queue = ChunkQueue<TemporaryFile>()
    var writer: ChunkWriter?
    /// The newest sound, because the next chunk may begin with a part of it.
    var sound: [(block: AudioBlock, input: String)] = []
    /// The chunk that is being sent, and how much of it is.
    var sending: (number: UInt64, chunk: DelayedChunk, file: TemporaryFile, offset: Int)?
    /// What was lost since the last chunk without a picture of its own.
    var lost = HistoryLosses()
  }

  private func run() throws(CaptureError) {
    var work = Work(rotation: ChunkRotation(latency: latency))
    while !isOver {
      let (pictures, asks) = state.withLock { state in
        defer { (state.pictures, state.bytes, state.owesQuestion) = ([], 0, false) }
        return (state.pictures, state.owesQuestion)
      }
      if asks { question.withLock(\.self)?() }
      try addSound(to: &work)
      for picture in pictures { try add(picture, to: &work) }
      if let deadline = work.rotation.deadline, deadline <= .now() {
        // The queue was empty at this moment, so no picture is on its way to the open chunk.
        if state.withLock(\.pictures.isEmpty) {
          try finish(before: nil, &work)
          work.rotation.close()
          reader.requestKeyFrame()
        }
      }
      try answer(&work)
      if state.withLock(\.pictures.isEmpty) { alarm.sleep(until: work.rotation.deadline ?? .distantFuture) }
    }
  }

  private func addSound(to work: inout Work) throws(CaptureError) {
    for (block, input) in audio?.take() ?? [] {
      try work.writer?.add(block, of: input)
      work.sound.append((block, input))
      work.sound.removeFirst(work.sound.prefix { $0.block.end + Self.soundKept < block.end }.count)
    }
  }

  private func add(_ picture: PreviewPicture, to work: inout Work) throws(CaptureError) {
    let frame = picture.captured.frame
    let fits = work.writer.map { !picture.isKeyFrame || $0.fits(picture) } ?? true
    let (place, asks) = work.rotation.place(
      ChunkRotation.Arrival(
        captured: frame.time.monotonic, streamID: frame.streamID, isKeyFrame: picture.isKeyFrame, fits: fits,
        bytes: frame.buffer.count), at: .now())
    if asks { reader.requestKeyFrame() }
    switch place {
    case .continues: try work.writer?.append(picture)
    case .begins:
      let follows = work.writer?.precedes(frame) ?? false
      try finish(before: follows ? frame.time.monotonic : nil, &work)
      var first = picture
      first.dropped += work.lost.dropped
      first.omitted += work.lost.omitted
      work.lost = HistoryLosses()
      let writer = try ChunkWriter(first, audio?.connections ?? [], in: folder)
      for (block, input) in work.sound { try writer.add(block, of: input) }
      work.writer = writer
    case .lost:
      work.lost.dropped += picture.dropped
      work.lost.dropped.late += 1
      work.lost.omitted += picture.omitted
    }
  }

  /// Completes the open chunk, if there is one.
  private func finish(before next: MonotonicInstant?, _ work: inout Work) throws(CaptureError) {
    guard let writer = work.writer.take() else { return }
    let (chunk, file) = try writer.finish(before: next, isCancelled: { isOver })
    work.queue.add(chunk, file)
  }

  /// Gives the reader the next event, if there is one and the reader asks for it.
  private func answer(_ work: inout Work) throws(CaptureError) {
    while state.withLock({ $0.answer != nil }) {
      if work.sending == nil, let status = state.withLock({ $0.status.take() }) {
        guard let answer = takeAnswer() else {
          // Nobody waits any more, so the status waits, unless there is a newer one.
          return state.withLock { $0.status = $0.status ?? status }
        }
        answer.resume(returning: .status(status))
        continue
      }
      if work.sending == nil { work.sending = work.queue.take().map { ($0.number, $0.chunk, $0.file, 0) } }
      guard let (number, chunk, file, offset) = work.sending else { return }
      let bytes = try file.read(at: offset, count: min(ChunkPart.largest, chunk.byteCount - offset))
      let end = offset + bytes.count
      guard let answer = takeAnswer() else { return }
      if end < chunk.byteCount {
        work.sending?.offset = end
      } else {
        work.sending = nil
        work.queue.didSend()
      }
      answer.resume(
        returning: .part(
          ChunkPart(
            chunk: offset == 0 ? (number, chunk) : nil, offset: offset, isLast: end == chunk.byteCount, bytes: bytes)))
    }
  }
}
