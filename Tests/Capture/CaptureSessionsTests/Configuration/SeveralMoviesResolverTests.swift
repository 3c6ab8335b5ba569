import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

/// Movie outputs beside the main one: their ids, their sound, what is refused, and what a commit keeps.
@Suite struct SeveralMoviesResolverTests {
  private func resolve(
    _ change: (inout SessionConfiguration) -> Void
  ) -> (resolved: ResolvedConfiguration, issues: [CaptureError]) {
    let microphones = [Microphone.fake(), .fake(id: "webcam", sampleRates: [32_000], channelCounts: [1])]
    return ConfigurationResolver.resolve(
      Bench.configuration(change), devices: [.fake()], microphones: microphones)
  }

  private func fields(_ issues: [CaptureError]) -> Set<String> { Set(issues.map { "\($0.field ?? "") \($0.reason)" }) }

  /// They come after the main one, are deferred as it is, and are connected like every other output.
  @Test func additionalMoviesAreOutputsOfTheirOwn() {
    let (resolved, issues) = resolve {
      $0.movie = .init()
      $0.additionalMovies = [.init(id: "wide", codec: .hevc), .init(id: "close", deferredStart: false)]
    }
    #expect(issues.isEmpty)
    let movies = resolved.outputs.suffix(3)
    #expect(movies.map(\.id) == ["movie", "wide", "close"])
    #expect(movies.map(\.isMain) == [true, false, false])
    #expect(movies.map(\.deferredStart) == [true, true, false])
    #expect(movies.allSatisfy { $0.connection == Connection() })
    let codecs = movies.compactMap { if case .movie(let movie) = $0.kind { movie.codec } else { nil } }
    #expect(codecs == [.h264, .hevc, .h264])
  }

  /// A session may have additional ones alone. None of them is then the main one.
  @Test func additionalMoviesNeedNoMainOne() {
    let (resolved, issues) = resolve { $0.additionalMovies = [.init(id: "wide")] }
    #expect(issues.isEmpty)
    #expect(resolved.outputs.last?.id == "wide" && resolved.outputs.last?.isMain == false)
  }

  /// Each wrong value is reported for the field of its own output.
  @Test func badMoviesAreReported() {
    let (_, issues) = resolve {
      $0.movie = .init()
      $0.additionalMovies = [.init(), .init(id: "movie"), .init(id: "photo")] + (3..<8).map { .init(id: "m\($0)") }
      $0.additionalMovies[3].quality = 0
      $0.additionalMovies[4].maxPreRoll = 61_000_000_000
      $0.additionalMovies[5].averageBitRate = 1
      $0.additionalMovies[6].audioBitRate = 1
    }
    #expect(
      fields(issues) == [
        "configuration.additional_movies invalidArgument", "configuration.additional_movies[0].id invalidArgument",
        "configuration.additional_movies[1].id invalidArgument",
        "configuration.additional_movies[2].id invalidArgument",
        "configuration.additional_movies[3].quality invalidArgument",
        "configuration.additional_movies[4].max_pre_roll_duration invalidArgument",
        "configuration.additional_movies[5].average_bit_rate invalidArgument",
        "configuration.additional_movies[6].audio_average_bit_rate invalidArgument",
      ])
  }

  /// Each output takes the microphones that are connected to it, and its own codec must fit them.
  @Test func eachMovieTakesItsOwnMicrophones() throws {
    let (resolved, issues) = resolve {
      $0.inputs += [.init(id: "a", deviceID: "fake-microphone"), .init(id: "b", deviceID: "webcam")]
      $0.movie = .init()
      $0.additionalMovies = [.init(id: "silent"), .init(id: "loud")]
      for index in $0.additionalMovies.indices { $0.additionalMovies[index].audioCodec = .opus }
      $0.connections = [
        .init(output: "movie"), .init(output: "silent"), .init(output: "loud"), .init(input: "a", output: "movie"),
        .init(input: "b", output: "loud"),
      ]
    }
    let movies = resolved.outputs.suffix(3)
    #expect(movies.map { $0.microphones.map(\.input) } == [["a"], [], ["b"]])
    // Opus has no 32,000 Hz.
    #expect(fields(issues) == ["configuration.additional_movies[1].audio_codec notSupportedInConfiguration"])
    #expect(!resolved.codes(AudioFormat(sampleRate: 32_000, channelCount: 1), of: "b"))
    #expect(resolved.codes(AudioFormat(sampleRate: 32_000, channelCount: 1), of: "a"))
  }

  /// A commit that adds, changes or removes an output leaves the others as they are. One that becomes the main one is
  /// made anew, because only the main one may record continuously.
  @Test func aCommitLeavesTheOtherMoviesAlone() {
    let former = resolve {
      $0.movie = .init()
      $0.additionalMovies = [.init(id: "wide"), .init(id: "close")]
    }.resolved
    func plan(_ change: (inout SessionConfiguration) -> Void) -> CommitPlan {
      CommitPlan(from: former, to: resolve(change).resolved, isStreaming: true, prepared: [])
    }
    let changed = plan {
      $0.movie = .init()
      $0.additionalMovies = [.init(id: "close", codec: .hevc), .init(id: "far")]
    }
    #expect(changed.kept.contains("movie"))
    #expect(changed.added.map(\.id) == ["close", "far"])
    #expect(changed.removed == ["wide", "close"])
    let promoted = plan {
      $0.movie = .init(id: "wide")
      $0.additionalMovies = [.init(id: "close")]
    }
    #expect(promoted.added.map(\.id) == ["wide"] && promoted.kept.contains("close"))
  }
}
