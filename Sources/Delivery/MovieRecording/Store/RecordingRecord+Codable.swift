internal import CaptureCore
internal import SystemClocks
internal import VideoCoding

/// The form of a record on the disk. Times and durations are in nanoseconds.
extension RecordingRecord: Codable {
  private struct Form: Codable {
    struct Dropped: Codable {
      var late, outOfBuffers, discontinuity, damaged: UInt64
      var largest: UInt64 { max(late, outOfBuffers, discontinuity, damaged) }
    }
    var id, session, output, file, container, codec: String
    var width, height: Int
    var requestTime: UInt64
    var state: String
    var startTime, startMonotonic: UInt64?
    var duration, fileSize, frames: UInt64
    var dropped: Dropped
    var end: RecordingEnd.Form?
    /// Nil for a recording that is not a segment, and so are the next two.
    var isSegment: Bool?
    var number: UInt64?
    var boot: String?
    /// Nil in the records of earlier versions, and without a pre-roll.
    var preRoll: UInt64?
    /// Nil in the records of earlier versions, and for a movie in fragments.
    var isOptimizedForNetworkUse: Bool?
    /// Nil in the records of earlier versions, and for the movie of a writer.
    var device: String?
    /// Two numbers for each pause: where in the movie the pause is, and how long it was. Nil in the records of earlier
    /// versions, and without a pause.
    var pauses: [UInt64]?
    /// The digest of each track, in hexadecimal digits, by the number of the track (``MovieForm/digests``). Nil as long
    /// as the store has not read the file.
    var form: [String: String]?
    /// Nil in the records of earlier versions, and for a movie without sound.
    var audio: [Track]?
    /// Nil in the records of earlier versions, and in place of false, and so are the next two.
    var isCaptured: Bool?
    var isLost: Bool?
    var usesVideoStorage: Bool?

    struct Track: Codable {
      var input, codec: String
      var sampleRate, channelCount: Int
      var silence: UInt64
    }

    /// Whether sums of such numbers over all records of a folder fit into 64 bits. A movie begins before 2100 and lasts
    /// at most ten years, and a file has at most 128 TiB.
    var isPlausible: Bool {
      let times = [startTime ?? 0, startMonotonic ?? 0]
      return times.allSatisfy { $0 < 4_102_444_800_000_000_000 } && duration <= 315_360_000_000_000_000
        && hasPlausiblePauses && max(fileSize, frames, dropped.largest, number ?? 0, preRoll ?? 0) <= 1 << 47
        && (audio ?? []).allSatisfy { track in
          (1...1_000_000).contains(track.sampleRate) && (1...1024).contains(track.channelCount)
            && track.silence <= 315_360_000_000_000_000
        }
    }

    private var hasPlausiblePauses: Bool {
      let numbers = pauses ?? []
      guard numbers.count.isMultiple(of: 2), numbers.count <= 2 * RecordingPause.maximumCount else { return false }
      let times = stride(from: 0, to: numbers.count, by: 2).map { numbers[$0] }
      let length = stride(from: 1, to: numbers.count, by: 2).reduce(0.0) { $0 + Double(numbers[$1]) }
      return length <= 315_360_000_000_000_000 && zip(times, times.dropFirst()).allSatisfy { $0 < $1 }
    }
  }

