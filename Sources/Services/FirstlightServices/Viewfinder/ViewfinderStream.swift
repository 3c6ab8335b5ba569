internal import CaptureCore
internal import FirstlightAPI
internal import FrameDelivery
internal import Locking
internal import RPCCore

/// The messages of one viewfinder, from all its parts to one call. Thread-safe.
///
/// The thread that brings a picture makes the message and starts its write, as for every preview. The stream asks the
/// readers of its previews only while the call can take a message. Until then a newer frame takes the place of the
/// frame that waits.
final class ViewfinderStream: MessageSource {
  /// A message that waits, and the handler that waits until it is taken.
  private struct Event: Sendable {
    let message: ViewfinderMessage
    var taken: CheckedContinuation<Void, any Error>?
  }

  private struct Preview: Sendable {
    let id: String
    let reader: PreviewReader
    /// The most frames that may be sent and not acknowledged. 0 for no limit.
    let window: Int
    let observer: @Sendable () -> Void
    /// Ends the wait of ``show(_:as:window:for:)``.
    let ending: AsyncThrowingStream<Never, any Error>.Continuation
  }

  /// Stands for the viewfinder itself among the parts, whose numbers begin at 1.
  private static let whole = 0

  /// A function that takes the next message. A structure, because generic code such as the lock wraps a bare closure
  /// anew each time that the closure passes through.
  private struct Call: Sendable {
    let receiver: Receiver
  }

  private struct State {
    var queue = ViewfinderQueue<Event>()
    var previews: [Int: Preview] = [:]
    /// The runs of the parts whose messages may go out.
    var parts: Set<Int> = [ViewfinderStream.whole]
    /// The frames of each preview that were sent, oldest first, as many as its window has.
    var unacknowledged: [Int: [(number: UInt64, sequence: UInt64)]] = [:]
    var number: UInt64 = 0
    var call: Call?
    /// Whether the call waits for a message.
    var isAsked = false
    /// The error with which the stream ends, once it is closed.
    var ending: (any Error)?
  }
  private let state = Locked(State())

  // MARK: For the parts

  /// Sends a message of a part, and returns when the call has taken it.
  ///
  /// - Throws: `CancellationError` when the part is removed or the stream is closed before that.
  func send(_ message: ViewfinderMessage, from part: Int) async throws {
    try await withCheckedThrowingContinuation { taken in
      enqueue(Event(message: message, taken: taken), from: part)
    }
  }

  /// Ends some parts and lets others begin, with a message of the viewfinder in between, which takes the place of an
  /// earlier one that waits. The caller then calls ``serve()``.
  func change(ending ended: [Int], beginning new: [Int], _ message: ViewfinderMessage) {
    for part in ended { remove(part) }
    state.withLock { state in
      guard state.ending == nil else { return }
      state.parts.formUnion(new)
      // The earlier message may have begun a part of the viewfinder that stays, and an event of that part may wait
      // behind it. The new message has to go out before that event, so it takes the earlier one's place.
      state.queue.replace(Event(message: message), from: Self.whole)
    }
  }

  private func enqueue(_ event: Event, from part: Int) {
    let isWanted = state.withLock { state in
      guard state.ending == nil, state.parts.contains(part) else { return false }
      state.queue.enqueue(event, from: part)
      return true
    }
    if isWanted { serve() } else { event.taken?.resume(throwing: CancellationError()) }
  }

  /// Shows the frames of a reader until the task is cancelled or the part is removed.
  ///
  /// - Throws: the error that the reader ends with.
  func show(_ reader: PreviewReader, as id: String, window: Int, for part: Int) async throws {
    let (endings, ending) = AsyncThrowingStream.makeStream(of: Never.self)
    let preview = Preview(
      id: id, reader: reader, window: window,
      observer: { [weak self] in self?.noteReady(part) }, ending: ending)
    let isWanted = state.withLock { state in
      guard state.ending == nil, state.parts.contains(part) else { return false }
      state.previews[part] = preview
      state.queue.add(preview: part)
      return true
    }
    guard isWanted else { return }
    defer { forget(part) }
    ask(of: [preview])
    for try await _ in endings {}
  }

  /// Ends a part. Its messages that wait, or come later, do not go out.
  private func remove(_ part: Int) {
    state.withLock { _ = $0.parts.remove(part) }
    forget(part)
  }

