import CaptureCore
import Testing

@testable import FrameDelivery

@Suite struct PreviewRoutingTableTests {
  static func table(_ format: PixelFormat? = .nv12, maxEncodings: Int = 3, maxReaders: Int = 100) -> PreviewRoutingTable
  {
    var table = PreviewRoutingTable(maxEncodings: maxEncodings, maxReaders: maxReaders)
    if let format { _ = table.setLayout(PreviewRouteTests.layout(format)) }
    return table
  }

  static func key(_ quality: Int) -> EncodingKey {
    EncodingKey(format: .jpeg, quality: quality, size: PreviewRouteTests.size)
  }

  @Test func equalWishesShareOneEncoding() throws {
    var table = Self.table()
    #expect(try table.add("a", PreviewRequest()).started == [Self.key(80)])
    // Another message limit and acknowledgements do not make another picture.
    let other = PreviewRequest(maxMessageBytes: 1 << 20, maxUnacknowledgedFrames: 3)
    #expect(try table.add("b", other) == PreviewRoutingTable.Changes())
    #expect(table.remove("a") == PreviewRoutingTable.Changes())
    #expect(table.remove("b").stopped == [Self.key(80)])
    #expect(table.remove("b") == PreviewRoutingTable.Changes())
    #expect(table.encodings.isEmpty && table.readerCount == 0)
  }

  @Test func encodingsAreBounded() throws {
    var table = Self.table()
    for quality in 1...3 { _ = try table.add("\(quality)", PreviewRequest(jpegQuality: quality)) }
    let error = #expect(throws: CaptureError.self) { try table.add("4", PreviewRequest(jpegQuality: 4)) }
    #expect(error?.reason == .tooManyRequests)
    #expect(table.readerCount == 3)
    _ = try table.add("5", PreviewRequest(jpegQuality: 3))
    // What is passed through needs none.
    _ = try table.add("6", PreviewRequest(encoding: .nv12))
    _ = table.remove("1")
    _ = try table.add("4", PreviewRequest(jpegQuality: 4))
  }

  @Test func wishesAreBoundedBeforeTheFirstFrame() throws {
    var table = Self.table(nil)
    for quality in 1...3 { _ = try table.add("\(quality)", PreviewRequest(jpegQuality: quality)) }
    #expect(throws: CaptureError.self) { try table.add("4", PreviewRequest(jpegQuality: 4)) }
    _ = try table.add("5", PreviewRequest(jpegQuality: 3))
    #expect(table.encodings.isEmpty)
    #expect(table.setLayout(PreviewRouteTests.layout(.yuyv)).started == [Self.key(1), Self.key(2), Self.key(3)])
  }

  @Test func whoWishesWhatOthersDoMayComeWithoutACameraToo() throws {
    var table = Self.table(.mjpeg)
    // Passed through, so that they need no encodings.
    for quality in 1...4 { _ = try table.add("\(quality)", PreviewRequest(jpegQuality: quality)) }
    #expect(table.setLayout(nil).refused.isEmpty)
    _ = try table.add("same", PreviewRequest(jpegQuality: 4))
    let error = #expect(throws: CaptureError.self) { try table.add("other", PreviewRequest(jpegQuality: 5)) }
    #expect(error?.reason == .tooManyRequests)
    #expect(table.setLayout(PreviewRouteTests.layout(.mjpeg)) == PreviewRoutingTable.Changes())
    #expect(table.readers[.passThrough]?.count == 5)
  }

  @Test func readersAreBounded() throws {
    var table = Self.table(maxReaders: 2)
    for token in ["a", "b"] { _ = try table.add(token, PreviewRequest()) }
    let error = #expect(throws: CaptureError.self) { try table.add("c", PreviewRequest()) }
    #expect(error?.reason == .tooManyRequests)
  }

  @Test func layoutChangesTheWays() throws {
    var table = Self.table()
    _ = try table.add("a", PreviewRequest())
    _ = try table.add("b", PreviewRequest(encoding: .nv12))
    #expect(table.route(of: "b") == .passThrough)
    let changes = table.setLayout(PreviewRouteTests.layout(.mjpeg))
    #expect(changes.stopped == [Self.key(80)])
    #expect(changes.started == [EncodingKey(format: .nv12, quality: 0, size: PreviewRouteTests.size, range: .limited)])
    #expect(table.route(of: "a") == .passThrough)
    #expect(table.readers[.passThrough] == ["a"])
  }

  @Test func readersTooManyForANewLayoutShareTheNearestQuality() throws {
    var table = Self.table(.mjpeg, maxEncodings: 2)
    for (token, quality) in [("a", 10), ("b", 60), ("c", 50), ("d", 90)] {
      _ = try table.add(token, PreviewRequest(jpegQuality: quality))
    }
    // As when something is drawn over a camera's own JPEG.
    let changes = table.setLayout(PreviewRouteTests.layout(.yuv420))
    #expect(changes.started == [Self.key(10), Self.key(60)] && changes.refused.isEmpty)
    #expect(table.readers[.encode(Self.key(60))] == ["b", "c", "d"])
    // What links ask for, and who comes, makes them no more.
    #expect(table.setReduction(Reduction(quality: 2, every: 2), of: "d") == PreviewRoutingTable.Changes())
    #expect(table.route(of: "d") == .encode(Self.key(60)) && table.pace(of: "d").every == 2)
    _ = try table.add("e", PreviewRequest(jpegQuality: 60))
    #expect(throws: CaptureError.self) { try table.add("f", PreviewRequest(jpegQuality: 50)) }
    #expect(table.setLayout(PreviewRouteTests.layout(.mjpeg)).stopped == changes.started)
    // Now there is room for what the link of "d" asked for.
    #expect(table.readers[.passThrough] == ["a", "b", "c", "e"] && table.encodings == [Self.key(45)])
  }

