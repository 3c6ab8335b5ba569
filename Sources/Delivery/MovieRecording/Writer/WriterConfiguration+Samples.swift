internal import CaptureCore
internal import Imaging
internal import VideoCoding

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
