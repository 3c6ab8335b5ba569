import CaptureCore
import Testing

@testable import FrameDelivery

/// Which readers share which encodings, and how many encodings and readers there may be.
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

  /// An encoding starts with its first reader and stops with its last.
  @Test func equalRequestsShareOneEncoding() throws {
    var table = Self.table()
    #expect(try table.add("a", PreviewRequest()).started == [Self.key(80)])
    // Another limit of messages or of unacknowledged frames does not make another picture.
    let other = PreviewRequest(maxMessageBytes: 1 << 20, maxUnacknowledgedFrames: 3)
    #expect(try table.add("b", other) == PreviewRoutingTable.Changes())
    #expect(table.remove("a") == PreviewRoutingTable.Changes())
    #expect(table.remove("b").stopped == [Self.key(80)])
    #expect(table.remove("b") == PreviewRoutingTable.Changes())
    #expect(table.encodings.isEmpty && table.readerCount == 0)
  }

  /// A reader that would need an encoding too many is refused. A reader that shares an encoding, or needs none, is not.
  @Test func encodingsAreBounded() throws {
    var table = Self.table()
    for quality in 1...3 { _ = try table.add("\(quality)", PreviewRequest(jpegQuality: quality)) }
    let error = #expect(throws: CaptureError.self) { try table.add("4", PreviewRequest(jpegQuality: 4)) }
    #expect(error?.reason == .tooManyRequests)
    #expect(table.readerCount == 3)
    _ = try table.add("5", PreviewRequest(jpegQuality: 3))
    // A reader whose pictures pass through needs no encoding.
    _ = try table.add("6", PreviewRequest(encoding: .nv12))
    _ = table.remove("1")
    _ = try table.add("4", PreviewRequest(jpegQuality: 4))
  }

  /// Without a layout, the table cannot tell which requests need an encoding. Each distinct request then counts as one.
  @Test func requestsAreBoundedBeforeTheFirstFrame() throws {
    var table = Self.table(nil)
    for quality in 1...3 { _ = try table.add("\(quality)", PreviewRequest(jpegQuality: quality)) }
    #expect(throws: CaptureError.self) { try table.add("4", PreviewRequest(jpegQuality: 4)) }
    _ = try table.add("5", PreviewRequest(jpegQuality: 3))
    #expect(table.encodings.isEmpty)
    #expect(table.setLayout(PreviewRouteTests.layout(.yuyv)).started == [Self.key(1), Self.key(2), Self.key(3)])
  }

  /// A camera that is gone leaves the table without a layout, and perhaps with more distinct requests than encodings
  /// may run. A new reader may then come with the request of another reader, but not with a request of its own.
  @Test func aReaderWithTheRequestOfAnotherMayComeWithoutALayout() throws {
    var table = Self.table(.mjpeg)
    // The camera's pictures pass through, so these readers need no encodings.
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

  /// When the camera begins to give JPEG, readers of JPEG need no encoding any more, and readers of raw pictures do.
  @Test func aNewLayoutChangesTheRoutes() throws {
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

  /// No change may end the stream of a reader that is attached. When a new layout needs more encodings than may run,
  /// readers share the encoding whose quality is nearest to theirs.
  @Test func readersTooManyForANewLayoutShareTheNearestQuality() throws {
    var table = Self.table(.mjpeg, maxEncodings: 2)
    for (token, quality) in [("a", 10), ("b", 60), ("c", 50), ("d", 90)] {
      _ = try table.add(token, PreviewRequest(jpegQuality: quality))
    }
    // The layout changes like this when an overlay is drawn over a camera's own JPEG.
    let changes = table.setLayout(PreviewRouteTests.layout(.yuv420))
    #expect(changes.started == [Self.key(10), Self.key(60)] && changes.refused.isEmpty)
    #expect(table.readers[.encode(Self.key(60))] == ["b", "c", "d"])
    // Neither the reductions of links nor new readers add encodings.
    #expect(table.setReduction(Reduction(quality: 2, every: 2), of: "d") == PreviewRoutingTable.Changes())
    #expect(table.route(of: "d") == .encode(Self.key(60)) && table.pace(of: "d").every == 2)
    _ = try table.add("e", PreviewRequest(jpegQuality: 60))
    #expect(throws: CaptureError.self) { try table.add("f", PreviewRequest(jpegQuality: 50)) }
    #expect(table.setLayout(PreviewRouteTests.layout(.mjpeg)).stopped == changes.started)
    // Now there is room for the reduction that the link of reader "d" asked for.
    #expect(table.readers[.passThrough] == ["a", "b", "c", "e"] && table.encodings == [Self.key(45)])
  }

  /// An attached reader that can share no encoding keeps its stream: its encoding runs in addition to those that the
  /// limit allows.
  @Test func anEncodingThatCannotBeSharedRunsBeyondTheLimit() throws {
    var table = Self.table(.nv12, maxEncodings: 1)
    _ = try table.add("jpeg", PreviewRequest(jpegQuality: 80))
    _ = try table.add("raw", PreviewRequest(encoding: .nv12))
    let changes = table.setLayout(PreviewRouteTests.layout(.yuv420))
    #expect(changes.started == [EncodingKey(format: .nv12, quality: 0, size: PreviewRouteTests.size, range: .limited)])
    #expect(changes.refused.isEmpty && table.encodings.count == 2)
    // A reader that shares a running encoding may come. A reader that needs a third encoding may not.
    _ = try table.add("another", PreviewRequest(encoding: .nv12))
    #expect(throws: CaptureError.self) { try table.add("third", PreviewRequest(encoding: .yuyv)) }
    // A picture that turns out too large does not end the stream of an attached reader either.
    let way = try #require(table.route(of: "jpeg"))
    #expect(table.shrink(["jpeg"], on: way, bytes: 64 << 20).refused.isEmpty)
    #expect(table.readerCount == 3)
  }

  /// A reader whose message a picture did not fit gets smaller pictures until the layout changes. Other readers are not
  /// affected.
  @Test func aSmallerSizeLastsUntilTheLayoutChanges() throws {
    var table = Self.table(.mjpeg)
    _ = try table.add("a", PreviewRequest(maxMessageBytes: 64 << 10))
    _ = try table.add("b", PreviewRequest())
    let changes = table.shrink(["a"], on: .passThrough, bytes: 4 * 63 << 10)
    #expect(changes.started.count == 1)
    let key = try #require(changes.started.first)
    #expect(key.size == Size(width: 600, height: 338))
    #expect(table.readers[.passThrough] == ["b"])
    // A report about the former route comes late and changes nothing.
    #expect(table.shrink(["a"], on: .passThrough, bytes: 1 << 20) == PreviewRoutingTable.Changes())
    #expect(table.shrink(["a", "nobody"], on: .encode(key), bytes: 64 << 10).stopped == [key])
    _ = table.setLayout(PreviewRouteTests.layout(.mjpeg, Size(width: 640, height: 360)))
    #expect(table.route(of: "a") == .passThrough)
  }

  private static let limits = PictureLimits(side: 320, quality: 50)

  /// Under pressure, readers get at most the side and the quality of the limits. Without limits, they get what they had
  /// before.
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

  /// A camera's own JPEG costs nothing to pass through, and encoding it anew would cost more.
  @Test func limitsDoNotChangeAPassThrough() throws {
    var table = Self.table(.mjpeg)
    _ = try table.add("a", PreviewRequest())
    #expect(table.setLimits(Self.limits) == PreviewRoutingTable.Changes())
    #expect(table.route(of: "a") == .passThrough)
  }

  /// Under limits, requests of different quality share one encoding. New readers are counted as if there were no
  /// limits, so that no reader is refused when the limits end.
  @Test func readersThatShareUnderLimitsAreNotRefusedAfterwards() throws {
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
