public import CaptureCore
internal import Locking
internal import SystemClocks
internal import VideoCoding

/// The samples of a writer.
extension AssetWriter {
  /// Makes a call of a client the only source of samples.
  ///
  /// - Parameter whenEnded: called once, when no more samples get through.
  /// - Throws: `writerNotStarted`, `writerEnded`; `notSupportedInConfiguration` for colours that the movie does not
  ///   have.
  public func beginAppending(
    whenEnded: @escaping @Sendable () -> Void
  ) throws(CaptureError) -> WriterSource {
    try beginSource(of: state.configuration.video.layout, isAttached: false, whenEnded: whenEnded)
  }

  /// Ends a source, whose samples were all taken.
  public func endAppending(_ source: WriterSource) {
    source.end(CaptureError(.operationInterrupted, "The source of the samples has ended."))
    shared.withLock { if $0.source === source { $0.source = nil } }
  }

  /// Lets an output of a session be the only source of samples. When it cannot, the present source goes on.
  ///
  /// - Parameter whenDetached: called once, when the writer needs no more frames.
  /// - Throws: as ``beginAppending(whenEnded:)`` and ``MovieOutput/attach(_:size:needsJPEG:)``. Then `whenDetached` was
  ///   called, too.
  public func attach(to output: MovieOutput, whenDetached: @escaping @Sendable () -> Void) throws(CaptureError) {
    let source: WriterSource
    let video = state.configuration.video
    shared.withLock { $0.idleness.beginUse() }
    do throws(CaptureError) {
      guard video.layout.pixelFormat != .h264 else {
        throw CaptureError(
          .notSupportedInConfiguration,
          "Writer \(id) takes pictures in H.264, which no output gives; configure another pixel_format.",
          metadata: ["writer": id])
      }
      let layout = try output.checkMayAttach(size: video.layout.size, needsJPEG: video.isCoded)
      source = try beginSource(of: layout, isAttached: true) { [weak self, weak output] in
        output?.letGo()
        whenDetached()
        self?.shared.withLock { $0.idleness.endUse(now: .now()) }
      }
    } catch {
      shared.withLock { $0.idleness.endUse(now: .now()) }
      whenDetached()
      throw error
    }
    do throws(CaptureError) {
      try output.attach(
        AttachedOutput(self, source), size: video.layout.size, needsJPEG: video.isCoded)
    } catch {
      source.end(error)
      throw error
    }
    // Another source may have taken over meanwhile.
    if source.ending != nil { output.letGo() }
  }

  private func beginSource(
    of layout: FrameLayout, isAttached: Bool, whenEnded: @escaping @Sendable () -> Void
  ) throws(CaptureError) -> WriterSource {
    try change { shared throws(CaptureError) in
      let number = try shared.machine.beginSource(of: layout, isAttached: isAttached)
      let source = WriterSource(number: number, isAttached: isAttached, whenEnded: whenEnded)
      shared.source = source
      return source
    }
  }

  /// Appends a sample. Waits until there is room for it, unless the writer refuses samples then.
  ///
  /// - Parameters:
  ///   - data: the bytes of the picture or the sound.
  ///   - input: the id of the input; empty for pictures.
  ///   - time: when the picture is shown or the sound begins, in nanoseconds of the client's clock.
  /// - Throws: `invalidArgument` for a sample that does not fit; the error that ended the source; `writerEnded`;
  ///   `CancellationError` when the task is cancelled.
  public func append(
    _ data: some Collection<UInt8> & Sendable, to input: String, at time: UInt64, from source: WriterSource
  ) async throws {
    let input = input.isEmpty ? WriterConfiguration.videoInput : input
    let configuration = state.configuration
    try configuration.check(data.count, of: input)
    var sample: WriterSample?
    while true {
      try Task.checkCancellation()
      if let ending = source.ending { throw ending }
      if sample == nil { sample = try makeSample(data, of: input, at: time, configuration) }
      let isDone = if let sample { try offer(sample, from: source) } else { refuse(input, from: source) }
      if isDone { return }
      await source.waitForRoom()
    }
  }

