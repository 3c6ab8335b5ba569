import CaptureCore
import CaptureTestKit
import SystemPressure
import Testing

/// The ladder of steps that sessions take under pressure: which steps each level asks for, and in which order.
@Suite struct AdaptationLadderTests {
  private func state(_ level: PressureLevel) -> PressureState {
    let heat = PressureCause(factor: .systemTemperature, level: level, source: "thermal_zone0")
    let load = PressureCause(factor: .cpuPressure, level: .fair, source: "host/cpu")
    return PressureState(
      causes: level > .nominal ? [heat, load] : [], readings: PressureReadings(), readTime: 0)
  }

  /// A worse level asks for all steps of the better levels, so a session never gives one step back to take another. The
  /// levels nominal and fair ask for no step.
  @Test func everyLevelAsksForAPrefixOfTheLadder() {
    let ladder = AdaptationLadder.standard
    #expect(ladder.demands(of: state(.nominal)).machine == PressureDemand())
    #expect(ladder.demands(of: state(.fair)).machine.steps.isEmpty)
    var former: [AdaptationStep] = []
    for level in PressureLevel.allCases {
      let steps = ladder.demands(of: state(level)).machine.steps
      #expect(steps == Array(ladder.steps.prefix(steps.count)))
      #expect(steps.count >= former.count)
      former = steps
    }
    #expect(former == ladder.steps)
  }

  /// Within a level, the steps that people notice least come first: first the preview, then the ring and the fused
  /// frames, and last the rate of the device. The standard ladder uses every kind of limit.
  @Test func stepsOfALevelGoFromThePreviewToTheDevice() {
    func place(_ limit: AdaptationStep.Limit) -> Int {
      switch limit {
      case .previewSide: 0
      case .previewQuality: 1
      case .previewRate: 2
      case .ringWindow: 3
      case .fusedFrames: 4
      case .deviceRate: 5
      }
    }
    for level in PressureLevel.allCases {
      let places = AdaptationLadder.standard.steps.filter { $0.level == level }.map { place($0.limit) }
      #expect(places == places.sorted())
    }
    #expect(Set(AdaptationLadder.standard.steps.map { place($0.limit) }) == [0, 1, 2, 3, 4, 5])
  }

  /// A demand names only the causes that are as bad as its level, and leaves out milder causes.
  @Test func aDemandNamesTheCausesAtItsLevel() {
    let demand = AdaptationLadder.standard.demands(of: state(.critical)).machine
    #expect(demand.level == .critical)
    #expect(demand.causes.map(\.source) == ["thermal_zone0"])
  }

  /// The ladder sorts the steps by level and keeps their order within a level.
  @Test func stepsAreOrderedByTheirLevels() {
    let late = AdaptationStep(.previewQuality(20), from: .critical)
    let early = AdaptationStep(.previewSide(640), from: .serious)
    let other = AdaptationStep(.previewQuality(50), from: .serious)
    #expect(AdaptationLadder([late, early, other]).steps == [early, other, late])
  }
}
