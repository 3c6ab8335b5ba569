public import CaptureCore
internal import Imaging
internal import VideoCoding

extension WriterConfiguration {
  /// Does the same as ``check()`` on a thread of its own, because loading a library blocks.
  ///
  /// - Throws: as ``check()``; `processingFailed` when the system cannot create a thread.
  public func checkOnThread() async throws(CaptureError) {
    let result = try await WorkerThread.run(name: "movie-load") { () -> Result<Void, CaptureError> in
      do throws(CaptureError) { return .success(try check()) } catch { return .failure(error) }
    }
    try result.get()
  }

  /// Checks that such a movie can be written. Loads libavcodec. Blocks.
  ///
  /// - Throws: `invalidArgument` for a value out of range; `unsupportedValue` for what this machine does not code;
  ///   `notSupportedInConfiguration` for a container that does not hold a codec.
  public func check() throws(CaptureError) {
    try checkPictures()
    try checkSound()
    guard container.holds(video.codec) else { throw cannotHold(video.codec.rawValue) }
    guard audio.isEmpty || container.holds(audioCodec) else { throw cannotHold(audioCodec.rawValue) }
    guard !optimizesForNetworkUse || container.hasIndex else {
      throw Self.error(
        "should_optimize_for_network_use",
        "\(container.rawValue) has no index that could come first; write MP4 or QuickTime.")
    }
    guard Self.fragmentIntervals.contains(fragmentInterval) else {
      throw Self.error("fragment_interval", "It must be from 0.1 s to 60 s.")
    }
    guard Self.idleTimeouts.contains(idleTimeout) else {
      throw Self.error("idle_timeout", "It must be from 1 s to 3,600 s.")
    }
  }

  private func checkPictures() throws(CaptureError) {
    let (format, size) = (video.layout.pixelFormat, video.layout.size)
    let isEven = size.width % 2 == 0 && size.height % 2 == 0
    guard (16...8192).contains(size.width), (16...8192).contains(size.height), isEven || video.isCoded else {
      throw Self.error("video_input.size", "\(size) must be even numbers from 16 to 8192.")
    }
    guard (1.0 / 60...1000).contains(video.frameRate.value) else {
      throw Self.error("video_input.frame_rate", "It must be from 1/60 to 1,000 pictures a second.")
    }
    switch video.rate {
    case .quality(let quality) where !(1...100).contains(quality):
      throw Self.error("video_input.quality", "\(quality) must be from 1 to 100.")
    case .bitRate(let rate) where !(10_000...1_000_000_000).contains(rate):
      throw Self.error("video_input.average_bit_rate", "\(rate) must be from 10,000 to 1,000,000,000.")
    default: break
    }
    let isRead = format == .h264 ? video.codec == .h264 : PictureConverter.canConvert(format, to: .nv12)
    guard isRead, video.codec != .motionJPEG || format.isJPEG else {
      throw CaptureError(
        .unsupportedValue,
        "Pictures in \(format) cannot be written in \(video.codec.rawValue); Motion JPEG takes JPEG, H.264 takes H264, "
          + "and all codecs but Motion JPEG take JPEG and uncompressed formats such as NV12.",
        metadata: ["pixel_format": format.fourCC, "codec": video.codec.rawValue],
        field: "writer_configuration.video_input.pixel_format")
    }
    guard video.codec.isAvailable else { throw Self.noEncoder(video.codec.rawValue, "video_input.codec") }
  }

  private func checkSound() throws(CaptureError) {
    guard audio.count <= Self.maximumAudioInputs else {
      throw Self.error("audio_inputs", "A writer has at most \(Self.maximumAudioInputs) of them.")
    }
    var ids = [Self.videoInput]
    for (index, track) in audio.enumerated() {
      let field = "audio_inputs[\(index)]"
      let isID = track.input.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || byte == UInt8(ascii: "-")
      }
      guard isID, (1...63).contains(track.input.utf8.count), !ids.contains(track.input) else {
        throw Self.error("\(field).input", "An id has 1 to 63 characters of a-z, 0-9 and -, and no other input has it.")
      }
      ids.append(track.input)
      let format = track.format
      guard (1000...768_000).contains(format.sampleRate), format.channelCount > 0, audioCodec.takes(format) else {
        throw Self.error(
          "\(field).audio_format",
          "\(audioCodec.rawValue) does not take \(format.sampleRate) Hz with \(format.channelCount) channels; use "
            + "48,000 Hz with 1 or 2.")
      }
    }
    if let rate = audioBitRate, !(8000...512_000).contains(rate) {
      throw Self.error("audio_average_bit_rate", "\(rate) must be from 8,000 to 512,000.")
    }
    guard audio.isEmpty || audioCodec.isAvailable else { throw Self.noEncoder(audioCodec.rawValue, "audio_codec") }
  }

  private static func error(_ field: String, _ rule: String) -> CaptureError {
    CaptureError(
      .invalidArgument, "\(field) does not fit. \(rule)", metadata: ["field": field],
      field: "writer_configuration.\(field)")
  }

  private static func noEncoder(_ codec: String, _ field: String) -> CaptureError {
    CaptureError(
      .unsupportedValue,
      "This machine has no encoder for \(codec); install FFmpeg's libavcodec, or name another codec.",
      metadata: ["codec": codec], field: "writer_configuration.\(field)")
  }

  private func cannotHold(_ codec: String) -> CaptureError {
    CaptureError(
      .notSupportedInConfiguration, "A file in \(container.rawValue) does not hold \(codec); name another container.",
      metadata: ["container": container.rawValue, "codec": codec], field: "writer_configuration.container")
  }
}

