import Testing
import VideoCoding

@testable import MovieRecording

/// Which sound makes the track of the movie of a span. A packet has 1,024 samples at 48,000 Hz, and the bytes
/// of sound lie behind those of all pictures. Times of pictures are given in ticks of 90 kHz, of which a packet lasts
/// 1,920.
struct ExportSoundTests {
  private static let packet: Int64 = 1024

  private func sound(_ count: Int, endTime: Int64? = nil) -> ExportSound.Part {
    let samples = (0..<count).map { number in
      MovieIndex.Sample(
        offset: UInt64(10_000 + number * 10), count: 10, time: Int64(number) * Self.packet, isKeyFrame: true)
    }
    return ExportSound.Part(samples: samples, endTime: endTime ?? Int64(count) * Self.packet, rate: 48_000)
  }

  private func nanoseconds(_ ticks: Int64) -> Int64 { ticks * 100_000 / 9 }

  private func plan(_ parts: [ExportPlan.Part], duration: Int64) -> ExportPlan {
    ExportPlan(parts, duration: nanoseconds(duration))
  }

  /// A recording of pictures of 3,000 ticks, each a key frame, with this sound.
  private func part(at position: Int64, pictures: Int, _ sound: ExportSound.Part?) -> ExportPlan.Part {
    let samples = (0..<pictures).map { number in
      MovieIndex.Sample(
        offset: UInt64(number * 100), count: 100, time: nanoseconds(Int64(number) * 3000), isKeyFrame: true)
    }
    return ExportPlan.Part(
      position: nanoseconds(position), samples: samples, endTime: nanoseconds(Int64(pictures) * 3000),
      sounds: sound.map { [0: $0] } ?? [:])
  }

  private func times(_ plan: ExportPlan) -> [Int64] { plan.sounds[0]?.samples.map(\.sample.time) ?? [] }

  /// A decoder needs the packet before the one that is heard first. Both lie before the first frame.
  @Test func soundBeginsBeforeTheFirstFrame() {
    // The span begins with the picture 2 and has two pictures: the samples 3,200 to 6,400 of the recording.
    let plan = self.plan([part(at: -6000, pictures: 10, sound(16))], duration: 6000)
    #expect(times(plan) == [-1152, -128, 896, 1920, 2944])
    #expect(plan.sounds[0]?.endTime == 3968)
  }

  /// The file of an exact span has no packet that reaches beyond it.
  @Test func anExactSpanHasOnlyWholePacketsOfSound() {
    var plan = self.plan([part(at: -6000, pictures: 10, sound(16))], duration: 6000)
    plan.cut(to: nanoseconds(6000), with: [])
    #expect(times(plan) == [896, 1920])
    #expect(plan.sounds[0]?.endTime == 2944)
    #expect(plan.order.count == 4)
  }

  @Test func anExactSpanThatIsShorterThanAPacketHasNoSound() {
    var plan = self.plan([part(at: -6000, pictures: 10, sound(16))], duration: 1000)
    plan.cut(to: nanoseconds(1000), with: [])
    #expect(plan.sounds.isEmpty)
    #expect(plan.samples.count == 1)
  }

  /// The packets of one second lie behind its pictures, whichever order the file has.
  @Test func eachSecondHasItsPicturesAndThenItsSound() {
    let plan = self.plan([part(at: 0, pictures: 60, sound(94))], duration: 200_000)
    var runs: [(track: Int, count: Int)] = []
    for placed in plan.order {
      if runs.last?.track == placed.track { runs[runs.count - 1].count += 1 } else { runs.append((placed.track, 1)) }
    }
    #expect(runs.map(\.track) == [0, 1, 0, 1])
    #expect(runs.map(\.count) == [30, 47, 30, 47])
    #expect(
      plan.extents == [
        .init(part: 0, offset: 0, count: 3000), .init(part: 0, offset: 10_000, count: 470),
        .init(part: 0, offset: 3000, count: 3000), .init(part: 0, offset: 10_470, count: 470),
      ])
  }

  /// A recording lasts 47.5 packets, so that its last packet is half full. Half of these packets are left out, so that
  /// the sound of a player that looks at no times is never off by more than half a packet.
  @Test func seamsDoNotAddUp() {
    let end = 47 * Self.packet + 512
    let ticks = end * 90_000 / 48_000
    let parts = (0..<20).map { part(at: Int64($0) * ticks, pictures: 30, sound(48, endTime: end)) }
    let plan = self.plan(parts, duration: 100_000_000)
    var decoded: Int64 = 0
    for placed in plan.sounds[0]?.samples ?? [] {
      #expect(abs(placed.sample.time - decoded) <= Self.packet / 2 + 1)
      decoded += Self.packet
    }
    #expect(times(plan).count > 20 * 47)
  }

  /// Where a recording has no sound, the track has a gap, and the sound after it is at its time.
  @Test func aRecordingWithoutSoundIsAGap() {
    let plan = self.plan(
      [part(at: 0, pictures: 1, sound(2)), part(at: 3000, pictures: 30, nil), part(at: 93_000, pictures: 1, sound(2))],
      duration: 96_000)
    #expect(times(plan) == [0, 1024, 49_600, 50_624])
  }

  @Test func soundThatBeginsLaterHasItsTime() {
    let plan = self.plan(
      [part(at: 0, pictures: 30, nil), part(at: 90_000, pictures: 30, sound(4))], duration: 1_000_000)
    #expect(times(plan).first == 48_000)
  }
}
