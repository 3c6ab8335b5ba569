import CaptureCore
import CaptureSessions
import MovieRecording
import Testing
import VideoCoding

@testable import firstlightd

/// How a session of the configuration file records continuously: the key `record` of its entry.
@Suite struct DeclaredRecordTests {
  /// A session that records as usual leaves some of the disk to others.
  private static let usual = ContinuousSettings(retention: Retention(minimumFreeSpace: .percent(5)))

  @Test(arguments: ["record: {}", "record:", "record: ~"]) func aSessionRecordsAsUsual(_ record: String) throws {
    let session = try #require(try Door.session("preview: {}\n\(record)"))
    #expect(session.record == Self.usual)
    #expect(session.configuration.movie == .init(), "a session that records has a movie output")
    #expect(session.configuration.preview == .init())
  }

  @Test func aSessionWithoutTheKeyDoesNotRecord() throws {
    let session = try #require(try Door.session("preview: {}\nmovie: {}"))
    #expect(session.record == nil)
    let other = try #require(try Door.session("preview: {}"))
    #expect(other.configuration.movie == nil)
  }

  @Test func theMovieOutputOfTheEntryIsKept() throws {
    let session = try #require(try Door.session("movie: {codec: MOVIE_CODEC_HEVC}\nrecord: {}"))
    #expect(session.configuration.movie?.codec == .hevc)
  }

  @Test func everyKeyIsASetting() throws {
    let session = try Door.session(
      """
      preview: {}
      record:
        segment-duration: 1.5
        fragment-interval: 0.25
        max-age: 86400
        max-bytes: 5000000000
        min-free-space: 1000000000
        container: matroska
      """)
    #expect(
      session?.record
        == ContinuousSettings(
          segmentDuration: 1_500_000_000, container: .matroska, fragmentInterval: 250_000_000,
          retention: Retention(
            maximumAge: 86_400_000_000_000, maximumBytes: 5_000_000_000, minimumFreeSpace: .bytes(1_000_000_000))))
  }

  /// An operator who leaves nothing of the disk to others says so.
  @Test func noFreeSpaceAtAllIsNoLimit() throws {
    #expect(try Door.session("record: {min-free-space: 0}")?.record?.retention == Retention())
  }

  @Test(arguments: [
    ("mp4", MovieContainer.mp4), ("mov", .mov), ("matroska", .matroska), ("mpeg-ts", .mpegTS),
  ])
  func aContainerHasAName(_ name: String, _ container: MovieContainer) throws {
    #expect(try Door.session("record: {container: \(name)}")?.record?.container == container)
  }

  /// The bounds of each number of seconds are taken.
  @Test(arguments: [
    "segment-duration: 1", "segment-duration: 86400", "fragment-interval: 0.1", "fragment-interval: 60",
    "max-age: 1", "max-age: 315360000", "max-bytes: 1",
  ])
  func theBoundsOfARangeAreTaken(_ key: String) throws {
    #expect(try Door.session("record: {\(key)}")?.record != nil)
  }

  @Test(arguments: [
    ("segment-duration", "1 to 86400", ["0", "0.5", "86401", "long", "-1", ".nan"]),
    ("fragment-interval", "0.1 to 60", ["0", "0.05", "61", "often"]),
    ("max-age", "1 to 315360000", ["0", "315360001", "old"]),
  ])
  func aNumberOfSecondsHasARange(_ key: String, _ range: String, _ values: [String]) {
    for value in values {
      #expect(
        refusal(of: Door.file("record: {\(key): \(value)}"))
          == """
          sessions.door.record.\(key) of the configuration file is "\(value)"; it must be a number of seconds from \
          \(range).
          """)
    }
  }

  @Test(arguments: [("max-bytes", 1, ["0", "1.5", "-1", "many"]), ("min-free-space", 0, ["-1", "5%"])])
  func aNumberOfBytesIsWhole(_ key: String, _ least: Int, _ values: [String]) {
    for value in values {
      #expect(
        refusal(of: Door.file("record: {\(key): \(value)}"))
          == """
          sessions.door.record.\(key) of the configuration file is "\(value)"; it must be a whole number of bytes from \
          \(least) on, such as 10000000000.
          """)
    }
  }

  @Test(arguments: [
    (
      "fragment-interval: {}",
      ".fragment-interval of the configuration file is no plain value; it must be a number of seconds from 0.1 to 60."
    ),
    (
      "segment-duration: 1, fragment-interval: 2",
      ".fragment-interval of the configuration file is longer than segment-duration; a segment has at least one "
        + "fragment."
    ),
    (
      "container: avi",
      ".container of the configuration file is \"avi\"; it must be one of mp4, mov, matroska, mpeg-ts."
    ),
    (
      "container: []",
      ".container of the configuration file is no plain value; it must be one of mp4, mov, matroska, mpeg-ts."
    ),
    (
      "colour: red",
      ".colour of the configuration file is unknown; the keys are container, fragment-interval, max-age, max-bytes, "
        + "min-free-space, segment-duration."
    ),
  ])
  func aKeyThatMakesNoSenseIsNamed(_ keys: String, _ told: String) {
    #expect(refusal(of: Door.file("preview: {}\nrecord: {\(keys)}")) == "sessions.door.record\(told)")
  }

  /// A segment that is shorter than the usual fragment is one fragment, without a word.
  @Test func aShortSegmentIsTaken() throws {
    #expect(try Door.session("record: {segment-duration: 1}")?.record?.segmentDuration == 1_000_000_000)
  }

  @Test(arguments: [
    ("record: 5", "record of the configuration file is no mapping; write `record: {}` to record as usual."),
    ("record: [a]", "record of the configuration file is no mapping; write `record: {}` to record as usual."),
    (
      "start: on-demand\nrecord: {}",
      "record of the configuration file means nothing with `start: on-demand`; let the session start at-boot, or "
        + "leave `record` out."
    ),
    (
      "movie: {codec: MOVIE_CODEC_PRO_RES}\nrecord: {container: mp4}",
      "record.container of the configuration file is mp4, which does not hold proRes; name another, or leave it out."
    ),
    (
      "movie: {audio_codec: AUDIO_CODEC_PCM}\nrecord: {container: mp4}",
      "record.container of the configuration file is mp4, which does not hold sound in pcm; name another, or leave it "
        + "out."
    ),
    (
      "movie: {uses_pro_video_storage: true}\nrecord: {}",
      "movie.uses_pro_video_storage of the configuration file cannot be combined with `record`: the video storage "
        + "takes one movie at a time; leave one of them out."
    ),
    (
      "movie: {max_pre_roll_duration: 5s}\nrecord: {}",
      "movie.max_pre_roll_duration of the configuration file means nothing with `record`, which has all frames; leave "
        + "it out."
    ),
  ])
  func whatCannotBeCombinedWithRecordingIsNamed(_ entry: String, _ told: String) {
    #expect(refusal(of: Door.file(entry)) == "sessions.door.\(told)")
  }

  /// What only recording excludes is taken without it, and a container that holds the codecs is taken.
  @Test(arguments: [
    "movie: {uses_pro_video_storage: true}", "movie: {max_pre_roll_duration: 5s}",
    "movie: {codec: MOVIE_CODEC_PRO_RES, audio_codec: AUDIO_CODEC_PCM}\nrecord: {container: mov}",
    "movie: {codec: MOVIE_CODEC_PRO_RES}\nrecord: {}",
  ])
  func whatCanBeCombinedIsTaken(_ entry: String) {
    #expect(refusal(of: Door.file(entry)) == nil)
  }
}
