import CaptureCore
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// Which paths a client may name.
@Suite struct RecordingFileNameTests {
  @Test(arguments: [
    ("a", "a.mp4"), ("a.mp4", "a.mp4"), ("a.b.mp4", "a.b.mp4"), ("day 1/Öl/a", "day 1/Öl/a.mp4"),
    ("1/2/3/4/5/6/7/a", "1/2/3/4/5/6/7/a.mp4"), ("v1.2/a", "v1.2/a.mp4"),
    (String(repeating: "x", count: 251), String(repeating: "x", count: 251) + ".mp4"),
  ])
  func theEndingIsAdded(text: String, path: String) throws {
    let name = try RecordingFileName(text, container: .mp4)
    #expect(name.path == path)
    #expect(name.components.joined(separator: "/") == path)
  }

  @Test(arguments: [
    "", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/./b", ".a", "a/.hidden/b", ".firstlight/a", "a\\b",
    ".\u{301}a", "a/.\u{301}b", "a/../\u{301}b", "a.\u{301}mp4", "a\nb", "a\u{0}b", "a\u{7f}", "a\u{85}b", "a.mkv",
    "a.mp4.mkv", "a.", "a.MP4", "1/2/3/4/5/6/7/8/a",
    String(repeating: "x", count: 252), String(repeating: "ö", count: 126),
    Array(repeating: String(repeating: "x", count: 250), count: 5).joined(separator: "/"),
  ])
  func otherPathsAreRefused(text: String) {
    let error = #expect(throws: CaptureError.self) { try RecordingFileName(text, container: .mp4) }
    #expect(error?.reason == .invalidArgument)
    #expect(error?.field == "file")
  }

  @Test func eachContainerHasItsEnding() throws {
    for container in MovieContainer.allCases {
      #expect(try RecordingFileName("a", container: container).path == "a.\(container.fileExtension)")
    }
  }

  /// 2026-02-03 04:05:06.007 UTC.
  @Test func theStoresOwnNameHasTheSessionTheTimeAndTheID() throws {
    let time = WallInstant(nanoseconds: 1_770_091_506_007_999_999)
    let name = RecordingFileName(session: "door", id: "12ab", time: time, container: .matroska)
    #expect(name.path == "door/2026-02-03/04-05-06.007-12ab.mkv")
    #expect(try RecordingFileName(name.path, container: .matroska) == name)
  }
}
