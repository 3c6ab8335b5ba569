import Testing

@testable import VideoStorage

/// The form of an entry of the ledger.
struct CaptureEntryTests {
  private let memory = AlignedBytes(count: AlignedBytes.block)
  private var block: UnsafeRawBufferPointer { UnsafeRawBufferPointer(memory.bytes) }
  private static let entry = CaptureEntry(id: .max, target: "/films/Tür.mov", firstUnit: 7, length: 1 << 40)

  @Test(arguments: [entry, nil, CaptureEntry(id: 1, target: String(repeating: "p", count: 3800), firstUnit: 0)])
  func anEntryIsReadAsItWasWritten(entry: CaptureEntry?) {
    CaptureEntry.encode(entry, sequence: 3, to: memory.bytes)
    let read = CaptureEntry.decode(block)
    #expect(read?.sequence == 3)
    #expect(read?.entry == entry)
  }

  @Test func whatWasNeverWrittenIsNoEntry() { #expect(CaptureEntry.decode(block) == nil) }

  /// A power failure may leave any part of a block as it was.
  @Test(arguments: [0, 9, 17, 25, 33, 41, 49, 57, 64, 77, 4095])
  func anEntryWithADamagedByteIsNone(place: Int) {
    CaptureEntry.encode(Self.entry, sequence: 3, to: memory.bytes)
    memory.bytes[place] ^= 1
    #expect(CaptureEntry.decode(block) == nil)
  }
}
