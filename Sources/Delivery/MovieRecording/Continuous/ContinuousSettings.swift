public import VideoCoding

/// How a session records continuously. Durations are in nanoseconds.
public struct ContinuousSettings: Hashable, Sendable {
  /// The duration of a segment. A segment ends before a key frame that the encoder makes for it.
  public var segmentDuration: UInt64
  /// The format of the files. Nil, and a format that does not hold the output's codec, mean the usual one for the
  /// codec.
  public var container: MovieContainer?
  /// As ``RecordingSettings/fragmentInterval``.
  public var fragmentInterval: UInt64
  /// What the session keeps of its segments.
  public var retention: Retention

  /// Settings; by default segments of a minute, all of which are kept.
  public init(
    segmentDuration: UInt64 = 60_000_000_000, container: MovieContainer? = nil,
    fragmentInterval: UInt64 = RecordingSettings.standardFragmentInterval, retention: Retention = Retention()
  ) {
    self.segmentDuration = segmentDuration
    self.container = container
    self.fragmentInterval = fragmentInterval
    self.retention = retention
  }

  /// The settings of each segment of an output.
  func applied(to output: RecordingSettings) -> RecordingSettings {
    var settings = output
    settings.container =
      container.flatMap { $0.holds(output.codec) && $0.holds(output.audioCodec) ? $0 : nil }
      ?? MovieContainer.usual(for: output.codec, output.audioCodec)
    settings.fragmentInterval = min(fragmentInterval, segmentDuration)
    settings.limits = RecordingLimits()
    return settings
  }
}
