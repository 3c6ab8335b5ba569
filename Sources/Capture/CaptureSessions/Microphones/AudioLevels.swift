public import CaptureCore
internal import Locking

/// How loud the microphones of a session are, for those who watch. Nothing is measured while nobody watches.
/// Thread-safe.
public final class AudioLevels: Sendable {
  /// How loud one microphone was in a span of a tenth of a second.
  public struct Reading: Hashable, Sendable {
    /// The id of the session's input.
    public var input: String
    /// The levels of the channels.
    public var reading: AudioMeter.Reading
  }

  /// The spans in a second.
  public static let rate = 10
  /// How many readings wait for a slow watcher, who loses the oldest.
  public static let depth = 16

  /// Readings as they come, until the consumer stops iterating or the session ends.
  public struct Readings: AsyncSequence, Sendable {
    /// Waits for readings.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var readings: AsyncStream<Reading>.Iterator
      fileprivate let levels: AudioLevels

      /// The next reading. Nil when the task is cancelled.
      ///
      /// - Throws: the error with which the session ended.
      public mutating func next() async throws -> Reading? {
        if let reading = await readings.next() { return reading }
        if let ended = levels.state.withLock(\.ended) { throw ended }
        return nil
      }
    }

    fileprivate let readings: AsyncStream<Reading>
    fileprivate let levels: AudioLevels

    /// The readings, for one consumer.
    public func makeAsyncIterator() -> Iterator {
      Iterator(readings: readings.makeAsyncIterator(), levels: levels)
    }
  }

  private struct State {
    /// The meter of each input that was heard since the first watcher came.
    var meters: [String: AudioMeter] = [:]
    var ended: CaptureError?
  }
  private let state = Locked(State())
  private let heard = Broadcast<Reading>(depth: AudioLevels.depth)

  /// Creates the levels of a session without sound.
  public init() {}

  /// The readings from now on.
  public func watch() -> Readings {
    let readings = heard.watch { [weak self] in
      // The first span of the next watcher must not begin with sound of now.
      if let self, !heard.isWatched { state.withLock { $0.meters = [:] } }
    }
    return Readings(readings: readings, levels: self)
  }

  /// Measures a block, on the thread that captures the sound.
  func receive(_ block: AudioBlock, of input: String) {
    guard heard.isWatched else { return }
    let readings = state.withLock { state in
      var meter = state.meters.removeValue(forKey: input) ?? AudioMeter(block.format, rate: Self.rate)
      // A commit may have given the input another form.
      if meter.format != block.format { meter = AudioMeter(block.format, rate: Self.rate) }
      let readings = meter.take(block)
      state.meters[input] = meter
      return readings
    }
    for reading in readings { heard.tell(Reading(input: input, reading: reading)) }
  }

  /// Forgets what was heard of an input whose microphone does not run any more.
  func forget(input: String) { state.withLock { _ = $0.meters.removeValue(forKey: input) } }

  /// Ends all watches, also those that begin later, because the session has ended.
  func end(_ error: CaptureError) {
    state.withLock { ($0.ended, $0.meters) = (error, [:]) }
    heard.end()
  }
}
