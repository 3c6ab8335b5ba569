internal import CaptureCore
internal import VideoCoding

/// The life of a writer, as a value: what it takes, what ends it, and what its clients are told. It returns what is to
/// be done, and does nothing itself.
struct AssetWriterStateMachine: Sendable {
  enum Action: Hashable {
    /// The source of samples gets no more of them through, for this reason.
    case endSource(CaptureError)
    /// The movie has its last sample.
    case finishMovie
    /// The movie and its file go.
    case discardMovie
  }

  /// What becomes of a sample for which there is no room.
  enum NoRoom: Hashable { case waits, isRefused }

  enum State: Hashable {
    case unknown
    /// The file is being made.
    case opening
    case writing
    /// The file is being completed.
    case finishing
    /// The file is being removed.
    case cancelling
    case completed
    case failed(CaptureError)
    case cancelled
  }

  let id: String
  private(set) var state = State.unknown
  private(set) var configuration: WriterConfiguration
  private(set) var inputs: [WriterInput] = []
  private(set) var isSessionEnded = false
  private var times: WriterTimes
  private var order = CodedOrder()
  private var ledgers: [SoundLedger] = []
  /// The number of the newest source of samples.
  private var source: UInt64 = 0
  /// What is added to the times of that source. Nil before the first picture of an attached output.
  private var shift: UInt64?
  /// How the first picture lies in memory.
  private var first: FrameLayout?
  private var actions: [Action] = []

  init(id: String, _ configuration: WriterConfiguration) {
    self.id = id
    self.configuration = configuration
    times = configuration.times
    reset()
  }

  /// What changes since the last call left to be done, in order.
  mutating func takeActions() -> [Action] {
    defer { actions = [] }
    return actions
  }

  /// Whether the writer changes no more.
  var isOver: Bool {
    switch state {
    case .completed, .failed, .cancelled: true
    case .unknown, .opening, .writing, .finishing, .cancelling: false
    }
  }

  /// Whether the movie is being completed or removed, or the writer is over.
  var isEnding: Bool { isOver || state == .finishing || state == .cancelling }

  // MARK: Beginning

  /// Replaces the configuration, which was checked.
  ///
  /// - Throws: `writerStarted`, `writerEnded`.
  mutating func configure(_ configuration: WriterConfiguration) throws(CaptureError) {
    guard state == .unknown else { throw isOver ? ended : started }
    self.configuration = configuration
    times = configuration.times
    reset()
  }

  private mutating func reset() {
    inputs = [WriterInput(id: WriterConfiguration.videoInput)] + configuration.audio.map { WriterInput(id: $0.input) }
    ledgers = configuration.audio.map { _ in SoundLedger() }
  }

  /// Begins to make the file. ``didOpen()`` or ``didFail(_:)`` follows.
  ///
  /// - Throws: `writerStarted`, `writerEnded`.
  mutating func start() throws(CaptureError) {
    guard state == .unknown else { throw isOver ? ended : started }
    state = .opening
  }

  /// Notes that the movie takes samples.
  mutating func didOpen() { state = .writing }

  /// Notes that the movie could not be made.
  mutating func didFail(_ error: CaptureError) { state = .failed(error) }

  // MARK: Samples

  /// Makes a source of samples the only one.
  ///
  /// - Parameters:
  ///   - layout: how its pictures lie in memory.
  ///   - isAttached: whether it is the output of a session, whose clock need not continue the movie.
  /// - Returns: its number.
  /// - Throws: `writerNotStarted`, `writerEnded`; `notSupportedInConfiguration` for colours that the movie does not
  ///   have.
  mutating func beginSource(of layout: FrameLayout, isAttached: Bool) throws(CaptureError) -> UInt64 {
    try checkTakesSamples()
    try checkColours(of: layout)
    if source > 0 { actions.append(.endSource(takenOver)) }
    source += 1
    shift = isAttached ? nil : 0
    return source
  }