extension WriterConfiguration {
  /// The memory for pictures that wait, in bytes: all that may wait for the disk when pictures are coded already, with
  /// what a pool keeps of its slabs, and some uncompressed pictures for the encoder.
  var poolBudget: Int { 4 * SampleBacklog.waitingBytes + 16 * video.layout.byteCount }

  /// The most bytes of a coded picture. More could never have room in the pool, which keeps some for other pictures.
  static let largestCodedPicture = SampleBacklog.waitingBytes / 2

  /// Checks the number of bytes of a sample.
  ///
  /// - Throws: `invalidArgument`.
  func check(_ count: Int, of input: String) throws(CaptureError) {
    if let track = audio.first(where: { $0.input == input }) {
      let size = 2 * track.format.channelCount
      guard count > 0, count % size == 0 else {
        throw Self.sample(
          "\(count) bytes are no sound of input \(input): each sample of all channels has \(size) bytes.", "data")
      }
      guard count / size <= track.format.sampleRate else {
        throw Self.sample("A piece of sound has at most one second; append \(count) bytes in several pieces.", "data")
      }
      return
    }
    guard input == Self.videoInput else {
      throw Self.sample("The writer has no input \"\(input.prefix(80))\"; name one of its configuration.", "input")
    }
    let layout = video.layout
    if layout.planes.isEmpty {
      guard (1...Self.largestCodedPicture).contains(count) else {
        throw Self.sample("A coded picture has 1 to \(Self.largestCodedPicture) bytes, and not \(count).", "data")
      }
      return
    }
    guard count == layout.byteCount else {
      throw Self.sample(
        "\(count) bytes are not a \(layout.size) picture in \(layout.pixelFormat), which has \(layout.byteCount) "
          + "without padding.", "data")
    }
  }

  /// Checks what the heads of a compressed picture tell, without decoding it.
  ///
  /// - Parameters:
  ///   - isFirst: whether the picture begins the movie.
  ///   - sets: the parameter sets of the pictures before. Those of the picture are added when it fits.
  /// - Returns: whether a decoder can begin with the picture.
  /// - Throws: `invalidArgument`; `processingFailed` when libavcodec cannot be used.
  func check(_ buffer: FrameBuffer, isFirst: Bool, _ sets: inout ParameterSets) throws(CaptureError) -> Bool {
    let layout = video.layout
    if layout.pixelFormat.isJPEG {
      let size = buffer.withUnsafeBytes(JPEGSize.read)
      guard size == layout.size else {
        throw Self.sample(
          size.map { "The picture is \($0), and the video input takes \(layout.size)." } ?? "The bytes are no JPEG.",
          "data")
      }
    }
    guard layout.pixelFormat == .h264 else { return true }
    let unit = AccessUnit(buffer)
    guard unit.hasPicture else { throw Self.sample("The bytes are no access unit of H.264 in Annex B.", "data") }
    guard !isFirst || unit.isKeyFrame && unit.hasParameterSets else {
      throw Self.sample("The first picture must be a key frame with its parameter sets.", "data")
    }
    let parsed = try buffer.withUnsafeBytes { bytes throws(CaptureError) in
      try ParsedAccessUnit(bytes, after: sets.bytes)
    }
    guard !parsed.hasAnother else {
      throw Self.sample("The sample has more than one access unit of H.264; append each picture by itself.", "data")
    }
    guard let size = parsed.size else {
      throw Self.sample("The bytes are no picture in H.264 that the parameter sets before it describe.", "data")
    }
    guard size == layout.size else {
      throw Self.sample("The picture is \(size), and the video input takes \(layout.size).", "data")
    }
    sets.add(unit)
    return unit.isKeyFrame
  }

  private static func sample(_ message: String, _ field: String) -> CaptureError {
    CaptureError(.invalidArgument, message, field: "sample.\(field)")
  }
}
