public import CaptureCore
internal import Synchronization
public import SystemClocks

/// A `MicrophoneProvider` whose microphones give sound when a test tells them to. Thread-safe.
public final class FakeMicrophones: MicrophoneProvider {
  /// Every source that was started, in order.
  public let sources = Recorder<FakeMicrophoneSource>()
  /// The error of every attempt to start, while ``failStarts(_:)`` sets one.
  public let refusals = Recorder<CaptureError>()
  private let present: Mutex<[Microphone]>
  private let failure = Mutex<CaptureError?>(nil)

  /// - Parameter microphones: those that are connected.
  public init(_ microphones: [Microphone] = [.fake()]) { present = Mutex(microphones) }

  /// Makes every later start throw `error`; nil makes starts succeed again.
  public func failStarts(_ error: CaptureError?) { failure.withLock { $0 = error } }

  /// Sets which microphones are connected.
  public func setMicrophones(_ microphones: [Microphone]) { present.withLock { $0 = microphones } }

  /// The microphones that are connected.
  public func microphones() async -> [Microphone] { present.withLock { $0 } }

  /// No changes: tests do not watch fake microphones.
  public func changes() -> AsyncStream<MicrophoneChange> { AsyncStream { $0.finish() } }

  /// Starts a source, which gives no sound by itself.
  ///
  /// - Throws: the error of ``failStarts(_:)``.
  public func start(
    _ format: AudioFormat, on id: String, sink: any AudioSink
  ) async throws(CaptureError) -> any AudioSource {
    if let error = failure.withLock({ $0 }) {
      refusals.append(error)
      throw error
    }
    let source = FakeMicrophoneSource(deviceID: id, format: format, sink: sink)
    sources.append(source)
    return source
  }
}

/// A source of ``FakeMicrophones``. The thread of the test stands for the capture thread.
public final class FakeMicrophoneSource: AudioSource {
  /// The ``Microphone/id`` of the microphone.
  public let deviceID: String
  /// The form of the sound.
  public let format: AudioFormat
  /// Nil: a fake has no sound card whose clock could drift.
  public let drift: Double? = nil
  /// One element for each ``stop()``.
  public let stops = Recorder<Void>()
  private let sink: any AudioSink

  init(deviceID: String, format: AudioFormat, sink: any AudioSink) {
    self.deviceID = deviceID
    self.format = format
    self.sink = sink
  }

  /// Gives a block of ten milliseconds.
  public func send(at time: MonotonicInstant) {
    let count = format.sampleRate / 100 * format.channelCount
    sink.receive(AudioBlock(format: format, time: time, samples: Array(repeating: 0.5, count: count)))
  }

  /// Tells the sink of a gap.
  public func overrun(_ loss: AudioLoss) { sink.soundWasLost(loss) }

  /// Ends the sound with `error`, as an unplugged microphone does.
  public func lose(_ error: CaptureError = CaptureError(.deviceDisconnected, "The fake microphone was unplugged.")) {
    sink.sourceDidEnd(error)
  }

  /// Records the call in ``stops``.
  public func stop() async { stops.append(()) }
}

extension Microphone {
  /// Makes a microphone.
  public static func fake(
    id: String = "fake-microphone", sampleRates: [Int] = [16_000, 44_100, 48_000], channelCounts: [Int] = [1, 2]
  ) -> Microphone {
    Microphone(
      id: id, displayName: "Fake microphone", type: .microphone, driver: "fake", location: "test:\(id)",
      sampleRates: sampleRates, channelCounts: channelCounts)
  }
}