  /// The encoder converts every range, and no other matrix than that of the first picture.
  private func checkColours(of layout: FrameLayout) throws(CaptureError) {
    func matrix(_ layout: FrameLayout) -> FrameLayout.Matrix {
      MovieFormat(configuration.video.codec, of: layout, frameRate: configuration.video.frameRate).matrix
    }
    guard let first, !configuration.video.isCoded, matrix(first) != matrix(layout) else { return }
    throw CaptureError(
      .notSupportedInConfiguration,
      "Pictures with the colours of \(matrix(layout)) do not fit a movie that began with those of \(matrix(first)); "
        + "use another writer.", metadata: ["writer": id])
  }

  /// Whether the samples of this source still count.
  func isCurrent(_ source: UInt64) -> Bool { source == self.source && state == .writing && !isSessionEnded }

  /// Finds the time of a sample, and checks that the sample may come now.
  ///
  /// - Returns: the sample at its time on the clock of the movie.
  /// - Throws: `writerNotStarted`, `writerEnded`; `operationInterrupted` when another source has taken over;
  ///   `invalidArgument` for its time, and for a picture too far from its key frame.
  mutating func place(_ sample: WriterSample, from source: UInt64) throws(CaptureError) -> WriterSample {
    try checkTakesSamples()
    guard source == self.source else { throw takenOver }
    let sample = sample.shifted(by: try shift(of: sample))
    switch sample.content {
    case .picture(let frame, let isKeyFrame):
      try times.check(picture: sample.time)
      try order.check(frame, isKeyFrame: isKeyFrame)
    case .sound(let block, let input): try times.check(sound: sample.time, lasting: block.duration, of: input)
    }
    return sample
  }

  private mutating func shift(of sample: WriterSample) throws(CaptureError) -> UInt64 {
    if let shift { return shift }
    switch sample.content {
    case .picture:
      let found = times.shift(of: sample.time)
      shift = found
      return found
    case .sound:
      guard times.first == nil else {
        throw CaptureError(.invalidArgument, "The first sample of an output that continues a movie is a picture.")
      }
      return 0
    }
  }

  /// Whether a picture cannot be decoded, because one before it was refused. Then it is refused, too.
  func hasGap(before sample: WriterSample) -> Bool {
    if case .picture(_, isKeyFrame: false) = sample.content { order.hasGap } else { false }
  }

  /// Notes that the movie took a sample that was checked.
  mutating func didTake(_ sample: WriterSample) {
    let index = inputs.firstIndex { $0.id == sample.input }!
    inputs[index].appended += 1
    switch sample.content {
    case .picture(let captured, let isKeyFrame):
      first = first ?? captured.frame.layout
      order.note(captured, isKeyFrame: isKeyFrame)
      times.note(picture: sample.time)
    case .sound(let block, let input):
      times.note(sound: sample.time, lasting: block.duration, of: input)
      ledgers[index - 1].add(sample.time + block.duration)
    }
  }

  /// What becomes of samples for which there is no room now. An attached camera never waits.
  func noRoom(isAttached: Bool) -> NoRoom { isAttached || configuration.isRealTime ? .isRefused : .waits }

  /// Notes that a sample of this input was refused.
  mutating func didRefuse(sampleOf input: String) {
    guard let index = inputs.firstIndex(where: { $0.id == input }) else { return }
    inputs[index].refused += 1
    if index == 0 { order.noteRefused() }
  }

  /// Notes whether there is room for pictures and for sound.
  mutating func note(hasRoomForPictures: Bool, forSound: Bool) {
    let takesSamples = state == .writing && !isSessionEnded
    for index in inputs.indices { inputs[index].isReady = takesSamples && (index == 0 ? hasRoomForPictures : forSound) }
  }

  /// Notes what is on the storage.
  mutating func note(_ tally: RecordingTally) {
    inputs[0].acknowledged = tally.frames
    inputs[0].dropped = tally.dropped
    guard let first = times.first, tally.frames > 0 else { return }
    for (index, end) in tally.soundEnds.enumerated() where index < ledgers.count {
      inputs[index + 1].acknowledged += ledgers[index].take(until: first + end)
    }
  }

