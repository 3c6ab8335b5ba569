import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import PhotoCapture

/// How long captures and their ids are kept.
@Suite struct StoredCapturesTests {
  static let limits = StoredCaptures.Limits(retentionNanoseconds: 100, captures: 3, bytes: 1000, ids: 5)

  static func photo(bytes: Int = 10) -> Photo { .fake(bytes: bytes, in: FramePool(budget: 1 << 20)) }

  static func finish(_ stored: inout StoredCaptures, _ id: String, bytes: Int = 10, at now: MonotonicInstant = 0) throws
  {
    try stored.begin(id, of: "s", at: 0)
    stored.finish(id, .success([photo(bytes: bytes)]), at: now)
  }

  /// The states of these captures, one letter each: `i` for in progress, `f` for finished, `x` for failed, and `-` for
  /// a capture that is not kept.
  static func states(_ stored: StoredCaptures, _ ids: String) -> String {
    String(
      ids.map { id in
        switch stored.capture(String(id))?.state {
        case .inProgress: "i"
        case .finished: "f"
        case .failed: "x"
        case nil: "-"
        }
      })
  }

  /// A capture is in progress until it finishes or fails, and the first result counts.
  @Test func aCapturesLife() throws {
    var stored = StoredCaptures(limits: Self.limits)
    try stored.begin("a", of: "s", at: 0)
    try stored.begin("b", of: "s", at: 0)
    #expect(Self.states(stored, "abc") == "ii-")
    stored.finish("a", .success([Self.photo()]), at: 0)
    stored.finish("b", .failure(CaptureError(.processingFailed, "no")), at: 0)
    stored.finish("c", .success([Self.photo()]), at: 0)
    #expect(Self.states(stored, "abc") == "fx-")
    stored.finish("b", .success([Self.photo()]), at: 0)
    #expect(Self.states(stored, "b") == "x")
  }

  /// Finished captures go when their time is over. A capture in progress stays.
  @Test func finishedCapturesExpire() throws {
    var stored = StoredCaptures(limits: Self.limits)
    try stored.begin("i", of: "s", at: 0)
    try Self.finish(&stored, "a", at: 0)
    try Self.finish(&stored, "b", at: 50)
    stored.removeExpired(at: 99)
    #expect(Self.states(stored, "abi") == "ffi")
    stored.removeExpired(at: 100)
    #expect(Self.states(stored, "abi") == "-fi")
    stored.removeExpired(at: 1000)
    #expect(Self.states(stored, "abi") == "--i")
  }

  /// The oldest finished captures go when there are too many, or when their photos have too many bytes.
  @Test func finishedCapturesGoByNumberAndBytes() throws {
    var stored = StoredCaptures(limits: Self.limits)
    for id in ["a", "b", "c", "d"] { try Self.finish(&stored, id) }
    #expect(Self.states(stored, "abcd") == "-fff")
    try Self.finish(&stored, "e", bytes: 985)
    #expect(Self.states(stored, "bcde") == "--ff")
    // The newest capture stays, although it alone exceeds the limit of bytes.
    var other = StoredCaptures(limits: Self.limits)
    try Self.finish(&other, "a")
    try Self.finish(&other, "b", bytes: 5000)
    #expect(Self.states(other, "ab") == "-f")
    #expect(other.removeOldest() == true)
    #expect(other.removeOldest() == false)
    // The bytes of removed captures no longer count.
    try Self.finish(&other, "c", bytes: 900)
    try Self.finish(&other, "d", bytes: 100)
    #expect(Self.states(other, "cd") == "ff")
  }

  /// An id cannot be used again while its capture is in progress or kept, nor while fewer captures have begun since
  /// than ids are remembered.
  @Test func idsAreNotUsedTwice() throws {
    var stored = StoredCaptures(limits: Self.limits)
    try stored.begin("a", of: "s", at: 0)
    let error = #expect(throws: CaptureError.self) { try stored.begin("a", of: "s", at: 0) }
    #expect(error?.reason == .settingsIDReused)
    stored.finish("a", .success([Self.photo()]), at: 0)
    stored.removeExpired(at: 1000)
    #expect(throws: CaptureError.self) { try stored.begin("a", of: "s", at: 0) }
    // With the fifth capture after it, the id is forgotten.
    for id in ["b", "c", "d", "e"] { try stored.begin(id, of: "s", at: 0) }
    #expect(throws: CaptureError.self) { try stored.begin("a", of: "s", at: 0) }
    try stored.begin("f", of: "s", at: 0)
    try stored.begin("a", of: "s", at: 0)
    // The id b is forgotten too, but its capture is still in progress.
    #expect(throws: CaptureError.self) { try stored.begin("b", of: "s", at: 0) }
  }
}
