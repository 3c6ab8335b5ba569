import Testing

@testable import MovieRecording

/// Where the playable part of a file in fragments ends.
@Suite struct FragmentScanTests {
  private static func box(_ name: String, _ payload: Int, isLong: Bool = false) -> [UInt8] {
    let size = payload + (isLong ? 16 : 8)
    func bytes(_ number: Int, _ count: Int) -> [UInt8] {
      (0..<count).reversed().map { UInt8(number >> ($0 * 8) & 0xff) }
    }
    let head = isLong ? bytes(1, 4) + Array(name.utf8) + bytes(size, 8) : bytes(size, 4) + Array(name.utf8)
    return head + [UInt8](repeating: 7, count: payload)
  }

  private static func scan(_ bytes: [UInt8]) -> FragmentScan {
    FragmentScan(size: UInt64(bytes.count)) { offset, count in Array(bytes[Int(offset)...].prefix(count)) }
  }

  private static let start = box("ftyp", 20) + box("moov", 100)
  private static let fragment = box("moof", 30) + box("mdat", 50)

  @Test func aWholeFilePlaysToItsEnd() {
    let bytes = Self.start + Self.fragment + Self.fragment + Self.box("mfra", 40)
    let scan = Self.scan(bytes)
    #expect(scan.playableCount == bytes.count)
    #expect(scan.fragmentCount == 2)
  }

  /// The file may end at any byte.
  @Test func aFileThatIsCutOffPlaysToItsLastWholeFragment() {
    let end = Self.box("mfra", 40)
    let bytes = Self.start + Self.fragment + Self.fragment + end
    let ends = [Self.start.count, Self.start.count + 96, Self.start.count + 192, bytes.count]
    for count in 0...bytes.count {
      let scan = Self.scan(Array(bytes[..<count]))
      #expect(Int(scan.playableCount) == ends.last { $0 <= count } ?? 0, "\(count)")
      #expect(scan.fragmentCount == ends[1...2].count { $0 <= count })
    }
  }

  /// Such a file gets its name only when it is whole.
  @Test func aFileWithItsIndexInFrontHasNoFragments() {
    let bytes = Self.start + Self.box("free", 10) + Self.box("mdat", 500)
    let scan = Self.scan(bytes)
    #expect(scan.hasIndexInFront)
    #expect(scan.playableCount == bytes.count)
    #expect(scan.fragmentCount == 0)
    #expect(!Self.scan(Self.start + Self.fragment).hasIndexInFront)
    #expect(!Self.scan(Self.start).hasIndexInFront)
  }

  @Test func sizesOf64BitsAreRead() {
    let bytes = Self.start + Self.box("moof", 30) + Self.box("mdat", 50, isLong: true)
    #expect(Self.scan(bytes).fragmentCount == 1)
    #expect(Self.scan(Array(bytes.dropLast())).playableCount == Self.start.count)
  }

  /// Zeros are what a file system may leave where the power failed.
  @Test(arguments: [
    [UInt8](repeating: 0, count: 64), [0, 0, 0, 4] + Array("free".utf8), [0, 0, 0, 1] + Array("mdat".utf8),
  ])
  func whatIsNoBoxEndsTheMovie(bytes: [UInt8]) {
    let scan = Self.scan(Self.start + Self.fragment + bytes)
    #expect(scan.playableCount == Self.start.count + Self.fragment.count)
  }

  /// A size near 2⁶⁴ must not overflow.
  @Test func aSizeBeyondTheFileEndsTheMovie() {
    let bytes = Self.start + [0, 0, 0, 1] + Array("mdat".utf8) + [UInt8](repeating: 0xff, count: 8)
    #expect(Self.scan(bytes).playableCount == Self.start.count)
  }

  @Test func aFileWithoutItsBeginningDoesNotPlay() {
    #expect(Self.scan(Self.fragment).playableCount == 0)
    #expect(Self.scan([]).playableCount == 0)
    #expect(Self.scan(Self.box("ftyp", 20)).playableCount == 0)
  }

  /// Only the heads of boxes are read, however large the file is.
  @Test func readsAreFewAndSmall() {
    let bytes = Self.start + Self.fragment
    var reads = 0
    _ = FragmentScan(size: UInt64(bytes.count)) { offset, count in
      reads += 1
      #expect(count == 16)
      return Array(bytes[Int(offset)...].prefix(count))
    }
    #expect(reads == 4)
  }
}
