public import CaptureCore
internal import Synchronization

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

  private typealias Watcher = AsyncThrowingStream<Reading, any Error>.Continuation
  private struct State {
    var watchers: [UInt64: Watcher] = [:]
    var lastWatcher: UInt64 = 0
    /// The meter of each input that was heard since the first watcher came.
    var meters: [String: AudioMeter] = [:]
    var ended: CaptureError?
  }
  private let state = Mutex(State())

  /// Creates the levels of a session without sound.
  public init() {}

  /// The readings from now on, until the consumer stops iterating or the session ends with an error.
  public func watch() -> AsyncThrowingStream<Reading, any Error> {
    let (stream, watcher) = AsyncThrowingStream.makeStream(
      of: Reading.self, bufferingPolicy: .bufferingNewest(Self.depth))
    let ended = state.withLock { state in
      if state.ended == nil {
        state.lastWatcher += 1
        state.watchers[state.lastWatcher] = watcher
        watcher.onTermination = { [weak self, number = state.lastWatcher] _ in self?.forget(number) }
      }
      return state.ended
    }
    if let ended { watcher.finish(throwing: ended) }
    return stream
  }

  /// Measures a block, on the thread that captures the sound.
  func receive(_ block: AudioBlock, of input: String) {
    let (readings, watchers) = state.withLock { state -> ([AudioMeter.Reading], [Watcher]) in
      guard !state.watchers.isEmpty else { return ([], []) }
      var meter = state.meters.removeValue(forKey: input) ?? AudioMeter(block.format, rate: Self.rate)
      // A commit may have given the input another form.
      if meter.format != block.format { meter = AudioMeter(block.format, rate: Self.rate) }
      let readings = meter.take(block)
      state.meters[input] = meter
      return (readings, readings.isEmpty ? [] : Array(state.watchers.values))
    }
    for reading in readings {
      for watcher in watchers { watcher.yield(Reading(input: input, reading: reading)) }
    }
  }

  /// Forgets what was heard of an input whose microphone does not run any more.
  func forget(input: String) { state.withLock { _ = $0.meters.removeValue(forKey: input) } }

  /// Ends all watches, also those that begin later, because the session has ended.
  func end(_ error: CaptureError) {
    let watchers = state.withLock { state in
      state.ended = error
      defer { (state.watchers, state.meters) = ([:], [:]) }
      return Array(state.watchers.values)
    }
    for watcher in watchers { watcher.finish(throwing: error) }
  }

  private func forget(_ watcher: UInt64) {
    state.withLock { state in
      state.watchers[watcher] = nil
      // The first span of the next watcher must not begin with sound of now.
      if state.watchers.isEmpty { state.meters = [:] }
    }
  }
}
