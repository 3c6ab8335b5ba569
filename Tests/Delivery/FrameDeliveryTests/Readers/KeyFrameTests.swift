import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import FrameDelivery

@Suite struct KeyFrameScheduleTests {
  @Test func theFirstAndThenOnlyWhenAskedFor() {
    var schedule = KeyFrameSchedule()
    let first = schedule.forces(at: 5_000_000_000, streamID: 1)
    #expect(first)
    schedule.madeKeyFrame(at: 5_000_000_000)
    let quiet = schedule.forces(at: 7_000_000_000, streamID: 1)
    #expect(!quiet)
    schedule.request()
    let asked = schedule.forces(at: 7_000_000_000, streamID: 1)
    #expect(asked)
  }

  @Test func atMostOneASecond() {
    var schedule = KeyFrameSchedule()
    var made: [UInt64] = []
    for instant in stride(from: UInt64(0), to: 5_000_000_000, by: 40_000_000) {
      schedule.request()
      guard schedule.forces(at: .epoch + instant, streamID: 1) else { continue }
      schedule.madeKeyFrame(at: .epoch + instant)
      made.append(instant)
    }
    #expect(made.count == 5 && zip(made, made.dropFirst()).allSatisfy { $1 - $0 >= 1_000_000_000 })
  }

  @Test func oneEveryTenSecondsAndOneForEachStream() {
    var schedule = KeyFrameSchedule()
    var made: [UInt64] = []
    for second in UInt64(0)..<30 {
      guard schedule.forces(at: .epoch + second * 1_000_000_000, streamID: second < 25 ? 1 : 2) else { continue }
      schedule.madeKeyFrame(at: .epoch + second * 1_000_000_000)
      made.append(second)
    }
    #expect(made == [0, 10, 20, 25])
  }
}

/// The slot of a reader of coded pictures.
@Suite struct LinkedSlotTests {
  typealias Machine = ReaderSlotStateMachineTests.Machine

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

  @Test mutating func nothingBeforeAKeyFrame() {
    #expect(ReaderSlotStateMachineTests.drain(&machine).isEmpty)
    #expect(machine.offer(coder.next()) == true)
    #expect(machine.offer(coder.next()) == true)
    #expect(machine.offer(coder.next(isKeyFrame: true)) == false)
    #expect(machine.offer(coder.next()) == false)
    #expect(ReaderSlotStateMachineTests.drain(&machine).map(\.0) == [3, 4])
  }

  @Test mutating func twoWaitAndTheThirdSkipsToTheNextKeyFrame() {
    machine.offer(coder.next(isKeyFrame: true))
    #expect(machine.offer(coder.next()) == false)
    #expect(machine.offer(coder.next()) == false, "no room, and nobody who could take a key frame")
    #expect(ReaderSlotStateMachineTests.drain(&machine).isEmpty)
    #expect(machine.offer(coder.next()) == true, "it reads again: a key frame is needed")
    #expect(machine.offer(coder.next(isKeyFrame: true)) == false)
    let frames = ReaderSlotStateMachineTests.drain(&machine)
    #expect(frames.map(\.0) == [5] && frames.map(\.1) == [DropCounts(late: 4)])
  }

  @Test mutating func aKeyFrameReplacesWhatWaits() {
    machine.offer(coder.next(isKeyFrame: true))
    #expect(ReaderSlotStateMachineTests.drain(&machine).map(\.0) == [1])
    machine.offer(coder.next())
    machine.offer(coder.next(isKeyFrame: true))
    machine.offer(coder.next())
    let frames = ReaderSlotStateMachineTests.drain(&machine)
    #expect(frames.map(\.0) == [3, 4] && frames.map(\.1.late) == [1, 0])
  }

  @Test mutating func aGapOrAnotherEncoderNeedsAKeyFrame() {
    machine.offer(coder.next(isKeyFrame: true))
    machine.offer(coder.next())
    #expect(ReaderSlotStateMachineTests.drain(&machine).count == 2)
    _ = coder.next()
    #expect(machine.offer(coder.next()) == true, "the one between was lost")
    machine.offer(coder.next(isKeyFrame: true))
    #expect(machine.offer(coder.next(chain: 2)) == true, "it continues another")
    // What was decodable before is delivered all the same.
    #expect(ReaderSlotStateMachineTests.drain(&machine).map(\.0) == [5])
  }

