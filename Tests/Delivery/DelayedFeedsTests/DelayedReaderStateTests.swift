import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import DelayedFeeds

/// What readers with several delays get of one history, at each instant. The history has a picture each 100 ms.
struct DelayedReaderStateTests {
  private typealias State = DelayedReaderState<String>
  static let tenth: UInt64 = 100_000_000

  private static func instant(_ tenths: Int) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: 1_000_000_000_000 + UInt64(tenths) * tenth)
  }

  /// A history with pictures at the given tenths of a second, and the status `on` since the beginning.
  private struct Stage {
    var index = HistoryIndex<Int>(segmentBytes: 1 << 20)
    var statuses = Timeline<String>()

    init(_ tenths: some Sequence<Int>) {
      statuses.append("on", since: DelayedReaderStateTests.instant(0))
      for tenth in tenths { add(tenth) }
    }

    mutating func add(_ tenth: Int) {
      let captured = DelayedReaderStateTests.instant(tenth)
      let offset = index.place(10, at: captured, keeping: 60_000_000_000, segmentLimit: 100)
      index.append(tenth, at: captured, offset: offset!, count: 10)
    }

    /// All that a reader gets until it must wait: the pictures, and what it lost before each.
    func read(_ reader: inout State, at tenth: Int) -> [(picture: Int, losses: HistoryLosses)] {
      let now = DelayedReaderStateTests.instant(tenth)
      var seen: [(Int, HistoryLosses)] = []
      while true {
        let next = reader.next(at: now, index, statuses)
        if case .wait = next { return seen }
        let losses = reader.take(next, of: index, at: now)
        if case .frame(let position) = next { seen.append((index.entries[position].content, losses)) }
      }
    }
  }

  @Test(arguments: [0, 5, 20, 100])
  func aReaderSeesThePictureThatWasCapturedItsDelayBefore(delay: Int) {
    var stage = Stage([])
    var reader = State(delay: UInt64(delay) * Self.tenth)
    var seen: [Int] = []
    for tenth in 0..<300 {
      stage.add(tenth)
      let pictures = stage.read(&reader, at: tenth)
      #expect(pictures.map(\.picture) == (tenth >= delay ? [tenth - delay] : []))
      #expect(pictures.allSatisfy { $0.losses == HistoryLosses() })
      seen += pictures.map(\.picture)
    }
    #expect(seen == Array(0..<300 - delay))
  }

  /// Twenty readers share one history, and each of them is where its delay says.
  @Test func manyDelaysShareOneHistory() {
    var stage = Stage([])
    var readers = (0..<20).map { State(delay: UInt64($0) * 3 * Self.tenth) }
    for tenth in 0..<200 {
      stage.add(tenth)
      for reader in readers.indices where tenth >= reader * 3 {
        #expect(stage.read(&readers[reader], at: tenth).map(\.picture) == [tenth - reader * 3])
      }
    }
  }

  /// A reader that joins a history which is long enough sees the past at once.
  @Test func aReaderJoinsInTheMiddle() {
    let stage = Stage(0..<100)
    var reader = State(delay: 40 * Self.tenth)
    #expect(stage.read(&reader, at: 99).map(\.picture) == [59])
  }

  @Test func aPictureThatWasOldAlreadyIsNotForANewReader() {
    let stage = Stage(0..<10)
    var reader = State(delay: 10 * Self.tenth)
    #expect(stage.read(&reader, at: 60).isEmpty)
  }

  @Test func theStatusComesFirst() {
    let stage = Stage(0..<100)
    var reader = State(delay: 40 * Self.tenth)
    #expect(reader.next(at: Self.instant(99), stage.index, stage.statuses) == .status("on"))
  }

  /// A status is as late as the pictures, and comes before the picture that it is about.
  @Test func aStatusKeepsItsPlace() {
    var stage = Stage(0..<10)
    stage.statuses.append("off", since: Self.instant(12))
    stage.statuses.append("on again", since: Self.instant(31))
    stage.statuses.advance(to: Self.instant(30))
    stage.add(30)
    var reader = State(delay: 20 * Self.tenth)
    _ = stage.read(&reader, at: 29)
    #expect(reader.next(at: Self.instant(30), stage.index, stage.statuses) == .wait(Self.instant(32)))
    #expect(reader.next(at: Self.instant(32), stage.index, stage.statuses) == .status("off"))
    reader.take(.status("off"), of: stage.index, at: Self.instant(32))
    #expect(reader.next(at: Self.instant(40), stage.index, stage.statuses) == .wait(Self.instant(50)))
    #expect(reader.next(at: Self.instant(50), stage.index, stage.statuses) == .status("on again"))
    #expect(stage.read(&reader, at: 50).map(\.picture) == [30])
  }

  /// A reader that was stalled goes on with the picture that is due then, and is told how many it missed.
  @Test func aStalledReaderCatchesUp() {
    var stage = Stage(0..<50)
    var reader = State(delay: 10 * Self.tenth)
    #expect(stage.read(&reader, at: 20).map(\.picture) == [10])
    stage.index.lose(DropCounts(discontinuity: 3), omitted: 2)
    for tenth in 53..<60 { stage.add(tenth) }
    let seen = stage.read(&reader, at: 65)
    #expect(seen.map(\.picture) == [55])
    // 11 to 49, 53 and 54 came too late.
    #expect(seen.first?.losses == HistoryLosses(dropped: DropCounts(late: 41, discontinuity: 3), omitted: 2))
  }

  @Test func aPictureThatCannotBeReadCountsOnce() {
    let stage = Stage(0..<50)
    var reader = State(delay: 10 * Self.tenth)
    _ = stage.read(&reader, at: 20)
    guard case .frame(let position) = reader.next(at: Self.instant(21), stage.index, stage.statuses) else {
      Issue.record("a picture is due")
      return
    }
    reader.skip(position, of: stage.index)
    #expect(reader.next(at: Self.instant(21), stage.index, stage.statuses) == .wait(Self.instant(22)))
    #expect(stage.read(&reader, at: 22).map(\.losses) == [HistoryLosses(dropped: DropCounts(outOfBuffers: 1))])
  }

  /// While the first picture is not due, the reader is told twenty times how much there is, and woken for that.
  @Test func aReaderThatWaitsIsToldHowFarTheHistoryIs() {
    var stage = Stage([])
    var reader = State(delay: 20 * Self.tenth)
    var reports = 0
    for tenth in 0..<20 {
      stage.add(tenth)
      let now = Self.instant(tenth)
      while true {
        let next = reader.next(at: now, stage.index, stage.statuses)
        if case .report = next { reports += 1 }
        if case .wait(let instant) = next {
          #expect(instant == Self.instant(tenth + 1))
          break
        }
        reader.take(next, of: stage.index, at: now)
      }
    }
    #expect(reports == 20)
    #expect(stage.read(&reader, at: 20).map(\.picture) == [0])
  }

  /// A reader whose delay the file does not hold gets what there is, and is told.
  @Test func aShortHistoryShortensTheDelay() {
    var index = HistoryIndex<Int>(segmentBytes: 100)
    var statuses = Timeline<String>()
    statuses.append("on", since: Self.instant(0))
    var reader = State(delay: 300 * Self.tenth)
    var (seen, delays): ([Int], [UInt64]) = ([], [])
    for tenth in 0..<400 {
      let now = Self.instant(tenth)
      let offset = index.place(10, at: now, keeping: 300 * Self.tenth, segmentLimit: 5)
      index.append(tenth, at: now, offset: offset!, count: 10)
      while true {
        let next = reader.next(at: now, index, statuses)
        if case .wait = next { break }
        reader.take(next, of: index, at: now)
        if case .frame(let position) = next { seen.append(index.entries[position].content) }
        if case .report = next { delays.append(reader.effectiveDelay(index)) }
      }
    }
    #expect(seen.count > 300)
    #expect(zip(seen, seen.dropFirst()).allSatisfy { $1 == $0 + 1 })
    #expect(delays.last.map { $0 >= 35 * Self.tenth && $0 < 50 * Self.tenth } == true)
  }
}
