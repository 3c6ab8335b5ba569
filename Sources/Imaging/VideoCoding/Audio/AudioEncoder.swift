internal import CVideoCoding
public import CaptureCore

/// Encodes the sound of a track of a movie with libavcodec. Thread-bound: only one thread may use an encoder.
///
/// The first packet begins exactly with the first sample, and each packet where the one before it ends. What a decoder
/// would give before the first sample is left out, so that neither a delay nor an edit list has to be told to players.
/// A decoder of AAC or Opus fades in during the first packet.
public final class AudioEncoder {
  /// The form of the sound.
  public let format: AudioFormat
  /// The track of the packets.
  public let track: MovieTrack
  /// How many samples of each channel were in packets that were lost because the pool was used up.
  public private(set) var lostCount = 0

  private let handle: OpaquePointer
  private let pool: FramePool
  private let packetSize: Int
  /// Where the first sample lies in the movie, in samples.
  private let start: Int
  /// The silence before the first sample with which a packet begins exactly there.
  private let padding: Int
  /// Interleaved samples that do not fill a packet yet.
  private var waiting: [Float]
  /// The number of samples of each channel that the encoder was sent.
  private var sentCount = 0
  /// The number of samples of each channel that were given to this object.
  private var count = 0

  /// Opens the encoder.
  ///
  /// - Parameters:
  ///   - bitRate: Bits per second of all channels together; nil for a usual rate. PCM ignores it.
  ///   - start: When the first sample is heard, in samples from the start of the movie.
  ///   - pool: The pool from which packets take their memory.
  /// - Throws: `formatNotSupported` when there is no encoder, or the encoder refuses the format.
  public init(
    _ codec: AudioCodec, _ format: AudioFormat, bitRate: Int? = nil, start: Int = 0, pool: FramePool
  ) throws(CaptureError) {
    var inC = cvideo_audio_format(
      codec: codec.inC, sample_rate: Int32(format.sampleRate), channel_count: Int32(format.channelCount),
      bit_rate: Int64(bitRate ?? codec.usualBitRate(format)))
    let (handle, cause) = withMessage { cvideo_audio_encoder_create(&inC, $0) }
    guard let handle else { throw .withoutLibrary(cause) }
    guard let track = cvideo_audio_encoder_track(handle) else {
      cvideo_audio_encoder_destroy(handle)
      throw .withoutLibrary("out of memory")
    }
    self.handle = handle
    self.track = MovieTrack(.sound(codec), owning: track)
    self.format = format
    self.start = start
    self.pool = pool
    packetSize = Int(cvideo_audio_encoder_packet_size(handle))
    let delay = Int(cvideo_audio_encoder_delay(handle)) % packetSize
    padding = delay == 0 ? 0 : packetSize - delay
    waiting = [Float](repeating: 0, count: padding * format.channelCount)
  }

  deinit { cvideo_audio_encoder_destroy(handle) }

  /// Encodes the next samples.
  ///
  /// - Parameter samples: From -1 to 1, interleaved.
  /// - Returns: The packets that are ready.
  /// - Throws: `processingFailed` when the encoder fails, which ends it.
  public func encode(_ samples: some Collection<Float>) throws(CaptureError) -> [MovieSample] {
    waiting.append(contentsOf: samples)
    count += samples.count / format.channelCount
    var packets: [MovieSample] = []
    let length = packetSize * format.channelCount
    var position = 0
    while waiting.count - position >= length {
      try send(waiting[position..<position + length])
      position += length
      try take(into: &packets)
    }
    waiting.removeFirst(position)
    return packets
  }

  /// Ends the sound.
  ///
  /// - Returns: The packets of the samples that the encoder still held.
  /// - Throws: `processingFailed` when the encoder fails.
  public func finish() throws(CaptureError) -> [MovieSample] {
    var packets: [MovieSample] = []
    if !waiting.isEmpty {
      let missing = packetSize * format.channelCount - waiting.count
      waiting.append(contentsOf: repeatElement(0, count: missing))
      try send(waiting[...])
      waiting = []
      try take(into: &packets)
    }
    guard cvideo_audio_encoder_send(handle, nil, 0) == CVIDEO_OK else { throw failure }
    try take(into: &packets)
    return packets
  }

