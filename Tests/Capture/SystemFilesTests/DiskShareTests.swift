import SystemFiles
import Testing

struct DiskShareTests {
  @Test func aShareFitsWhenOthersKeepTheirs() {
    let share = DiskShare(needed: 10, leftToOthers: 100)
    #expect(share.fits(110))
    #expect(!share.fits(109))
    #expect(!share.fits(99))
    #expect(share.fits(nil), "nobody knows")
    #expect(DiskShare(leftToOthers: 100).fits(100))
  }

  /// A session may want more than any disk has.
  @Test func nothingOverflows() {
    #expect(!DiskShare(needed: .max, leftToOthers: .max).fits(.max))
    #expect(DiskShare(needed: 0, leftToOthers: .max).fits(.max))
  }
}
