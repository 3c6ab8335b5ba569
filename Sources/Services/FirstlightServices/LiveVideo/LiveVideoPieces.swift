internal import CaptureCore
internal import FrameDelivery
internal import Locking
internal import RPCCore
internal import SystemClocks
internal import VideoCoding

/// Gives the pictures of a reader to the transport as the pieces of a movie. Each viewer has a movie of its own, whose
/// times begin with the viewer's first picture. The pictures are encoded once for all viewers.
///
/// The thread that brings a picture also makes its piece, and makes it only when the transport asks for one. A viewer
/// that does not read therefore keeps no piece beyond the one that is being written.
final class LiveVideoPieces: MessageSource {
  /// The pictures that follow need a new movie, so the stream ends and the client opens another one.
  private struct EndOfMovie: Error {}

  /// How long the stream goes on without a picture with which another viewer or a file can begin, in nanoseconds.
  /// Programs that cut a stream into pieces, such as servers of HLS, can cut only there.
  private static let keyFrameInterval: UInt64 = 2_000_000_000

  private let reader: PreviewReader
  private let audio: PreviewAudioReader?
  private let newestKeyFrame = Locked<MonotonicInstant?>(nil)
  private let movie: Locked<LiveMovie>

  /// - Parameters:
  ///   - reader: a reader of H.264, whose first picture is a key frame, and whose every other picture can be decoded
  ///     after the picture before.
  ///   - audio: a reader of the sound; nil for a stream without sound.
  init(reader: PreviewReader, audio: PreviewAudioReader?, container: MovieContainer) {
    self.reader = reader
    self.audio = audio
    movie = Locked(LiveMovie(container, audio: audio?.connections ?? []))
  }

  func asking(_ receiver: @escaping Receiver) -> @Sendable () -> Void {
    reader.asking { [self] event in receiver(event.flatMap { event in Result { try piece(event) } }) }
  }

  func abandonNext() { reader.abandonNext() }

  private func piece(_ event: PreviewEvent) throws -> LentMessage {
    guard case .frame(let picture) = event else { return LentMessage(header: [], payload: Piece([])) }
    askForKeyFrames(at: picture.captured.frame.time.monotonic, isKeyFrame: picture.isKeyFrame)
    let bytes = try movie.withLock { movie in
      for (block, input) in audio?.take() ?? [] { try movie.add(block, of: input) }
      return try movie.append(picture.picture, isKeyFrame: picture.isKeyFrame, at: picture.captured.frame.time)
    }
    guard let bytes else { throw EndOfMovie() }
    return LentMessage(header: [], payload: Piece(bytes))
  }

  private func askForKeyFrames(at time: MonotonicInstant, isKeyFrame: Bool) {
    let isDue = newestKeyFrame.withLock { newest in
      if isKeyFrame { newest = time }
      return newest.map { time.nanoseconds(since: $0) >= Self.keyFrameInterval } ?? false
    }
    if isDue { reader.requestKeyFrame() }
  }
}

/// The bytes of a piece, in an object that a transport can hold.
private final class Piece: LentPayload {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try bytes.withUnsafeBufferPointer { bytes throws(E) in try body(UnsafeRawBufferPointer(bytes)) }
  }
}
