import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import FrameDelivery

/// When an encoder must make a key frame.
@Suite struct KeyFrameScheduleTests {
  @Test func theFirstPictureAndRequestedOnesAreKeyFrames() {
    var schedule = KeyFrameSchedule()
    let first = schedule.forces(at: 5_000_000_000, streamID: 1, rate: nil)
    #expect(first)
    schedule.madeKeyFrame(at: 5_000_000_000, rate: nil)
    let quiet = schedule.forces(at: 7_000_000_000, streamID: 1, rate: nil)
    #expect(!quiet)
    schedule.request()
    let asked = schedule.forces(at: 7_000_000_000, streamID: 1, rate: nil)
    #expect(asked)
  }

  /// The rate may change while the key frame of the former rate is being encoded.
  @Test func aPictureOfAnotherRateIsAKeyFrame() {
    var schedule = KeyFrameSchedule()
    let rates: [Rational?] = [nil, Rational(60, 1), Rational(60, 1), Rational(15, 1), Rational(15, 1), nil]
    let forced = rates.enumerated().map { number, rate in
      let instant = MonotonicInstant.epoch + UInt64(number) * 40_000_000
      guard schedule.forces(at: instant, streamID: 1, rate: rate) else { return false }
      schedule.madeKeyFrame(at: instant, rate: rate)
      return true
    }
    #expect(forced == [true, true, false, true, false, true])
  }

  /// Key frames are large, so readers who ask all the time get those in store and then one a second.
  @Test func readersGetWhatIsInStoreAndThenOneKeyFrameASecond() {
    var schedule = KeyFrameSchedule()
    var made: [UInt64] = []
    for instant in stride(from: UInt64(0), to: 10_000_000_000, by: 40_000_000) {
      schedule.request()
      guard schedule.forces(at: .epoch + instant, streamID: 1, rate: nil) else { continue }
      schedule.madeKeyFrame(at: .epoch + instant, rate: nil)
      made.append(instant / 40_000_000)
    }
    #expect(made == [0, 1, 2, 3, 4] + (1..<10).map { 25 * $0 })
  }

  /// A key frame that no reader asked for takes nothing from the store.
  @Test func theStoreFillsUpWhileNobodyAsks() {
    var schedule = KeyFrameSchedule()
    func frames(from start: UInt64, asking: Bool) -> Int {
      (0..<50).count { number in
        if asking { schedule.request() }
        let instant = MonotonicInstant.epoch + (start + UInt64(number)) * 10_000_000
        guard schedule.forces(at: instant, streamID: 1, rate: nil) else { return false }
        schedule.madeKeyFrame(at: instant, rate: nil)
        return true
      }
    }
    #expect(frames(from: 0, asking: false) == 1, "the first picture")
    #expect(frames(from: 50, asking: true) == 5)
    #expect(frames(from: 100, asking: true) == 0)
    #expect(frames(from: 250, asking: true) == 2, "two seconds have passed since the store was empty")
    #expect(frames(from: 2000, asking: true) == 5, "a full store has five")
  }

  @Test func thereIsAKeyFrameEveryTenSecondsAndForEachStream() {
    var schedule = KeyFrameSchedule()
    var made: [UInt64] = []
    for second in UInt64(0)..<30 {
      let instant = MonotonicInstant.epoch + second * 1_000_000_000
      guard schedule.forces(at: instant, streamID: second < 25 ? 1 : 2, rate: nil) else { continue }
      schedule.madeKeyFrame(at: instant, rate: nil)
      made.append(second)
    }
    #expect(made == [0, 10, 20, 25])
  }
}

/// The slot of a reader of coded pictures, which need the pictures before them. An offer returns whether the reader
/// waits for a key frame.
@Suite struct LinkedSlotTests {
  typealias Machine = ReaderSlotStateMachineTests.Machine

  /// Offers the pictures of one encoder after the other.
  struct Coder {
    var tally = FrameTally()
    var link = FrameLink(chain: 1, number: 0, isKeyFrame: false)

    mutating func next(isKeyFrame: Bool = false, chain: UInt64? = nil) -> Machine.Offer {
      tally.add(missing: DropCounts(), startsStream: tally.received == 0)
      if let chain { link.chain = chain }
      link = FrameLink(chain: link.chain, number: link.number + 1, isKeyFrame: isKeyFrame)
      var offer = ReaderSlotStateMachineTests.offer(tally.received, tally)
      offer.link = link
      return offer
    }
  }

  var machine = ReaderSlotStateMachineTests.machine()
  var coder = Coder()

