import HTTPTransport
import Testing

/// Which bytes a `Range` asks for.
struct RangeChoiceTests {
  private func choice(_ field: String?, _ size: UInt64 = 1000) -> RangeChoice { RangeChoice(field, size: size) }

  @Test func aRangeNamesItsFirstAndLastByte() {
    #expect(choice("bytes=0-0") == .part(0..<1))
    #expect(choice("bytes=0-499") == .part(0..<500))
    #expect(choice("bytes=500-999") == .part(500..<1000))
    #expect(choice("Bytes= 999-999 ") == .part(999..<1000))
  }

  @Test func anOpenRangeEndsWithTheBody() {
    #expect(choice("bytes=0-") == .part(0..<1000))
    #expect(choice("bytes=999-") == .part(999..<1000))
    #expect(choice("bytes=500-1000") == .part(500..<1000))
    #expect(choice("bytes=500-99999999999999999999999") == .part(500..<1000))
    #expect(choice("bytes=0-18446744073709551615", .max) == .part(0..<UInt64.max))
  }

  @Test func aSuffixIsTheEndOfTheBody() {
    #expect(choice("bytes=-1") == .part(999..<1000))
    #expect(choice("bytes=-1000") == .part(0..<1000))
    #expect(choice("bytes=-5000") == .part(0..<1000))
  }

  @Test func aRangeWithoutAByteIsUnsatisfiable() {
    #expect(choice("bytes=1000-") == .unsatisfiable)
    #expect(choice("bytes=1000-2000") == .unsatisfiable)
    #expect(choice("bytes=99999999999999999999999-") == .unsatisfiable)
    #expect(choice("bytes=-0") == .unsatisfiable)
    #expect(choice("bytes=0-", 0) == .unsatisfiable)
    #expect(choice("bytes=-1", 0) == .unsatisfiable)
  }

  @Test(arguments: [
    nil, "", "bytes", "bytes=", "bytes=-", "bytes=5", "bytes=5-4", "bytes=a-b", "bytes=+1-2", "bytes=1-2-3",
    "lines=0-1",
    "bytes=0-1,5-6", "bytes=0-1, -5",
  ])
  func whatIsNoSingleRangeMeansEverything(_ field: String?) { #expect(choice(field) == .whole) }
}