  /// Reads a record. ``isUsable`` is false until the store has looked at the file.
  ///
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let form = try Form(from: decoder)
    guard form.isPlausible else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "A number is larger than a recording can have."))
    }
    func known<T>(_ value: T?, _ name: String) throws -> T {
      if let value { return value }
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "The value of \(name) is unknown."))
    }
    self.init(
      id: form.id, session: form.session, output: form.output, file: form.file,
      container: try known(MovieContainer(rawValue: form.container), "container"),
      codec: try known(MovieCodec(rawValue: form.codec), "codec"), size: Size(width: form.width, height: form.height),
      requestTime: WallInstant(nanoseconds: form.requestTime))
    state = try known(State(rawValue: form.state), "state")
    startTime = form.startTime.map(WallInstant.init(nanoseconds:))
    startMonotonic = form.startMonotonic.map(MonotonicInstant.init(nanoseconds:))
    duration = form.duration
    tally.fileSize = form.fileSize
    tally.frames = form.frames
    tally.dropped = DropCounts(
      late: form.dropped.late, outOfBuffers: form.dropped.outOfBuffers, discontinuity: form.dropped.discontinuity,
      damaged: form.dropped.damaged)
    end = form.end.map(RecordingEnd.init)
    isSegment = form.isSegment ?? false
    // A record that was changed by hand must leave numbers for later segments.
    number = min(form.number ?? 0, UInt64(Int64.max))
    boot = form.boot
    preRoll = form.preRoll ?? 0
    isOptimizedForNetworkUse = form.isOptimizedForNetworkUse ?? false
    device = form.device ?? ""
    pauses = stride(from: 0, to: form.pauses?.count ?? 0, by: 2).map {
      RecordingPause(movieTime: form.pauses![$0], duration: form.pauses![$0 + 1])
    }
    self.form = form.form.flatMap(MovieForm.init(texts:))
    (isCaptured, isLost) = (form.isCaptured ?? false, form.isLost ?? false)
    usesVideoStorage = form.usesVideoStorage ?? false
    for track in form.audio ?? [] {
      audioCodec = try known(AudioCodec(rawValue: track.codec), "codec")
      let format = AudioFormat(sampleRate: track.sampleRate, channelCount: track.channelCount)
      audioTracks.append(AudioConnection(input: track.input, format: format))
      tally.silence.append(track.silence)
    }
  }

  /// Writes the record without ``isUsable``.
  public func encode(to encoder: any Encoder) throws {
    let dropped = tally.dropped
    try Form(
      id: id, session: session, output: output, file: file, container: container.rawValue, codec: codec.rawValue,
      width: size.width, height: size.height, requestTime: requestTime.nanoseconds, state: state.rawValue,
      startTime: startTime?.nanoseconds, startMonotonic: startMonotonic?.nanoseconds, duration: duration,
      fileSize: tally.fileSize, frames: tally.frames,
      dropped: Form.Dropped(
        late: dropped.late, outOfBuffers: dropped.outOfBuffers, discontinuity: dropped.discontinuity,
        damaged: dropped.damaged),
      end: end.map(RecordingEnd.Form.init), isSegment: isSegment ? true : nil,
      number: isSegment ? number : nil, boot: boot, preRoll: preRoll > 0 ? preRoll : nil,
      isOptimizedForNetworkUse: isOptimizedForNetworkUse ? true : nil,
      device: device.isEmpty ? nil : device,
      pauses: pauses.isEmpty ? nil : pauses.flatMap { [$0.movieTime, $0.duration] }, form: form?.texts,
      audio: audioTracks.isEmpty ? nil : audioTracks.enumerated().map(track),
      isCaptured: isCaptured ? true : nil, isLost: isLost ? true : nil,
      usesVideoStorage: usesVideoStorage && state != .finished ? true : nil
    ).encode(to: encoder)
  }

  private func track(_ index: Int, _ connection: AudioConnection) -> Form.Track {
    Form.Track(
      input: connection.input, codec: audioCodec.rawValue, sampleRate: connection.format.sampleRate,
      channelCount: connection.format.channelCount,
      silence: tally.silence.indices.contains(index) ? tally.silence[index] : 0)
  }
}

extension MovieForm {
  /// The digests as a record keeps them.
  fileprivate var texts: [String: String] {
    Dictionary(uniqueKeysWithValues: digests.map { ("\($0)", String($1, radix: 16)) })
  }

  /// Nil for texts that a record does not have. Somebody has to look at the file again then.
  fileprivate init?(texts: [String: String]) {
    var digests: [Int: UInt64] = [:]
    for (place, digest) in texts {
      guard let place = Int(place), let digest = UInt64(digest, radix: 16) else { return nil }
      digests[place] = digest
    }
    self.init(digests: digests)
  }
}

extension RecordingEnd {
  /// The form of an end on the disk.
  struct Form: Codable {
    enum Kind: String, Codable {
      case stopped, maximumDuration, maximumFileSize, minimumFreeSpace, nextSegment, session, failed, interrupted
    }
    var kind: Kind
    /// The reason of the error, and the error's message. An interrupted recording has only the message.
    var reason, message: String?
    var metadata: [String: String]?

    init(_ end: RecordingEnd) {
      switch end {
      case .stopped: self.init(kind: .stopped)
      case .maximumDuration: self.init(kind: .maximumDuration)
      case .maximumFileSize: self.init(kind: .maximumFileSize)
      case .minimumFreeSpace: self.init(kind: .minimumFreeSpace)
      case .nextSegment: self.init(kind: .nextSegment)
      case .session(let error): self.init(kind: .session, error)
      case .failed(let error): self.init(kind: .failed, error)
      case .interrupted(let text):
        self.init(kind: .interrupted)
        message = text
      }
    }

    private init(kind: Kind, _ error: CaptureError? = nil) {
      self.kind = kind
      reason = error?.reason.rawValue
      message = error?.message
      metadata = error?.metadata
    }

    /// The error. A reason that only another version of the daemon knows becomes `processingFailed`.
    fileprivate var error: CaptureError {
      CaptureError(
        reason.flatMap(CaptureError.Reason.init(rawValue:)) ?? .processingFailed, message ?? "The recording failed.",
        metadata: metadata ?? [:])
    }
  }

  init(_ form: Form) {
    self =
      switch form.kind {
      case .stopped: .stopped
      case .maximumDuration: .maximumDuration
      case .maximumFileSize: .maximumFileSize
      case .minimumFreeSpace: .minimumFreeSpace
      case .nextSegment: .nextSegment
      case .session: .session(form.error)
      case .failed: .failed(form.error)
      case .interrupted: .interrupted(form.message ?? "")
      }
  }
}