  /// A new reader cannot decode pictures before a key frame, so the offer says that the reader needs one.
  @Test mutating func nothingIsDeliveredBeforeAKeyFrame() {
    #expect(ReaderSlotStateMachineTests.drain(&machine).isEmpty)
    #expect(machine.offer(coder.next()) == true)
    #expect(machine.offer(coder.next()) == true)
    #expect(machine.offer(coder.next(isKeyFrame: true)) == false)
    #expect(machine.offer(coder.next()) == false)
    #expect(ReaderSlotStateMachineTests.drain(&machine).map(\.0) == [3, 4])
  }

  /// At most two coded pictures wait. When a third comes, the slot drops all three, because a picture after a dropped
  /// one cannot be decoded. The reader gets nothing until the next key frame.
  @Test mutating func aThirdWaitingPictureSkipsToTheNextKeyFrame() {
    machine.offer(coder.next(isKeyFrame: true))
    #expect(machine.offer(coder.next()) == false)
    #expect(machine.offer(coder.next()) == false, "there is no room, and the reader could take no key frame")
    #expect(ReaderSlotStateMachineTests.drain(&machine).isEmpty)
    #expect(machine.offer(coder.next()) == true, "the reader reads again and needs a key frame")
    #expect(machine.offer(coder.next(isKeyFrame: true)) == false)
    let frames = ReaderSlotStateMachineTests.drain(&machine)
    #expect(frames.map(\.0) == [5] && frames.map(\.1) == [DropCounts(late: 4)])
  }

  /// A key frame needs no picture before it, so the pictures that still wait count as late.
  @Test mutating func aKeyFrameReplacesTheWaitingPictures() {
    machine.offer(coder.next(isKeyFrame: true))
    #expect(ReaderSlotStateMachineTests.drain(&machine).map(\.0) == [1])
    machine.offer(coder.next())
    machine.offer(coder.next(isKeyFrame: true))
    machine.offer(coder.next())
    let frames = ReaderSlotStateMachineTests.drain(&machine)
    #expect(frames.map(\.0) == [3, 4] && frames.map(\.1.late) == [1, 0])
  }

  /// A picture cannot be decoded when the picture before is missing or comes from another encoder. The reader then
  /// needs a key frame.
  @Test mutating func aGapOrAnotherEncoderNeedsAKeyFrame() {
    machine.offer(coder.next(isKeyFrame: true))
    machine.offer(coder.next())
    #expect(ReaderSlotStateMachineTests.drain(&machine).count == 2)
    _ = coder.next()
    #expect(machine.offer(coder.next()) == true, "the picture before was lost")
    machine.offer(coder.next(isKeyFrame: true))
    #expect(machine.offer(coder.next(chain: 2)) == true, "the picture continues another encoder's")
    // The key frame before can be decoded and is delivered all the same.
    #expect(ReaderSlotStateMachineTests.drain(&machine).map(\.0) == [5])
  }

