import CaptureCore
import Testing

@testable import FrameDelivery

/// How the readers of one picture share an object that was made of the picture, for example a message.
struct PictureMemoTests {
  private final class Number: Sendable {
    let value: Int
    init(_ value: Int) { self.value = value }
  }
  private final class Text: Sendable {}

  /// Only the counts of lost and of omitted frames differ between the readers of a picture.
  @Test func readersWithTheSameCountsShareOneValue() {
    let memo = PictureMemo()
    var made = 0
    func value(_ dropped: DropCounts, omitted: UInt64 = 0) -> Int {
      memo.value(dropped: dropped, omitted: omitted) {
        made += 1
        return Number(made)
      }.value
    }
    #expect(value(DropCounts()) == 1)
    #expect(value(DropCounts(late: 2)) == 2)
    #expect(value(DropCounts(), omitted: 1) == 3)
    #expect(value(DropCounts()) == 1)
    #expect(made == 3)
  }

  /// Readers by gRPC and by HTTP make different values of one picture.
  @Test func readersShareOneValueOfEachType() {
    let memo = PictureMemo()
    #expect(memo.value(dropped: DropCounts()) { Number(1) }.value == 1)
    let text = Text()
    #expect(memo.value(dropped: DropCounts()) { text } === text)
    #expect(memo.value(dropped: DropCounts()) { Number(2) }.value == 1)
    #expect(memo.value(dropped: DropCounts()) { Text() } === text)
  }

  /// An error is not remembered, so the next reader tries again.
  @Test func aValueThatFailedIsMadeAgain() throws {
    let memo = PictureMemo()
    #expect(throws: CancellationError.self) {
      try memo.value(dropped: DropCounts()) { () throws -> Text in throw CancellationError() }
    }
    #expect(memo.value(dropped: DropCounts()) { Number(1) }.value == 1)
    #expect(memo.value(dropped: DropCounts()) { Number(2) }.value == 1)
  }

  /// Each picture has a memo of its own.
  @Test func readersOfOneEncodingShareAMemo() async throws {
    let stage = try await PreviewStage()
    let (one, other) = (try stage.output.attach(PreviewRequest()), try stage.output.attach(PreviewRequest()))
    _ = try await (one.nextStatus(), other.nextStatus())
    stage.capture(1)
    let (first, second) = (try await one.nextPicture(), try await other.nextPicture())
    #expect(first.memo != nil && first.memo === second.memo)
    stage.capture(2)
    #expect(try await one.nextPicture().memo !== first.memo)
  }

  /// A memo for a single reader would only cost memory and time.
  @Test func aSingleReaderHasNoMemo() async throws {
    let stage = try await PreviewStage()
    let reader = try stage.output.attach(PreviewRequest())
    _ = try await reader.nextStatus()
    stage.capture(1)
    let memo = try await reader.nextPicture().memo
    #expect(memo == nil)
    let (first, second) = (memo.value(dropped: DropCounts()) { Text() }, memo.value(dropped: DropCounts()) { Text() })
    #expect(first !== second)
  }

  /// A reader that gives up a wait gets the next frame with its next call.
  @Test func abandoningAWaitLosesNoFrame() async throws {
    let stage = try await PreviewStage()
    let reader = try stage.output.attach(PreviewRequest())
    _ = try await reader.nextStatus()
    await #expect(throws: CancellationError.self) {
      try await withCheckedThrowingContinuation { waiting in
        let ask = reader.asking { waiting.resume(with: $0) }
        ask()
        reader.abandonNext()
      }
    }
    stage.capture(1)
    try await reader.expectPicture(1)
  }
}
