internal import CaptureCore
internal import FrameDelivery
internal import Imaging
internal import Locking
internal import SystemClocks

/// The recent past of a preview in one form of its pictures, for readers with any delays. Thread-safe.
///
/// The history is one reader of the preview. The thread that brings a picture only puts it into a short queue; the
/// history's own thread writes it to the disk, reads what is due, and hands it to the readers. While the queue is full,
/// the history does not ask the preview for another picture, so the preview counts what is lost.
final class DelayedHistory: Sendable {
  typealias Receiver = @Sendable (Result<DelayedEvent, any Error>) -> Void
  private typealias ReaderState = DelayedReaderState<PreviewStatus>

  private enum Arrival: Sendable {
    case status(PreviewStatus)
    /// The loan says that the picture's memory is not used up by the camera's next frames.
    case picture(PreviewPicture, FrameLoan)
  }
  private struct Seat: Sendable {
    let delay: UInt64
    var receiver: Receiver?
  }
  private struct State {
    var arrivals: [Arrival] = []
    /// Whether the preview is to be asked when the queue has room again.
    var owesQuestion = false
    var seats: [Int: Seat] = [:]
    var newestSeat = 0
    /// Why the history has ended. Nobody can join it any more.
    var end: (any Error)?
  }

  /// The most readers of a history.
  static let maxReaders = 64
  /// The most pictures and statuses that wait for the disk.
  private static let queueDepth = 8

  private let reader: PreviewReader
  private let folder: String
  private let quality: Int
  private let state = Locked(State())
  private let alarm = Alarm()
  private let question = Locked<(@Sendable () -> Void)?>(nil)

  /// - Parameters:
  ///   - reader: a reader of JPEG, which belongs to the history from now on.
  ///   - folder: where the temporary file lies.
  ///   - quality: the quality of the pictures, 1 to 100.
  init(_ reader: PreviewReader, in folder: String, quality: Int) {
    self.reader = reader
    self.folder = folder
    self.quality = quality
  }

  /// Starts the thread, which ends with the last reader or with the preview. The first reader must have joined.
  ///
  /// - Parameter didEnd: called when nobody can join any more.
  /// - Throws: `processingFailed` when the system cannot create a thread.
  func start(didEnd: @escaping @Sendable () -> Void) throws(CaptureError) {
    let ask = reader.asking { [weak self] in self?.arrive($0) }
    question.withLock { $0 = ask }
    do throws(CaptureError) {
      try WorkerThread.start(name: "delayed-feed") { [self] in
        ask()
        let error = run()
        end(error)
        didEnd()
      }
    } catch {
      end(error)
      throw error
    }
  }

  /// Adds a reader. Nil when the history has ended.
  ///
  /// - Throws: `tooManyRequests` when there are ``maxReaders``.
  func join(delay: UInt64) throws(CaptureError) -> Int? {
    let seat: Int? = try state.withLock { state throws(CaptureError) in
      guard state.end == nil else { return nil }
      guard state.seats.count < Self.maxReaders else { throw .tooMany("readers of one history", Self.maxReaders) }
      state.newestSeat += 1
      state.seats[state.newestSeat] = Seat(delay: delay)
      return state.newestSeat
    }
    alarm.ring()
    return seat
  }

  /// Removes a reader. The history ends with its last reader.
  func leave(_ seat: Int) {
    let left = state.withLock { state in
      let left = state.seats.removeValue(forKey: seat)
      if state.seats.isEmpty, state.end == nil { state.end = CancellationError() }
      return left
    }
    left?.receiver?(.failure(CancellationError()))
    alarm.ring()
  }

  func ask(for seat: Int, _ receiver: @escaping Receiver) {
    let error: (any Error)? = state.withLock { state in
      guard state.seats[seat] != nil else { return CancellationError() }
      if let end = state.end { return end }
      precondition(state.seats[seat]?.receiver == nil, "a reader has one receiver")
      state.seats[seat]?.receiver = receiver
      return nil
    }
    if let error { receiver(.failure(error)) } else { alarm.ring() }
  }

  func abandon(_ seat: Int) { takeReceiver(seat)?(.failure(CancellationError())) }

  private func takeReceiver(_ seat: Int) -> Receiver? { state.withLock { $0.seats[seat]?.receiver.take() } }

