import CaptureCore
import CaptureTestKit
import Foundation
import MovieTestKit
import Testing
import VideoCoding

@testable import MovieRecording

/// The table of a file's fragments, and the index that players get in front of them.
@Suite struct FragmentTableTests {
  private static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(UInt64(8 + content.count), count: 4)
    return bytes + Array(name.utf8) + content
  }

  private static func numbers(_ values: UInt64..., count: Int = 4) -> [UInt8] {
    values.reduce(into: []) { $0.append($1, count: count) }
  }

  /// A track with a number and a kind, which counts 1,000 units in a second.
  private static func trak(_ number: UInt64, _ kind: String) -> [UInt8] {
    let media =
      box("mdhd", numbers(0, 0, 0, 1000, 0)) + box("hdlr", numbers(0, 0) + Array(kind.utf8))
    return box("trak", box("tkhd", numbers(0, 0, 0, number)) + box("mdia", media))
  }

  /// A track of sound, and one of pictures that last 40 units unless a fragment says something else.
  private static let start =
    box("ftyp", numbers(0))
    + box(
      "moov",
      trak(1, "soun") + trak(2, "vide")
        + box("mvex", box("trex", numbers(0, 1, 1, 7)) + box("trex", numbers(0, 2, 1, 40))))

  /// A fragment whose pictures begin at a time; nil for one that has sound alone.
  private static func fragment(_ time: UInt64?, pictures: UInt64 = 5, bytes: Int = 100) -> [UInt8] {
    var index = box("mfhd", numbers(0, 1))
    index += box("traf", box("tfhd", numbers(0, 1)) + box("tfdt", numbers(0, 3)) + box("trun", numbers(0, 9)))
    if let time {
      let run = numbers(0x100, pictures) + (0..<pictures).flatMap { _ in numbers(50) }
      index += box("traf", box("tfhd", numbers(0, 2)) + box("tfdt", numbers(0, time)) + box("trun", run))
    }
    return box("moof", index) + box("mdat", [UInt8](repeating: 7, count: bytes))
  }

  private static func reader(_ bytes: [UInt8]) -> (UInt64, Int) -> [UInt8] {
    { offset, count in Array(bytes.dropFirst(Int(min(offset, UInt64(bytes.count)))).prefix(count)) }
  }

  private static func table(_ bytes: [UInt8], size: Int? = nil) -> FragmentTable? {
    let (size, read) = (UInt64(size ?? bytes.count), reader(bytes))
    guard var table = FragmentTable(size: size, read: read) else { return nil }
    table.takeList(size: size, read: read)
    while table.extend(to: size, atMost: 2, read: read) {}
    return table
  }

  @Test func theTrackOfPicturesIsFound() throws {
    let table = try #require(Self.table(Self.start + Self.fragment(0)))
    #expect((table.track, table.unitsPerSecond) == (2, 1000))
  }

  @Test func fragmentsAreFoundAsTheFileGrows() throws {
    let parts = [Self.fragment(0), Self.fragment(250, pictures: 4), Self.fragment(900)]
    let bytes = Self.start + parts.joined()
    let read = Self.reader(bytes)
    var table = try #require(FragmentTable(size: UInt64(Self.start.count), read: read))
    #expect(table.fragments.isEmpty)
    #expect(table.index(to: UInt64(bytes.count), read: read) == nil)
    var place = UInt64(Self.start.count)
    for (number, part) in parts.enumerated() {
      // A fragment that is not whole does not count yet.
      while table.extend(to: place + UInt64(part.count) - 1, atMost: 9, read: read) {}
      #expect(table.fragments.count == number)
      while table.extend(to: place + UInt64(part.count), atMost: 9, read: read) {}
      #expect(table.fragments.last?.offset == place)
      place += UInt64(part.count)
    }
    #expect(table.fragments.map(\.time) == [0, 250, 900])
    #expect((table.end, table.endTime) == (place, 1150))
  }

  /// The index names each byte between itself and the end, because FFmpeg takes no other one for complete.
  @Test func theIndexNamesAllBytes() throws {
    let parts = [Self.fragment(20), Self.fragment(270), Self.fragment(nil), Self.fragment(900)]
    let bytes = Self.start + parts.joined() + Self.box("free", [0])
    let table = try #require(Self.table(bytes))
    let (index, place, end) = try #require(table.index(to: UInt64(bytes.count), read: Self.reader(bytes)))
    #expect((Int(place), Int(end)) == (Self.start.count, bytes.count - 9))
    #expect(MovieBox(index[...])?.name == "sidx")
    #expect(MovieBox(index[...])?.size == UInt64(index.count))
    let content = index[8...]
    #expect(content.number(at: 4, count: 4) == 2)
    #expect(content.number(at: 12, count: 8) == 20)
    #expect(content.number(at: 20, count: 8) == 0)
    #expect(content.number(at: 28, count: 4) == 3)
    let entries = (0..<3).map {
      [content.number(at: 32 + 12 * $0, count: 4), content.number(at: 36 + 12 * $0, count: 4)]
    }
    let sizes = parts.map { UInt64($0.count) }
    // The fragment without a picture belongs to the one before it.
    #expect(entries == [[sizes[0], 250], [sizes[1] + sizes[2], 630], [sizes[3], 250]])
  }

  /// A player that knows the first bytes of a file gets the index of those, also when the file has more by now.
  @Test func theIndexOfTheFirstBytesStaysTheSame() throws {
    // There are gaps between the fragments, in which frames are missing.
    let parts = [Self.fragment(0), Self.fragment(300), Self.fragment(700)]
    let bytes = Self.start + parts.joined()
    let (table, read) = (try #require(Self.table(bytes)), Self.reader(bytes))
    for count in 1...2 {
      let size = Self.start.count + parts.prefix(count).reduce(0) { $0 + $1.count }
      let early = try #require(Self.table(bytes, size: size)?.index(to: UInt64(size), read: read))
      #expect(Int(early.end) == size)
      for more in [0, 1, 50] {
        let later = try #require(table.index(to: UInt64(size + more), read: read))
        #expect(later == early)
      }
    }
  }

  @Test func anIndexOfVeryManyFragmentsHasFewerEntries() throws {
    let part = UInt64(Self.fragment(0).count)
    let bytes = Self.start + (0..<7).flatMap { Self.fragment($0 * 250) }
    let (table, read) = (try #require(Self.table(bytes)), Self.reader(bytes))
    let content = try #require(table.index(to: UInt64(bytes.count), atMost: 3, read: read)).bytes[8...]
    #expect(content.number(at: 28, count: 4) == 3)
    let entries = (0..<3).map { place in (0..<2).map { content.number(at: 32 + 12 * place + 4 * $0, count: 4) } }
    #expect(entries == [[3 * part, 750], [3 * part, 750], [part, 250]])
    #expect(FragmentTable.maximumEntries == UInt16.max)
  }

  @Test func whatIsNoMovieInFragmentsHasNoTable() {
    let single = Self.box("moov", Self.trak(1, "vide")) + Self.box("mdat", [1])
    for bytes in [[], [0, 0, 0], single, Self.fragment(0), Array(Self.start.dropLast()), Self.box("moov", [])] {
      #expect(Self.table(bytes) == nil)
    }
  }

  /// Whatever a disk makes of a file, the daemon only finds less.
  @Test func damageEndsTheTable() throws {
    let bytes = Self.start + Self.fragment(0) + Self.fragment(250) + Self.fragment(500)
    var chance = SeededGenerator(seed: 50)
    for _ in 0..<2000 {
      var damaged = bytes
      for _ in 0..<3 {
        damaged[Int.random(in: 0..<bytes.count, using: &chance)] = UInt8.random(in: 0...255, using: &chance)
      }
      guard let table = Self.table(damaged) else { continue }
      #expect(table.end <= UInt64(bytes.count))
      _ = table.index(to: UInt64(bytes.count), read: Self.reader(damaged))
    }
  }

  /// The list at the end of a complete file tells the same as its fragments, and needs a few reads.
  @Test(.computing, .enabled(if: MediaTools.areInstalled && MovieCodec.h264.isAvailable))
  func theListOfACompleteFileIsEnough() async throws {
    let bytes = [UInt8](try await ShortMovie(.mp4).bytes)
    let (size, all) = (UInt64(bytes.count), Self.reader(bytes))
    var reads = 0
    let read = { (offset: UInt64, count: Int) -> [UInt8] in
      reads += 1
      return all(offset, count)
    }
    var scanned = try #require(FragmentTable(size: size, read: all))
    while scanned.extend(to: size, atMost: 1, read: all) {}
    var listed = try #require(FragmentTable(size: size, read: read))
    listed.takeList(size: size, read: read)
    #expect(listed.fragments.count == scanned.fragments.count - 1)
    while listed.extend(to: size, atMost: 1, read: read) {}
    #expect(listed.fragments.map(\.offset) == scanned.fragments.map(\.offset))
    #expect((listed.end, listed.endTime) == (scanned.end, scanned.endTime))
    #expect(scanned.fragments.count == 5)
    #expect(reads <= 12)
    for fragment in scanned.fragments.dropFirst() + [scanned.fragments[0]] {
      let (one, two) = (listed.index(to: fragment.offset, read: all), scanned.index(to: fragment.offset, read: all))
      #expect(one?.bytes == two?.bytes)
    }
  }
}
