import CaptureCore
import Testing

@testable import FirstlightServices

/// Video data in shared memory for programs on the local socket: which slabs are mapped, and which frames a program
/// holds.
@Suite struct SharedVideoDataTests {
  /// A program gets the descriptor of a slab with the slab's first frame only.
  @Test func eachSlabIsMappedOnce() {
    var table = MappingTable()
    #expect(table.place(7) == (0, true))
    #expect(table.place(9) == (1, true))
    #expect(table.place(7) == (0, false))
  }

  /// A program keeps 64 mappings. A new slab takes the place of the one that was used the longest ago.
  @Test func theMappingUsedLeastRecentlyIsReplaced() {
    var table = MappingTable()
    for slab in 0..<64 { _ = table.place(UInt64(slab)) }
    _ = table.place(0)
    #expect(table.place(1000) == (1, true), "0 was used after 1")
    #expect(table.place(1) == (2, true))
    #expect(table.place(0) == (0, false))
  }

  /// A slab that the program holds keeps its mapping, however many other slabs come.
  @Test func aHeldSlabKeepsItsMapping() throws {
    var table = MappingTable()
    _ = table.place(7)
    for slab in UInt64(100)..<300 { #expect(table.place(slab, keeping: [7, slab]).mapping != 0) }
    #expect(table.place(7) == (0, false))
    for slab in UInt64(300)..<363 { _ = table.place(slab) }
    #expect(table.place(363) == (0, true), "once released, the slab is replaced like any other")
  }

  /// A program that connects and sends nothing would keep other programs out.
  @Test func aProgramThatSendsNothingIsNotAwaitedForEver() async {
    let program = SharedReader()
    await #expect(throws: (any Error).self) { try await program.opened(within: .zero) }
    #expect((program.ending as? CaptureError)?.reason == .invalidArgument)
  }

  private func loan(_ pool: FramePool) -> FrameLoan {
    FrameLoan(pool.take(4096)!.freeze(count: 1))
  }

  /// A program gets a lease for each frame, and returns the frame by releasing the lease once.
  @Test func leasesAreCountedUntilReleased() throws {
    let pool = FramePool(budget: 8 * 4096)
    var ledger = LeaseLedger()
    try ledger.ask(2)
    let (a, b) = (ledger.lend(loan(pool)), ledger.lend(loan(pool)))
    #expect(ledger.owing == 0 && ledger.count == 2 && a != b)
    _ = try ledger.release(a)
    #expect(ledger.count == 1)
    #expect(throws: CaptureError.self) { try ledger.release(a) }
    #expect(ledger.releaseAll().count == 1 && ledger.count == 0)
  }

  /// A program may hold 1 to 16 frames, and may ask for at most 16 frames beyond those it got.
  @Test(arguments: [0, 17] as [UInt32]) func leasesAndRequestsAreBounded(_ leases: UInt32) {
    var ledger = LeaseLedger()
    #expect(throws: CaptureError.self) { try ledger.setMaximum(leases) }
    #expect(throws: CaptureError.self) { try ledger.ask(17) }
    #expect(throws: Never.self) { try ledger.ask(16) }
    #expect(throws: CaptureError.self) { try ledger.ask(1) }
    #expect(throws: CaptureError.self) { try ledger.ask(.max) }
  }
}
