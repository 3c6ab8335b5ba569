/// How the sound of a movie is coded.
public enum AudioCodec: String, CaseIterable, Sendable {
  /// AAC-LC, which all players play.
  case aac
  /// Opus.
  case opus
  /// Integers of 16 bits, without loss.
  case pcm
}