  /// Takes what the preview brings, on the thread that brings it.
  private func arrive(_ result: Result<PreviewEvent, any Error>) {
    let asks: Bool = state.withLock { state in
      switch result {
      case .failure(let error):
        if state.end == nil { state.end = error }
        return false
      case .success(.status(let status)): state.arrivals.append(.status(status))
      case .success(.frame(let picture)):
        state.arrivals.append(.picture(picture, FrameLoan(picture.picture.buffer)))
      }
      state.owesQuestion = state.arrivals.count >= Self.queueDepth
      return !state.owesQuestion
    }
    alarm.ring()
    if asks { question.withLock(\.self)?() }
  }

  private func end(_ error: any Error) {
    let seats = state.withLock { state in
      if state.end == nil { state.end = error }
      let seats = state.seats.values.compactMap(\.receiver)
      for seat in state.seats.keys { state.seats[seat]?.receiver = nil }
      state.arrivals = []
      return seats
    }
    for receiver in seats { receiver(.failure(error)) }
    reader.detach()
    question.withLock { $0 = nil }
  }
}

extension DelayedHistory {
  /// Stores and serves until the history ends, and returns why it did.
  private func run() -> any Error {
    do throws(CaptureError) {
      var store = try HistoryStore(in: folder, quality: quality)
      var readers: [Int: ReaderState] = [:]
      while true {
        let (arrivals, delays, end, asks) = state.withLock { state in
          defer { (state.arrivals, state.owesQuestion) = ([], false) }
          return (state.arrivals, state.seats.mapValues(\.delay), state.end, state.owesQuestion)
        }
        if let end { return end }
        if asks { question.withLock(\.self)?() }
        let kept = delays.values.max() ?? 0
        for arrival in arrivals {
          switch arrival {
          case .status(let status): store.add(status, keeping: kept)
          case .picture(let picture, _): store.add(picture, keeping: kept)
          }
        }
        readers = readers.filter { delays[$0.key] != nil }
        var wake = MonotonicInstant.distantFuture
        for (seat, delay) in delays {
          var reader = readers[seat] ?? ReaderState(delay: delay)
          wake = min(wake, serve(seat, &reader, &store, keeping: kept))
          readers[seat] = reader
        }
        store.forgetLoaded()
        alarm.sleep(until: wake)
      }
    } catch { return error }
  }

  /// Gives a reader all that is due and that it asks for.
  ///
  /// - Returns: when the next event is due for the reader.
  private func serve(
    _ seat: Int, _ reader: inout ReaderState, _ store: inout HistoryStore, keeping kept: UInt64
  ) -> MonotonicInstant {
    while state.withLock({ $0.seats[seat]?.receiver != nil }) {
      let now = MonotonicInstant.now()
      let next = reader.next(at: now, store.index, store.statuses)
      let event: (HistoryLosses) -> DelayedEvent
      switch next {
      case .wait(let instant): return instant ?? .distantFuture
      case .status(let status): event = { _ in .status(status) }
      case .report:
        let report = report(at: now, reader, store, keeping: kept)
        event = { _ in .report(report) }
      case .frame(let position):
        guard let picture = store.picture(at: position) else {
          reader.skip(position, of: store.index)
          continue
        }
        event = { losses in
          var picture = picture
          (picture.dropped, picture.omitted) = (losses.dropped, losses.omitted)
          return .frame(picture)
        }
      }
      // A reader that has just left, or no longer waits, loses nothing.
      guard let receiver = takeReceiver(seat) else { break }
      receiver(.success(event(reader.take(next, of: store.index, at: now))))
    }
    return .distantFuture
  }

  private func report(
    at now: MonotonicInstant, _ reader: ReaderState, _ store: borrowing HistoryStore, keeping kept: UInt64
  ) -> HistoryReport {
    let index = store.index
    return HistoryReport(
      available: index.entries.first.map { now.nanoseconds(since: $0.captured) } ?? 0,
      effectiveDelay: reader.effectiveDelay(index), frameCount: index.entries.count, byteCount: index.fileBytes,
      byteLimit: store.byteLimit(keeping: kept), readerCount: state.withLock(\.seats.count))
  }
}