  // MARK: Ending

  /// Takes no more samples.
  ///
  /// - Throws: `writerNotStarted`, `writerEnded`.
  mutating func endSession() throws(CaptureError) {
    try checkTakesSamples()
    isSessionEnded = true
    actions.append(.endSource(ended))
  }

  /// Completes the movie. Does nothing while it is being completed.
  ///
  /// - Throws: `writerNotStarted`, `writerEnded`.
  mutating func finish() throws(CaptureError) {
    switch state {
    case .unknown, .opening: throw notStarted
    case .finishing: return
    case .cancelling, .completed, .failed, .cancelled: throw ended
    case .writing:
      state = .finishing
      if !isSessionEnded { actions.append(.endSource(ended)) }
      isSessionEnded = true
      actions.append(.finishMovie)
    }
  }

  /// Removes the movie.
  ///
  /// - Throws: `writerStarted` while the writer starts, `writerEnded`.
  mutating func cancel() throws(CaptureError) {
    switch state {
    case .opening: throw started
    case .finishing, .cancelling, .completed, .failed, .cancelled: throw ended
    case .unknown: state = .cancelled
    case .writing:
      state = .cancelling
      if !isSessionEnded { actions.append(.endSource(ended)) }
      isSessionEnded = true
      actions.append(.discardMovie)
    }
  }

  /// Notes that nobody uses the writer any more, which then ends. StartWriting counts as a use.
  mutating func expire() {
    switch state {
    case .unknown: state = .cancelled
    case .writing: try? finish()
    case .opening, .finishing, .cancelling, .completed, .failed, .cancelled: return
    }
  }

  /// Notes that the movie is complete and on the storage, or failed. A client of recordings may have stopped it. A
  /// writer without a picture that plays has failed. One that is being cancelled waits for ``didDiscard(_:)``.
  ///
  /// - Parameter reason: what a source learns that still brings samples.
  mutating func didEnd(_ end: RecordingEnd, for reason: CaptureError) {
    guard state != .cancelling, !isOver else { return }
    if !isSessionEnded { actions.append(.endSource(reason)) }
    isSessionEnded = true
    switch end {
    case .failed(let error), .session(let error): state = .failed(error)
    default: state = inputs[0].acknowledged > 0 ? .completed : .failed(hasNoPicture)
    }
  }

  /// Notes that the movie of a writer that is being cancelled is gone, or why it stays.
  mutating func didDiscard(_ error: CaptureError?) { state = error.map(State.failed) ?? .cancelled }

  // MARK: Errors

  private func checkTakesSamples() throws(CaptureError) {
    switch state {
    case .unknown, .opening: throw notStarted
    case .writing: if isSessionEnded { throw ended }
    case .finishing, .cancelling, .completed, .failed, .cancelled: throw ended
    }
  }

  private var takenOver: CaptureError {
    CaptureError(.operationInterrupted, "Another call brings samples to writer \(id) now.", metadata: ["writer": id])
  }

  private var notStarted: CaptureError {
    CaptureError(.writerNotStarted, "Writer \(id) has not started; call StartWriting first.", metadata: ["writer": id])
  }

  private var started: CaptureError {
    CaptureError(
      .writerStarted, "Writer \(id) has started, and a writer is used once; make another one.", metadata: ["writer": id]
    )
  }

  private var hasNoPicture: CaptureError {
    CaptureError(
      .writerEnded, "Writer \(id) has ended without a picture that plays, so there is no movie; append pictures first.",
      metadata: ["writer": id])
  }

  private var ended: CaptureError {
    CaptureError(
      .writerEnded, "Writer \(id) takes no more samples, and a writer is used once; make another one.",
      metadata: ["writer": id])
  }
}

extension WriterConfiguration {
  fileprivate var times: WriterTimes {
    WriterTimes(period: video.frameRate.framePeriod, tracks: audio.map(\.input))
  }
}