  /// A reader that does not wait for an event could not take a key frame, and would cost all other readers one key
  /// frame after the other.
  @Test mutating func onlyAReaderThatCanTakeAKeyFrameNeedsOne() {
    machine = ReaderSlotStateMachineTests.machine(maxUnacknowledged: 1)
    #expect(machine.offer(coder.next()) == false, "the reader has not read yet")
    #expect(ReaderSlotStateMachineTests.drain(&machine).isEmpty)
    #expect(machine.offer(coder.next()) == true)
    machine.offer(coder.next(isKeyFrame: true))
    #expect(ReaderSlotStateMachineTests.drain(&machine).map(\.0) == [3])
    for _ in 0..<4 { #expect(machine.offer(coder.next()) == false, "the reader has not acknowledged") }
    machine.acknowledge(3)
    #expect(machine.offer(coder.next()) == true)
    machine.offer(coder.next(isKeyFrame: true))
    let frames = ReaderSlotStateMachineTests.drain(&machine)
    #expect(frames.map(\.0) == [9] && frames.map(\.1) == [DropCounts(late: 5)])
  }

  /// A picture that is not due for this reader was made for another reader of the encoding. The slot delivers it all
  /// the same, because the next picture needs it.
  @Test mutating func aPictureThatIsNotDueIsPartOfTheChain() {
    machine.offer(coder.next(isKeyFrame: true))
    #expect(ReaderSlotStateMachineTests.drain(&machine).map(\.0) == [1])
    var between = coder.next()
    between.isDue = false
    #expect(machine.offer(between) == false)
    #expect(machine.offer(coder.next()) == false)
    #expect(ReaderSlotStateMachineTests.drain(&machine).map(\.0) == [2, 3])
  }
}

/// Previews in H.264: when readers get key frames, and which readers share an encoding.
@Suite(.timeLimit(.minutes(2))) struct PreviewH264Tests {
  /// A new reader need not wait for the next regular key frame, also shortly after another one. The readers before lose
  /// nothing.
  @Test func aNewReaderBeginsWithAKeyFrameOfItsOwn() async throws {
    let stage = try await PreviewStage()
    let first = try stage.output.attach(PreviewRequest(encoding: .h264))
    for sequence in UInt64(1)...30 {
      stage.capture(sequence)
      let picture = try await first.nextPicture()
      #expect(picture.sequence == sequence && picture.isKeyFrame == (sequence == 1))
    }
    let second = try stage.output.attach(PreviewRequest(encoding: .h264))
    stage.capture(31)
    for reader in [first, second] {
      let picture = try await reader.nextPicture()
      #expect(picture.sequence == 31 && picture.isKeyFrame && picture.dropped == DropCounts())
    }
    let third = try stage.output.attach(PreviewRequest(encoding: .h264))
    stage.capture(32)
    for reader in [first, second, third] {
      let picture = try await reader.nextPicture()
      #expect(picture.sequence == 32 && picture.isKeyFrame && picture.dropped == DropCounts())
    }
    #expect(stage.encoder.keyFrames.all == [1, 31, 32])
  }

  /// A reader that stopped reading asks for no key frame. When it reads again, it gets one, and other readers lose
  /// nothing.
  @Test func aReaderThatDoesNotReadCausesNoKeyFrames() async throws {
    let stage = try await PreviewStage()
    let first = try stage.output.attach(PreviewRequest(encoding: .h264))
    let stopped = try stage.output.attach(PreviewRequest(encoding: .h264))
    func capture(_ sequences: ClosedRange<UInt64>) async throws {
      for sequence in sequences {
        stage.capture(sequence)
        #expect(try await first.nextPicture().sequence == sequence)
      }
    }
    try await capture(1...100)
    #expect(stage.encoder.keyFrames.all == [1])
    let pictures = Recorder<PreviewPicture>()
    stopped.read(into: pictures)
    defer { stopped.detach() }
    // The stopped reader asks for a key frame with the next picture that it is offered, which may still be picture 100.
    // The key frame is the picture after that one.
    try await capture(101...102)
    let picture = try #require(try await pictures.wait(count: 1).first)
    #expect((101...102).contains(picture.sequence) && picture.isKeyFrame)
    #expect(picture.dropped == DropCounts(late: picture.sequence - 1))
    #expect(stage.encoder.keyFrames.all == [1, UInt8(picture.sequence)])
  }

  /// The newest frame is encoded at once for a new reader, although it is not due. The readers before get that picture
  /// too, because the next one needs it.
  @Test func aNewReaderDoesNotBreakTheChainOfTheOthers() async throws {
    let encoder = FakeEncoder(gated: true)
    let stage = try await PreviewStage(encoder: encoder)
    func attach() throws -> (PreviewReader, Recorder<PreviewPicture>) {
      let reader = try stage.output.attach(PreviewRequest(encoding: .h264, maxFrameRate: Rational(5, 1)))
      let pictures = Recorder<PreviewPicture>()
      reader.read(into: pictures)
      return (reader, pictures)
    }
    let (first, firstPictures) = try attach()
    stage.capture(1)
    _ = try await encoder.begun.wait(count: 1)
    // Frame 2 is not due, but is the newest frame when the second reader comes.
    stage.capture(2)
    let (second, secondPictures) = try attach()
    encoder.pass()
    _ = try await encoder.begun.wait(count: 2)
    for sequence in UInt64(3)...6 { stage.capture(sequence) }
    for _ in 0..<2 { encoder.pass() }
    for pictures in [firstPictures, secondPictures] {
      let read = try await pictures.wait { $0.last?.sequence == 6 }
      #expect(read.map(\.sequence) == [1, 2, 6] && read.map(\.isKeyFrame) == [true, false, false])
    }
    for reader in [first, second] { reader.detach() }
  }

  /// A coded picture needs the picture before, so readers of different rates cannot share an encoding.
  @Test func readersOfAnotherRateHaveAnEncodingOfTheirOwn() async throws {
    let stage = try await PreviewStage()
    let all = try stage.output.attach(PreviewRequest(encoding: .h264))
    let some = try stage.output.attach(PreviewRequest(encoding: .h264, maxFrameRate: Rational(5, 1)))
    for sequence in UInt64(1)...11 {
      stage.capture(sequence)
      #expect(try await all.nextPicture().dropped == DropCounts())
      guard sequence % 5 == 1 else { continue }
      let picture = try await some.nextPicture()
      #expect(picture.sequence == sequence && picture.isKeyFrame == (sequence == 1) && picture.dropped == DropCounts())
    }
  }
}

extension PreviewReader {
  /// Reads from now on until the reader is detached, and records the pictures.
  fileprivate func read(into pictures: Recorder<PreviewPicture>) {
    let ask = asking { [self] event in
      guard case .success(let event) = event else { return }
      if case .frame(let picture) = event { pictures.append(picture) }
      read(into: pictures)
    }
    ask()
  }
}
