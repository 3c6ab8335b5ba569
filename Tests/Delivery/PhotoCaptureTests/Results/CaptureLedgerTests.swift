import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import PhotoCapture

/// How long the ledger keeps captures and their ids.
@Suite struct CaptureLedgerTests {
  static let limits = CaptureLedger.Limits(retentionNanoseconds: 100, captures: 3, bytes: 1000, ids: 5)

  static func photo(bytes: Int = 10) -> Photo { .fake(bytes: bytes, in: FramePool(budget: 1 << 20)) }

  static func finish(_ ledger: inout CaptureLedger, _ id: String, bytes: Int = 10, at now: MonotonicInstant = 0) throws
  {
    try ledger.begin(id, of: "s", at: 0)
    ledger.finish(id, .success([photo(bytes: bytes)]), at: now)
  }

  /// The states of these captures, one letter each: `i` for in progress, `f` for finished, `x` for failed, and `-` for
  /// a capture that is not kept.
  static func states(_ ledger: CaptureLedger, _ ids: String) -> String {
    String(
      ids.map { id in
        switch ledger.capture(String(id))?.state {
        case .inProgress: "i"
        case .finished: "f"
        case .failed: "x"
        case nil: "-"
        }
      })
  }

  /// A capture is in progress until it finishes or fails, and the first result counts.
  @Test func aCapturesLife() throws {
    var ledger = CaptureLedger(limits: Self.limits)
    try ledger.begin("a", of: "s", at: 0)
    try ledger.begin("b", of: "s", at: 0)
    #expect(Self.states(ledger, "abc") == "ii-")
    ledger.finish("a", .success([Self.photo()]), at: 0)
    ledger.finish("b", .failure(CaptureError(.processingFailed, "no")), at: 0)
    ledger.finish("c", .success([Self.photo()]), at: 0)
    #expect(Self.states(ledger, "abc") == "fx-")
    ledger.finish("b", .success([Self.photo()]), at: 0)
    #expect(Self.states(ledger, "b") == "x")
  }

  /// Finished captures go when their time is over. A capture in progress stays.
  @Test func finishedCapturesExpire() throws {
    var ledger = CaptureLedger(limits: Self.limits)
    try ledger.begin("i", of: "s", at: 0)
    try Self.finish(&ledger, "a", at: 0)
    try Self.finish(&ledger, "b", at: 50)
    ledger.removeExpired(at: 99)
    #expect(Self.states(ledger, "abi") == "ffi")
    ledger.removeExpired(at: 100)
    #expect(Self.states(ledger, "abi") == "-fi")
    ledger.removeExpired(at: 1000)
    #expect(Self.states(ledger, "abi") == "--i")
  }

  /// The oldest finished captures go when there are too many, or when their photos have too many bytes.
  @Test func finishedCapturesGoByNumberAndBytes() throws {
    var ledger = CaptureLedger(limits: Self.limits)
    for id in ["a", "b", "c", "d"] { try Self.finish(&ledger, id) }
    #expect(Self.states(ledger, "abcd") == "-fff")
    try Self.finish(&ledger, "e", bytes: 985)
    #expect(Self.states(ledger, "bcde") == "--ff")
    // The newest capture stays, although it alone exceeds the limit of bytes.
    var other = CaptureLedger(limits: Self.limits)
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
  /// than the ledger remembers.
  @Test func idsAreNotUsedTwice() throws {
    var ledger = CaptureLedger(limits: Self.limits)
    try ledger.begin("a", of: "s", at: 0)
    let error = #expect(throws: CaptureError.self) { try ledger.begin("a", of: "s", at: 0) }
    #expect(error?.reason == .settingsIDReused)
    ledger.finish("a", .success([Self.photo()]), at: 0)
    ledger.removeExpired(at: 1000)
    #expect(throws: CaptureError.self) { try ledger.begin("a", of: "s", at: 0) }
    // With the fifth capture after it, the id is forgotten.
    for id in ["b", "c", "d", "e"] { try ledger.begin(id, of: "s", at: 0) }
    #expect(throws: CaptureError.self) { try ledger.begin("a", of: "s", at: 0) }
    try ledger.begin("f", of: "s", at: 0)
    try ledger.begin("a", of: "s", at: 0)
    // The ledger has forgotten the id b too, but its capture is still in progress.
    #expect(throws: CaptureError.self) { try ledger.begin("b", of: "s", at: 0) }
  }
}