  @Test func whatNobodyElseHasRunsBesidesThoseThereMayBe() throws {
    var table = Self.table(.nv12, maxEncodings: 1)
    _ = try table.add("jpeg", PreviewRequest(jpegQuality: 80))
    _ = try table.add("raw", PreviewRequest(encoding: .nv12))
    let changes = table.setLayout(PreviewRouteTests.layout(.yuv420))
    #expect(changes.started == [EncodingKey(format: .nv12, quality: 0, size: PreviewRouteTests.size, range: .limited)])
    #expect(changes.refused.isEmpty && table.encodings.count == 2)
    // Who shares one of them may come, who needs a third may not.
    _ = try table.add("another", PreviewRequest(encoding: .nv12))
    #expect(throws: CaptureError.self) { try table.add("third", PreviewRequest(encoding: .yuyv)) }
    // Nor does it end who is there, when its pictures turn out too large.
    let way = try #require(table.route(of: "jpeg"))
    #expect(table.shrink(["jpeg"], on: way, bytes: 64 << 20).refused.isEmpty)
    #expect(table.readerCount == 3)
  }

  @Test func shrinkingLastsUntilTheLayoutChanges() throws {
    var table = Self.table(.mjpeg)
    _ = try table.add("a", PreviewRequest(maxMessageBytes: 64 << 10))
    _ = try table.add("b", PreviewRequest())
    let changes = table.shrink(["a"], on: .passThrough, bytes: 4 * 63 << 10)
    #expect(changes.started.count == 1)
    let key = try #require(changes.started.first)
    #expect(key.size == Size(width: 600, height: 338))
    #expect(table.readers[.passThrough] == ["b"])
    // News of the former way comes late and changes nothing.
    #expect(table.shrink(["a"], on: .passThrough, bytes: 1 << 20) == PreviewRoutingTable.Changes())
    #expect(table.shrink(["a", "nobody"], on: .encode(key), bytes: 64 << 10).stopped == [key])
    _ = table.setLayout(PreviewRouteTests.layout(.mjpeg, Size(width: 640, height: 360)))
    #expect(table.route(of: "a") == .passThrough)
  }

  private static let limits = PictureLimits(side: 320, quality: 50)

  @Test func limitsHoldUntilTheyAreLifted() throws {
    var table = Self.table(.nv12, maxEncodings: 8)
    _ = try table.add("large", PreviewRequest())
    _ = try table.add("poor", PreviewRequest(jpegQuality: 20))
    _ = try table.add("small", PreviewRequest(maxSize: Size(width: 160, height: 90)))
    _ = try table.add("raw", PreviewRequest(encoding: .yuyv))
    let before = table
    _ = table.setLimits(Self.limits)
    func key(_ quality: Int, _ width: Int, _ format: PixelFormat = .jpeg) -> EncodingKey {
      EncodingKey(
        format: format, quality: quality, size: Size(width: width, height: width * 9 / 16),
        range: format == .yuyv ? .limited : nil)
    }
    #expect(table.encodings == [key(50, 320), key(20, 320), key(50, 160), key(0, 320, .yuyv)])
    _ = table.setLimits(PictureLimits())
    #expect(table.encodings == before.encodings)
    #expect(table.readers == before.readers)
  }

  @Test func whatIsPassedThroughIsLeftAlone() throws {
    var table = Self.table(.mjpeg)
    _ = try table.add("a", PreviewRequest())
    #expect(table.setLimits(Self.limits) == PreviewRoutingTable.Changes())
    #expect(table.route(of: "a") == .passThrough)
  }

  @Test func readersWhoShareUnderLimitsAreNotRefusedAfterwards() throws {
    var table = Self.table(.nv12, maxEncodings: 2)
    _ = table.setLimits(Self.limits)
    _ = try table.add("1", PreviewRequest(jpegQuality: 70))
    _ = try table.add("2", PreviewRequest(jpegQuality: 80))
    #expect(table.encodings.count == 1)
    let error = #expect(throws: CaptureError.self) { try table.add("3", PreviewRequest(jpegQuality: 90)) }
    #expect(error?.reason == .tooManyRequests)
    #expect(table.setLimits(PictureLimits()).refused.isEmpty)
    #expect(table.readerCount == 2)
  }

  @Test func removeAllStopsEverything() throws {
    var table = Self.table()
    _ = try table.add("a", PreviewRequest())
    #expect(table.removeAll().stopped == [Self.key(80)])
    #expect(table.readerCount == 0 && table.route(of: "a") == nil)
  }
}
