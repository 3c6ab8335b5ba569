import CaptureCore
import CaptureTestKit
import Foundation
import SystemClocks
import Testing

@testable import Imaging

/// EXIF blocks, read back by a reader of TIFF (Adobe, revision 6.0) that knows nothing about the writer.
@Suite struct EXIFTests {
  /// 2026-11-21 16:40:00.123456789 UTC.
  static let instant: WallInstant = 1_795_279_200_123_456_789
  static let size = Size(width: 640, height: 360)

  /// EXIF has local times. With the offset they name the instant, and with the fraction its microseconds.
  @Test func timesAreLocalWithOffsetAndMicroseconds() throws {
    let block = try EXIF(time: Self.instant).block(size: Self.size, isJPEG: true)
    let tags = try TIFF(block)
    for (date, fraction, offset) in [(0x9003, 0x9291, 0x9011), (0x9004, 0x9292, 0x9012)] {
      let text = try #require(tags.text(date)) + (try #require(tags.text(offset)))
      let format = DateFormatter()
      format.locale = Locale(identifier: "en_US_POSIX")
      format.dateFormat = "yyyy:MM:dd HH:mm:ssxxx"
      #expect(format.date(from: text)?.timeIntervalSince1970 == 1_795_279_200)
      #expect(tags.text(fraction) == "123456")
    }
    #expect(tags.text(0x0132) == tags.text(0x9003) && tags.text(0x9010) == tags.text(0x9011))
  }

  /// The photo tells the camera, the exposure, the flash, the size and the sensor's gain, which has no unit.
  @Test func knownFactsAreWritten() throws {
    let sensor = SensorReadings(exposureNanoseconds: 10_000_000, gain: 250)
    let exif = EXIF(time: Self.instant, sensor: sensor, camera: "HD Cam", isFlashFired: true)
    let tags = try TIFF(exif.block(size: Self.size, isJPEG: true))
    #expect(tags.text(0x0110) == "HD Cam")
    #expect(tags.text(0x0131) == "Firstlight")
    #expect(tags.numbers(0x829a) == [1, 100])
    #expect(tags.numbers(0x9209) == [1])
    #expect(tags.numbers(0x0112) == [1])
    #expect(tags.numbers(0xa001) == [1])
    #expect(tags.numbers(0xa002) == [640] && tags.numbers(0xa003) == [360])
    #expect(tags.bytes(0x9286) == Array("ASCII\0\0\0gain=250".utf8))
  }

  /// A fact that is not known has no tag, rather than an invented value.
  @Test func unknownFactsAreLeftOut() throws {
    let tags = try TIFF(EXIF(time: Self.instant, camera: "").block(size: Self.size, isJPEG: false))
    // The tags of make, model, exposure time, ISO, flash and comment, and two tags that only a JPEG has.
    for tag in [0x010f, 0x0110, 0x829a, 0x8827, 0x9209, 0x9286, 0x9101, 0x0213] {
      #expect(tags.bytes(tag) == nil, "tag \(String(tag, radix: 16))")
    }
  }

  /// The largest thumbnail that is allowed still fits the EXIF segment of a JPEG.
  @Test func theThumbnailIsTheSecondDirectory() throws {
    let thumbnail = [UInt8](repeating: 7, count: EXIF.largestThumbnail)
    let block = try EXIF(time: 0).block(size: Self.size, isJPEG: true, thumbnail: thumbnail)
    let tags = try TIFF(block)
    #expect(tags.numbers(0x0103) == [6])
    let place = EXIF.prefix + (try #require(tags.numbers(0x0201)?.first))
    #expect(Array(block[place..<place + (try #require(tags.numbers(0x0202)?.first))]) == thumbnail)
    // A segment has at most 65,535 bytes, its length field included.
    #expect(block.count + 2 <= 65_535)
  }

  /// The arguments are an exposure time in nanoseconds, and the numerator and denominator of the time in seconds.
  @Test(arguments: [
    (10_000_000, 1, 100), (33_300_000, 333, 10_000), (100_000, 1, 10_000), (2_000_000_000, 2, 1),
    (5_000_001_000, 5_000_001, 1_000_000), (1, 1, 1_000_000_000),
  ])
  func exposureIsAFractionInLowestTerms(_ nanoseconds: UInt64, _ above: UInt32, _ below: UInt32) {
    #expect(EXIF.seconds(nanoseconds) == (above, below))
  }
}

/// The tags of all directories of a little-endian TIFF file in an EXIF block.
private struct TIFF {
  private var values: [Int: (type: Int, bytes: [UInt8])] = [:]

  init(_ block: [UInt8]) throws {
    try #require(Array(block.prefix(10)) == Array("Exif".utf8) + [0, 0, 0x49, 0x49, 42, 0])
    let file = Array(block.dropFirst(6))
    func number(_ place: Int, _ size: Int) -> Int { (0..<size).reduce(0) { $0 | Int(file[place + $1]) << (8 * $1) } }
    var directories = [number(4, 4)]
    while let start = directories.popLast() {
      if start == 0 { continue }
      let count = number(start, 2)
      for entry in 0..<count {
        let place = start + 2 + 12 * entry
        let (tag, type) = (number(place, 2), number(place + 2, 2))
        let length = number(place + 4, 4) * [0, 1, 1, 2, 4, 8, 1, 1][type]
        let from = length <= 4 ? place + 8 : number(place + 8, 4)
        // The second directory repeats the resolution, which no test reads.
        values[tag] = (type, Array(file[from..<from + length]))
        if tag == 0x8769 { directories.append(number(place + 8, 4)) }
      }
      directories.append(number(start + 2 + 12 * count, 4))
    }
  }

  func bytes(_ tag: Int) -> [UInt8]? { values[tag]?.bytes }

  func text(_ tag: Int) -> String? {
    bytes(tag).map { String(decoding: $0.dropLast(), as: UTF8.self) }
  }

  func numbers(_ tag: Int) -> [Int]? {
    guard let (type, bytes) = values[tag] else { return nil }
    let size = type == 3 ? 2 : 4
    return stride(from: 0, to: bytes.count, by: size).map { place in
      (0..<size).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }
  }
}
