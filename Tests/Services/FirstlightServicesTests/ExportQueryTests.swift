import CaptureCore
import HTTPTransport
import MovieRecording
import SystemClocks
import Testing

@testable import FirstlightServices

/// The query of `/recordings`.
struct ExportQueryTests {
  private func query(_ text: String) throws(CaptureError) -> ExportQuery {
    try ExportQuery(HTTPPageRequest(target: "/recordings?\(text)").parameters)
  }

  @Test func aSpanHasAStartAndADuration() throws {
    let query = try query("session=front&start=1795658733.25&duration=10")
    #expect(query.span.session == "front" && query.span.output == nil && !query.isDownload)
    #expect(query.span.start.nanoseconds == 1_795_658_733_250_000_000)
    #expect(query.span.duration == 10_000_000_000)
  }

  @Test func aMovieIsExactUnlessAClientSaysOtherwise() throws {
    for (text, isExact) in [("", true), ("&exact=true", true), ("&exact=false", false)] {
      #expect(try query("session=a&start=0&duration=1\(text)").span.isExact == isExact)
    }
    #expect(throws: CaptureError.self) { try query("session=a&start=0&duration=1&exact=0") }
  }

  @Test func everythingElseMayBeLeftOut() throws {
    let query = try query("session=sessions/front&output=movie&start=0&duration=0.000000001&download")
    #expect(query.span.session == "front" && query.span.output == "movie" && query.isDownload)
    #expect(query.span.start.nanoseconds == 0 && query.span.duration == 1)
  }

  @Test(arguments: [
    "session=front&start=1.25&duration=10", "session=front&start=1&duration=2&exact=false",
    "session=a%20%26b&output=%C3%A4&start=3&duration=2&download",
  ])
  func theAddressOfAMovieIsAQueryForItsPartOfTheSpan(_ text: String) throws {
    let whole = try query(text)
    let target = whole.target(size: 4711, duration: 1_500_000_001)
    var expected = whole
    expected.size = 4711
    expected.span.duration = 1_500_000_001
    #expect(try ExportQuery(HTTPPageRequest(target: target).parameters) == expected)
    expected.span.duration = whole.span.duration
    let longer = whole.target(size: 4711, duration: .max)
    #expect(try ExportQuery(HTTPPageRequest(target: longer).parameters) == expected)
  }

  @Test(arguments: [
    ("2026-11-26T02:05:33Z", 1_795_658_733_000_000_000), ("2026-11-26t02:05:33.5z", 1_795_658_733_500_000_000),
    ("2026-11-26T03:05:33+01:00", 1_795_658_733_000_000_000), ("2026-11-26T01:35:33-00:30", 1_795_658_733_000_000_000),
    ("2026-11-26T02:05:33.123456789Z", 1_795_658_733_123_456_789), ("1970-01-01T00:00:00Z", 0),
    ("2024-02-29T00:00:00Z", 1_709_164_800_000_000_000),
  ])
  func aStartIsInRFC3339(_ text: String, _ nanoseconds: UInt64) throws {
    let query = try query("session=a&start=\(text)&duration=1")
    #expect(query.span.start.nanoseconds == nanoseconds)
    #expect(WallInstant(rfc3339: query.span.start.rfc3339) == query.span.start)
  }

  @Test(arguments: [
    "", "session=a", "session=a&start=1", "session=&start=1&duration=1", "session=a&start=1&duration=0",
    "session=a&start=1&duration=-1", "session=a&start=1&duration=21600.1", "session=a&start=1&duration=1e3",
    "session=a&start=1&duration=1.", "session=a&start=1&duration=.5", "session=a&start=x&duration=1",
    "session=a&start=-1&duration=1", "session=a&start=2026-02-29T00:00:00Z&duration=1",
    "session=a&start=2026-13-01T00:00:00Z&duration=1", "session=a&start=2026-11-26T24:00:00Z&duration=1",
    "session=a&start=2026-11-26T02:05:33&duration=1", "session=a&start=2026-11-26&duration=1",
    "session=a&start=1&start=2&duration=1", "session=a/b&start=1&duration=1",
    "session=a&start=1&duration=1&size=", "session=a&start=1&duration=1&size=-1",
  ])
  func whatIsWrongIsSaid(_ text: String) {
    let error = #expect(throws: CaptureError.self) { try query(text) }
    #expect(error?.reason == .invalidArgument)
  }
}
