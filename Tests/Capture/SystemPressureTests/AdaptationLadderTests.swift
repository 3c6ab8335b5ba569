import CaptureCore
import CaptureTestKit
import SystemPressure
import Testing

@Suite struct AdaptationLadderTests {
  private func state(_ level: PressureLevel) -> PressureState {
    let heat = PressureCause(factor: .systemTemperature, level: level, source: "thermal_zone0")
    let load = PressureCause(factor: .cpuPressure, level: .fair, source: "host/cpu")
    return PressureState(
      causes: level > .nominal ? [heat, load] : [], readings: PressureReadings(), readTime: 0)
  }

  @Test func everyLevelAsksForABeginningOfTheLadder() {
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

  @Test func theLadderGoesFromThePreviewToTheDevice() {
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

  @Test func aDemandNamesWhatIsAtItsLevel() {
    let demand = AdaptationLadder.standard.demands(of: state(.critical)).machine
    #expect(demand.level == .critical)
    #expect(demand.causes.map(\.source) == ["thermal_zone0"])
  }

  @Test func stepsAreOrderedByTheirLevels() {
    let late = AdaptationStep(.previewQuality(20), from: .critical)
    let early = AdaptationStep(.previewSide(640), from: .serious)
    let other = AdaptationStep(.previewQuality(50), from: .serious)
    #expect(AdaptationLadder([late, early, other]).steps == [early, other, late])
  }
}