  /// Takes a sample, or refuses it. Returns false when it has to wait.
  func offer(_ sample: WriterSample, from source: WriterSource) throws(CaptureError) -> Bool {
    try change { shared throws(CaptureError) in
      if let ending = source.ending { throw ending }
      let sample = try shared.machine.place(sample, from: source.number)
      if shared.machine.hasGap(before: sample) {
        shared.machine.didRefuse(sampleOf: sample.input)
        return true
      }
      let answer: MovieRecorder.Answer? =
        switch sample.content {
        case .picture(let frame, _): shared.recorder?.offer(frame)
        case .sound(let block, let input): shared.recorder?.offer(block, of: input)
        }
      switch answer {
      case .taken:
        shared.machine.didTake(sample)
        return true
      case .full: return shared.refuse(sample.input, from: source)
      case .ended, nil: throw endingOfMovie(by: shared.recorder?.end)
      }
    }
  }

  /// Refuses a sample for which there is no room, unless it can wait. Returns whether it was refused.
  func refuse(_ input: String, from source: WriterSource) -> Bool { change { $0.refuse(input, from: source) } }

  /// Makes the sample of a client's bytes. Nil when there is no memory for it now.
  private func makeSample(
    _ data: some Collection<UInt8>, of input: String, at time: UInt64, _ configuration: WriterConfiguration
  ) throws(CaptureError) -> WriterSample? {
    let stamp = MonotonicInstant(nanoseconds: time)
    if let track = configuration.audio.first(where: { $0.input == input }) {
      return WriterSample(AudioBlock(format: track.format, time: stamp, samples: Self.samples(of: data)), of: input)
    }
    // The message belongs to the call, and the encoder and the file use the picture after it: so it is copied once.
    guard let memory = pool.withLock({ $0?.take(data.count) }) else { return nil }
    memory.bytes.copyBytes(from: data)
    let buffer = memory.freeze(count: data.count)
    var sets = parameterSets.withLock { $0 }
    let isKeyFrame = try configuration.check(buffer, isFirst: state.inputs[0].appended == 0, &sets)
    parameterSets.withLock { $0 = sets }
    let frame = Frame(
      streamID: 1, sequence: 0, time: FrameTime(monotonic: stamp, wall: .epoch, source: .arrival),
      layout: configuration.video.layout, buffer: buffer)
    return WriterSample(CapturedFrame(frame: frame, input: input, configRevision: 0), isKeyFrame: isKeyFrame)
  }

  /// Reads signed integers of 16 bits, the low byte first.
  static func samples(of data: some Collection<UInt8>) -> [Float] {
    var samples: [Float] = []
    samples.reserveCapacity(data.count / 2)
    var low: UInt8?
    for byte in data {
      if let first = low {
        samples.append(Float(Int16(truncatingIfNeeded: Int(byte) << 8 | Int(first))) / 32768)
        low = nil
      } else {
        low = byte
      }
    }
    return samples
  }
}

extension AssetWriter.Shared {
  fileprivate mutating func refuse(_ input: String, from source: WriterSource) -> Bool {
    guard machine.isCurrent(source.number), machine.noRoom(isAttached: source.isAttached) == .isRefused else {
      return false
    }
    machine.didRefuse(sampleOf: input)
    return true
  }
}

/// Gives the frames and the sound of a session's output to a writer. What does not fit is refused and counted, so that
/// the camera never waits. Thread-safe.
final class AttachedOutput: MovieTarget {
  private let writer: AssetWriter
  private let source: WriterSource
  private let tracks: [AudioConnection]

  init(_ writer: AssetWriter, _ source: WriterSource) {
    self.writer = writer
    self.source = source
    tracks = writer.state.configuration.audio
  }

  var isEnding: Bool { source.ending != nil }

  func receive(_ frame: CapturedFrame) { offer(WriterSample(frame)) }

  func receive(_ block: AudioBlock, of input: String) {
    guard block.count > 0, tracks.contains(where: { $0.input == input }) else { return }
    offer(WriterSample(block, of: input))
  }

  private func offer(_ sample: WriterSample) {
    guard !isEnding else { return }
    do throws(CaptureError) { _ = try writer.offer(sample, from: source) } catch {
      // Its time does not fit, or the writer has just ended.
      _ = writer.refuse(sample.input, from: source)
    }
  }

  func end(_ reason: RecordingEnd) {
    switch reason {
    case .session(let error), .failed(let error): source.end(error)
    default: source.end(CaptureError(.operationInterrupted, "The output gives no more frames."))
    }
  }
}