  private func send(_ samples: ArraySlice<Float>) throws(CaptureError) {
    let result = samples.withUnsafeBufferPointer {
      cvideo_audio_encoder_send(handle, $0.baseAddress!, Int64(sentCount))
    }
    guard result == CVIDEO_OK else { throw failure }
    sentCount += packetSize
  }

  private func take(into packets: inout [MovieSample]) throws(CaptureError) {
    while true {
      var packet = cvideo_packet()
      switch cvideo_audio_encoder_receive(handle, &packet) {
      case CVIDEO_OK: if let sample = sample(packet) { packets.append(sample) }
      case CVIDEO_LATE, CVIDEO_ENDED: return
      default: throw failure
      }
    }
  }

  /// The sample of a packet. Nil for a packet outside of the sound, and for one that is lost.
  private func sample(_ packet: cvideo_packet) -> MovieSample? {
    let first = Int(packet.time) - padding
    guard first >= 0, first < count else { return nil }
    guard let memory = pool.take(packet.count) else {
      lostCount += min(packetSize, count - first)
      return nil
    }
    memory.bytes.copyMemory(from: UnsafeRawBufferPointer(start: packet.data, count: packet.count))
    let time = format.nanoseconds(ofSamples: start + first)
    let end = format.nanoseconds(ofSamples: start + min(first + packetSize, count))
    return MovieSample(
      bytes: memory.freeze(count: packet.count), presentationTime: time, duration: end - time, isKeyFrame: true)
  }

  private var failure: CaptureError {
    let cause = String(cString: cvideo_audio_encoder_message(handle))
    return CaptureError(.processingFailed, "Encoding sound failed: \(cause).", metadata: ["cause": cause])
  }
}

extension AudioCodec {
  /// Whether libavcodec has an encoder for the codec. Loads libavcodec.
  public var isAvailable: Bool { cvideo_audio_encoder_exists(inC) }

  /// Bits per second with which few people hear a difference.
  func usualBitRate(_ format: AudioFormat) -> Int {
    switch self {
    case .aac: 80_000 * format.channelCount
    case .opus: 64_000 * format.channelCount
    case .pcm: 0
    }
  }

  var inC: cvideo_audio_codec {
    switch self {
    case .aac: CVIDEO_AAC
    case .opus: CVIDEO_OPUS
    case .pcm: CVIDEO_PCM
    }
  }
}

/// A piece of sound with its place in a movie.
package struct AudioPiece: Sendable {
  /// The index of the track.
  package var track: Int
  /// When the first sample is heard, in nanoseconds from the start of the movie.
  package var time: UInt64
  /// The form of the samples. The track may have another one; see ``AudioConversion``.
  package var format: AudioFormat
  /// The samples, interleaved one of each channel, then the next one of each channel.
  package var samples: ArraySlice<Float>
  /// How many samples of each channel are silence for sound that was lost.
  package var silentCount: Int

  /// Where the sound comes from.
  package var origin = AudioOrigin.microphone

  /// The number of samples of each channel.
  var count: Int { samples.count / format.channelCount }

  /// The memory of the samples, in bytes.
  package var byteCount: Int { samples.count * MemoryLayout<Float>.stride }
}

/// Where sound comes from, which decides what becomes of it while much waits for the disk.
package enum AudioOrigin: Sendable {
  /// A microphone, which never waits: its sound is left out then.
  case microphone
  /// A pre-roll, which has a bound of its own: its sound waits, and takes no room from what follows.
  case preRoll
  /// A writer, which takes sound only while there is room: what it took waits, and takes room from what follows.
  case writer
}