  @Test mutating func onlyWhoCouldTakeAKeyFrameNeedsOne() {
    machine = ReaderSlotStateMachineTests.machine(maxUnacknowledged: 1)
    #expect(machine.offer(coder.next()) == false, "it has not read yet")
    #expect(ReaderSlotStateMachineTests.drain(&machine).isEmpty)
    #expect(machine.offer(coder.next()) == true)
    machine.offer(coder.next(isKeyFrame: true))
    #expect(ReaderSlotStateMachineTests.drain(&machine).map(\.0) == [3])
    for _ in 0..<4 { #expect(machine.offer(coder.next()) == false, "it waits, but has not acknowledged") }
    machine.acknowledge(3)
    #expect(machine.offer(coder.next()) == true)
    machine.offer(coder.next(isKeyFrame: true))
    let frames = ReaderSlotStateMachineTests.drain(&machine)
    #expect(frames.map(\.0) == [9] && frames.map(\.1) == [DropCounts(late: 5)])
  }

  /// Another reader of the encoding asked for it: all of them need it for what comes next.
  @Test mutating func aPictureOutOfTurnIsPartOfTheChain() {
    machine.offer(coder.next(isKeyFrame: true))
    #expect(ReaderSlotStateMachineTests.drain(&machine).map(\.0) == [1])
    var between = coder.next()
    between.isDue = false
    #expect(machine.offer(between) == false)
    #expect(machine.offer(coder.next()) == false)
    #expect(ReaderSlotStateMachineTests.drain(&machine).map(\.0) == [2, 3])
  }
}

@Suite(.timeLimit(.minutes(2))) struct PreviewH264Tests {
  @Test func aNewReaderBeginsWithAKeyFrameOfItsOwn() async throws {
    let stage = try await PreviewStage()
    let first = try stage.output.attach(PreviewRequest(encoding: .h264))
    for sequence in UInt64(1)...30 {
      stage.capture(sequence)
      let picture = try await first.nextPicture()
      #expect(picture.sequence == sequence && picture.isKeyFrame == (sequence == 1))
    }
    // Frames come every 40 ms: a second after the first is over.
    let second = try stage.output.attach(PreviewRequest(encoding: .h264))
    stage.capture(31)
    for reader in [first, second] {
      let picture = try await reader.nextPicture()
      #expect(picture.sequence == 31 && picture.isKeyFrame && picture.dropped == DropCounts())
    }
    // And this one has to wait for the second's end.
    let third = try stage.output.attach(PreviewRequest(encoding: .h264))
    for sequence in UInt64(32)...56 {
      stage.capture(sequence)
      #expect(try await first.nextPicture().sequence == sequence)
      _ = try await second.nextPicture()
    }
    let late = try await third.nextPicture()
    #expect(late.sequence == 56 && late.isKeyFrame)
    #expect(stage.encoder.keyFrames.all == [1, 31, 56])
  }

  @Test func whoDoesNotReadCostsNobodyAKeyFrame() async throws {
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
    // It asks with the next picture it is offered, which may still be 100, and gets the one after that.
    try await capture(101...102)
    let picture = try #require(try await pictures.wait(count: 1).first)
    #expect((101...102).contains(picture.sequence) && picture.isKeyFrame)
    #expect(picture.dropped == DropCounts(late: picture.sequence - 1))
    #expect(stage.encoder.keyFrames.all == [1, UInt8(picture.sequence)])
  }

  @Test func aReaderThatComesBeforeTheFirstPictureBreaksNoChain() async throws {
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
    // Not due, but the newest there is for the second.
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
  /// Reads from now on, until it is detached.
  fileprivate func read(into pictures: Recorder<PreviewPicture>) {
    let ask = asking { [self] event in
      guard case .success(let event) = event else { return }
      if case .frame(let picture) = event { pictures.append(picture) }
      read(into: pictures)
    }
    ask()
  }
}
