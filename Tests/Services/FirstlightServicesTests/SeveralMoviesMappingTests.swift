import CaptureCore
import CaptureSessions
import FirstlightAPI
import SwiftProtobuf
import Testing

@testable import FirstlightServices

/// How movie outputs beside the main one come from a request, and go into an answer.
@Suite struct SeveralMoviesMappingTests {
  /// What a client asks for is read, and comes back as it was asked.
  @Test func additionalMoviesComeBackAsTheyWereAsked() throws {
    let asked = Firstlight_V1_SessionConfiguration.with {
      $0.movie = .with { $0.quality = 50 }
      $0.additionalMovies = [
        .with {
          $0.id = "wide"
          $0.codec = .motionJpeg
          $0.audioCodec = .pcm
        },
        .with {
          $0.id = "close"
          $0.averageBitRate = 1_000_000
          $0.usesProVideoStorage = true
        },
      ]
    }
    let configuration = try SessionConfiguration(asked)
    #expect(configuration.movie?.quality == 50)
    #expect(configuration.additionalMovies.map(\.id) == ["wide", "close"])
    #expect(configuration.additionalMovies.map(\.codec) == [.motionJPEG, nil])
    #expect(configuration.additionalMovies.map(\.usesVideoStorage) == [false, true])
    #expect(
      configuration.movies.map(\.field) == [
        "configuration.movie", "configuration.additional_movies[0]", "configuration.additional_movies[1]",
      ])
    #expect(configuration.proto == asked)
  }

  /// A wrong value is told for the field of its own output.
  @Test func wrongValuesAreToldForTheirOutput() throws {
    func field(_ change: (inout Firstlight_V1_MovieOutput) -> Void) throws -> String? {
      let asked = Firstlight_V1_SessionConfiguration.with {
        $0.additionalMovies = [.init(), .with(change)]
      }
      let error = try #require(throws: CaptureError.self) { try SessionConfiguration(asked) }
      #expect(error.reason == .invalidArgument)
      return error.field
    }
    #expect(try field { $0.id = "a/b" } == "configuration.additional_movies[1].id")
    #expect(try field { $0.codec = .UNRECOGNIZED(99) } == "configuration.additional_movies[1].codec")
    #expect(try field { $0.audioCodec = .UNRECOGNIZED(99) } == "configuration.additional_movies[1].audio_codec")
  }
}
