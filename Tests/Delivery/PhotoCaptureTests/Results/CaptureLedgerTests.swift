import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import PhotoCapture

@Suite struct CaptureLedgerTests {
  static let limits = CaptureLedger.Limits(retentionNanoseconds: 100, captures: 3, bytes: 1000, ids: 5)

  static func photo(bytes: Int = 10) -> Photo { .fake(bytes: bytes, in: FramePool(budget: 1 << 20)) }

  static func finish(_ ledger: inout CaptureLedger, _ id: String, bytes: Int = 10, at now: MonotonicInstant = 0) throws
  {
    try ledger.begin(id, of: "s", at: 0)
    ledger.finish(id, .success([photo(bytes: bytes)]), at: now)
  }

  /// `i`n progress, `f`inished, `x` failed, `-` not kept.
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

  @Test func aCapturesLife() throws {
    var ledger = CaptureLedger(limits: Self.limits)
    try ledger.begin("a", of: "s", at: 0)
    try ledger.begin("b", of: "s", at: 0)
    #expect(Self.states(ledger, "abc") == "ii-")
    ledger.finish("a", .success([Self.photo()]), at: 0)
    ledger.finish("b", .failure(CaptureError(.processingFailed, "no")), at: 0)
    ledger.finish("c", .success([Self.photo()]), at: 0)
    #expect(Self.states(ledger, "abc") == "fx-")
    // The first result counts.
    ledger.finish("b", .success([Self.photo()]), at: 0)
    #expect(Self.states(ledger, "b") == "x")
  }

  @Test func finishedOnesGoByAge() throws {
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

  @Test func finishedOnesGoByNumberAndBytes() throws {
    var ledger = CaptureLedger(limits: Self.limits)
    for id in ["a", "b", "c", "d"] { try Self.finish(&ledger, id) }
    #expect(Self.states(ledger, "abcd") == "-fff")
    try Self.finish(&ledger, "e", bytes: 985)
    #expect(Self.states(ledger, "bcde") == "--ff")
    // Larger than all that may be kept: it stays alone.
    var other = CaptureLedger(limits: Self.limits)
    try Self.finish(&other, "a")
    try Self.finish(&other, "b", bytes: 5000)
    #expect(Self.states(other, "ab") == "-f")
    #expect(other.removeOldest() == true)
    #expect(other.removeOldest() == false)
    // The sum of bytes followed.
    try Self.finish(&other, "c", bytes: 900)
    try Self.finish(&other, "d", bytes: 100)
    #expect(Self.states(other, "cd") == "ff")
  }

  @Test func idsAreNotUsedTwice() throws {
    var ledger = CaptureLedger(limits: Self.limits)
    try ledger.begin("a", of: "s", at: 0)
    let error = #expect(throws: CaptureError.self) { try ledger.begin("a", of: "s", at: 0) }
    #expect(error?.reason == .settingsIDReused)
    ledger.finish("a", .success([Self.photo()]), at: 0)
    ledger.removeExpired(at: 1000)
    #expect(throws: CaptureError.self) { try ledger.begin("a", of: "s", at: 0) }
    // Five later it is forgotten.
    for id in ["b", "c", "d", "e"] { try ledger.begin(id, of: "s", at: 0) }
    #expect(throws: CaptureError.self) { try ledger.begin("a", of: "s", at: 0) }
    try ledger.begin("f", of: "s", at: 0)
    try ledger.begin("a", of: "s", at: 0)
    // Forgotten as a used one, but still under way.
    #expect(throws: CaptureError.self) { try ledger.begin("b", of: "s", at: 0) }
  }
}
