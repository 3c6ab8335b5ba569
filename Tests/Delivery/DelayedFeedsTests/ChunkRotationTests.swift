import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import DelayedFeeds

/// Which pictures belong to which chunk. Pictures come each 100 ms, and chunks last at least a second.
struct ChunkRotationTests {
  private static func arrival(_ tenths: Int, key: Bool = false, stream: UInt64 = 1, fits: Bool = true, bytes: Int = 10)
    -> ChunkRotation.Arrival
  {
    ChunkRotation.Arrival(
      captured: instant(tenths), streamID: stream, isKeyFrame: key, fits: fits, bytes: bytes)
  }

  private static func instant(_ tenths: Int) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: 5_000_000_000 + UInt64(tenths) * 100_000_000)
  }

  private var rotation = ChunkRotation(latency: 1_000_000_000)

  private mutating func place(_ arrival: ChunkRotation.Arrival) -> (ChunkRotation.Place, asksForKeyFrame: Bool) {
    rotation.place(arrival, at: arrival.captured)
  }

  /// A chunk goes on until the key frame that was asked for, so that no picture falls between two chunks.
  @Test mutating func aChunkEndsBeforeTheKeyFrameThatItAskedFor() {
    var (places, asks): ([ChunkRotation.Place], [Bool]) = ([], [])
    for tenth in 0..<25 {
      let (place, ask) = place(Self.arrival(tenth, key: [0, 5, 12, 24].contains(tenth)))
      places.append(place)
      asks.append(ask)
    }
    #expect(places.indices.filter { places[$0] == .begins } == [0, 12, 24])
    #expect(places.indices.filter { places[$0] == .lost } == [])
    #expect(asks.indices.filter { asks[$0] } == [10, 11, 22, 23])
  }

  @Test mutating func anotherStreamBeginsAnotherChunk() {
    #expect(place(Self.arrival(0, key: true)).0 == .begins)
    #expect(place(Self.arrival(3, key: true, stream: 2)).0 == .begins)
    #expect(place(Self.arrival(4, stream: 2)).0 == .continues)
  }

  @Test mutating func anotherSizeBeginsAnotherChunk() {
    #expect(place(Self.arrival(0, key: true)).0 == .begins)
    #expect(place(Self.arrival(3, key: true, fits: false)).0 == .begins)
    #expect(place(Self.arrival(4)).0 == .continues)
  }

  @Test mutating func picturesBeforeTheFirstKeyFrameAreLost() {
    #expect(place(Self.arrival(0)) == (.lost, true))
    #expect(place(Self.arrival(1, key: true)) == (.begins, false))
  }

  @Test mutating func aLargeChunkEndsEarly() {
    #expect(place(Self.arrival(0, key: true, bytes: ChunkRotation.largest)) == (.begins, true))
    #expect(place(Self.arrival(1, key: true)).0 == .begins)
  }

  /// When no picture comes any more, the chunk ends a second after the latency, or after its last picture.
  @Test mutating func aChunkEndsWithoutASuccessor() {
    #expect(rotation.deadline == nil)
    _ = place(Self.arrival(0, key: true))
    #expect(rotation.deadline == Self.instant(20))
    for tenth in 1..<15 { _ = place(Self.arrival(tenth)) }
    #expect(rotation.deadline == Self.instant(24))
    rotation.close()
    #expect(rotation.deadline == nil)
    #expect(place(Self.arrival(30)) == (.lost, true))
  }
}
