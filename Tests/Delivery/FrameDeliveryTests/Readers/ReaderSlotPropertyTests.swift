import CaptureCore
import Testing

@testable import FrameDelivery

/// Random orders of everything that can happen to a slot. The same seed gives the same order.
@Suite struct ReaderSlotPropertyTests {
  typealias Machine = ReaderSlotStateMachine<UInt64>

  struct Seeded: RandomNumberGenerator {
    var state: UInt64

    // SplitMix64 (Steele, Lea, Flood 2014).
    mutating func next() -> UInt64 {
      state &+= 0x9e37_79b9_7f4a_7c15
      var z = state
      z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
      z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
      return z ^ z >> 31
    }
  }

  /// A camera, an encoder that may be slow, lose frames or be absent, and one reader.
  struct World {
    var random: Seeded
    var tally = FrameTally()
    var machine: Machine
    let limit: Int
    /// For each frame produced: how many frames were lost before it, and 1 if the frame begins a stream.
    var gaps: [(missing: UInt64, stream: UInt64)] = []
    /// How many frames were produced before the reader came.
    let base: Int
    /// The frame that the encoder works on; nil when the encoder is idle.
    var encoding: Machine.Offer?

    // The reader saw the following.
    var delivered: [UInt64] = []
    var dropped = DropCounts()
    var onTheWay: [UInt64] = []
    var mostOnTheWay = 0

    init(seed: UInt64, queueDepths: [Int?] = [nil]) {
      var random = Seeded(state: seed)
      limit = [0, 0, 1, 2, 5].randomElement(using: &random)!
      base = Int.random(in: 0...5, using: &random)
      for number in 0..<base {
        tally.add(missing: DropCounts(), startsStream: number == 0)
        gaps.append((0, number == 0 ? 1 : 0))
      }
      machine = Machine(
        session: SessionStatus(.running), base: tally, maxUnacknowledged: limit,
        queueDepth: queueDepths.randomElement(using: &random)!)
      self.random = random
    }

    mutating func produce() {
      let missing = Int.random(in: 0..<8, using: &random) == 0
      let startsStream = tally.received == 0 || Int.random(in: 0..<20, using: &random) == 0
      tally.add(
        missing: missing ? DropCounts(late: 1, outOfBuffers: 2, discontinuity: 3) : DropCounts(),
        startsStream: startsStream)
      gaps.append((missing ? 6 : 0, startsStream ? 1 : 0))
    }

    /// How many frames were produced for the reader up to the last frame that it got, counted plainly. The count begins
    /// with the first frame after the reader came, or with the first frame that the reader got if that is older. New
    /// streams count from the second frame that the reader got.
    var produced: UInt64 {
      guard let first = delivered.first.map(Int.init), let last = delivered.last.map(Int.init) else { return 0 }
      let before = first > base ? gaps[base..<first].map { 1 + $0.missing }.reduce(0, +) : 1
      return before + gaps[first..<last].map { 1 + $0.missing + $0.stream }.reduce(0, +)
    }

    var newest: Machine.Offer {
      // Sequences repeat, like the numbers of drivers, which start again with each stream.
      Machine.Offer(
        content: tally.received, sequence: tally.received % 7, size: ReaderSlotStateMachineTests.size, tally: tally)
    }

    mutating func step() {
      switch Int.random(in: 0..<10, using: &random) {
      case 0...2:
        produce()
        machine.offer(newest)
      case 3:
        // The encoder takes the frame, or is busy and skips the frame.
        produce()
        if encoding == nil { encoding = newest }
      case 4:
        guard let offer = encoding.take() else { return }
        if Bool.random(using: &random) {
          machine.offer(offer)
        } else {
          let isMemory = Bool.random(using: &random)
          machine.lose(offer.tally, isMemory ? DropCounts(outOfBuffers: 1) : DropCounts(discontinuity: 1))
        }
      case 5...7: read()
      case 8: acknowledge()
      default:
        machine.update(session: SessionStatus(Bool.random(using: &random) ? .running : .stopped))
      }
    }

    mutating func read() {
      guard case .deliver(.frame(let number, let counts, _)) = machine.next() else { return }
      delivered.append(number)
      dropped += counts
      if limit > 0 { onTheWay.append(number) }
      mostOnTheWay = max(mostOnTheWay, onTheWay.count)
    }

    mutating func acknowledge() {
      guard let number = onTheWay.randomElement(using: &random) else { return }
      machine.acknowledge(number % 7)
      // When frames share a sequence, the slot may take an acknowledgement for the older frame. The slot then has more
      // frames on the way than this account, never fewer.
      let upTo = onTheWay.firstIndex { $0 % 7 == number % 7 }!
      onTheWay.removeFirst(upTo + 1)
    }
  }

  /// After each step, delivered and dropped frames together are the frames produced for the reader. Frames come in
  /// order, each once, and no more of them are on the way than the reader allows.
  @Test(arguments: 0..<200 as Range<UInt64>) func everyFrameIsDeliveredOrCounted(seed: UInt64) {
    var world = World(seed: seed, queueDepths: [nil, 1, 2, 5])
    for _ in 0..<400 {
      world.step()
      #expect(UInt64(world.delivered.count) + world.dropped.total == world.produced, "seed \(seed)")
    }
    #expect(world.delivered == world.delivered.sorted(), "out of order, seed \(seed)")
    #expect(Set(world.delivered).count == world.delivered.count, "twice, seed \(seed)")
    #expect(world.mostOnTheWay <= world.limit || world.limit == 0, "seed \(seed)")
  }

  /// However the slot was used, a reader that reads and acknowledges everything ends with the newest frame.
  @Test(arguments: 0..<100 as Range<UInt64>) func aReaderThatReadsEverythingHasTheNewestFrame(seed: UInt64) {
    var world = World(seed: seed)
    for _ in 0..<Int(seed) * 3 { world.step() }
    world.produce()
    world.machine.offer(world.newest)
    for _ in 0..<4 {
      while let number = world.onTheWay.first {
        world.machine.acknowledge(number % 7)
        world.onTheWay.removeFirst()
      }
      world.read()
    }
    #expect(world.delivered.last == world.tally.received, "seed \(seed)")
  }
}