  private func forget(_ part: Int) {
    let (preview, events) = state.withLock { state in
      state.unacknowledged[part] = nil
      return (state.previews.removeValue(forKey: part), state.queue.remove(part))
    }
    // A viewfinder removes parts under its lock.
    afterUnlocking {
      preview?.ending.finish()
      for event in events { event.taken?.resume(throwing: CancellationError()) }
    }
  }

  /// Ends the stream with an error, which the call gets when it next waits for a message, and the waits of all parts.
  /// Only the first error counts. Parts that come later end at once.
  func close(_ error: any Error) {
    let (previews, events) = state.withLock { state in
      if state.ending == nil { state.ending = error }
      return (state.previews, state.queue.removeAll())
    }
    for preview in previews.values { preview.ending.finish() }
    for event in events { event.taken?.resume(throwing: CancellationError()) }
    serve()
  }

  // MARK: For the call

  func asking(_ receiver: @escaping Receiver) -> @Sendable () -> Void {
    state.withLock { $0.call = Call(receiver: receiver) }
    return { [self] in
      let unready = state.withLock { state in
        state.isAsked = true
        return state.queue.unready.compactMap { state.previews[$0] }
      }
      ask(of: unready)
      serve()
    }
  }

  func abandonNext() {
    let call = state.withLock { state in
      defer { state.isAsked = false }
      return state.isAsked ? state.call : nil
    }
    call?.receiver(.failure(CancellationError()))
  }

  /// Says that the client has consumed the pictures in the messages up to a number.
  func acknowledge(_ number: UInt64) {
    let consumed: [(PreviewReader, UInt64)] = state.withLock { state in
      state.previews.compactMap { part, preview in
        guard let newest = state.unacknowledged[part]?.last(where: { $0.number <= number }) else { return nil }
        state.unacknowledged[part]?.removeAll { $0.number <= number }
        return (preview.reader, newest.sequence)
      }
    }
    for (reader, sequence) in consumed { reader.acknowledge(sequence: sequence) }
  }

  // MARK: What comes next

  /// Lets readers say when they have an event, while the call waits for one.
  private func ask(of previews: [Preview]) {
    guard state.withLock(\.isAsked) else { return }
    for preview in previews { preview.reader.whenReady(preview.observer) }
  }

  private func noteReady(_ part: Int) {
    state.withLock { $0.queue.noteReady(part) }
    serve()
  }

  /// Gives the call its next message, or the end of the stream, if the call waits for it.
  func serve() {
    while let (step, call) = takeStep() {
      switch step {
      case .event(let event):
        give(event.message, to: call)
        event.taken?.resume()
        return
      case .preview(let part):
        if givePicture(of: part, to: call) { return }
        state.withLock { $0.isAsked = true }
      case nil:
        let ending = state.withLock(\.ending) ?? CancellationError()
        call.receiver(.failure(ending))
        return
      }
    }
  }

  /// Returns what the call gets now, or nil for the end of the stream. Nil when the call does not wait, or nothing
  /// waits for it.
  private func takeStep() -> (ViewfinderQueue<Event>.Next?, Call)? {
    state.withLock { state in
      guard state.isAsked, let call = state.call else { return nil }
      let next = state.queue.next()
      guard next != nil || state.ending != nil else { return nil }
      state.isAsked = false
      return (next, call)
    }
  }

  /// Returns whether the call got a message.
  private func givePicture(of part: Int, to call: Call) -> Bool {
    guard let preview = state.withLock({ $0.previews[part] }) else { return false }
    do {
      guard let event = try preview.reader.take() else {
        preview.reader.whenReady(preview.observer)
        return false
      }
      var sequence: UInt64?
      if case .frame(let picture) = event, preview.window > 0 { sequence = picture.captured.frame.sequence }
      give(
        .preview(preview.id, try event.message()), to: call,
        acknowledging: sequence.map { (part, $0, preview.window) })
      return true
    } catch {
      preview.ending.finish(throwing: error)
      return false
    }
  }

  private func give(
    _ message: ViewfinderMessage, to call: Call, acknowledging frame: (part: Int, sequence: UInt64, window: Int)? = nil
  ) {
    let number = state.withLock { state in
      state.number += 1
      if let frame {
        // A client may also acknowledge by the token of the preview. Frames that are older than the window are then
        // acknowledged.
        let sent = (state.unacknowledged[frame.part] ?? []).suffix(frame.window - 1)
        state.unacknowledged[frame.part] = sent + [(state.number, frame.sequence)]
      }
      return state.number
    }
    call.receiver(Result { try message.lent(number: number) })
  }
}
