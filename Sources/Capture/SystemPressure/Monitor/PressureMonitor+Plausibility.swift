internal import Logging
internal import SystemClocks

extension PressureMonitor.State {
  /// Takes the next readings: marks those that are not plausible, and lets the model judge all.
  mutating func take(_ readings: PressureReadings) {
    let checked = check.check(readings, after: measured.readings, camerasAreNew: camerasRead != camerasTold)
    camerasRead = camerasTold
    measured = model.update(checked, now: .now(), wallTime: .now())
  }
}

extension PressureMonitor {
  /// Tells the operator on what the monitor does not act, and why.
  func tellOperator(_ findings: [PlausibilityCheck.Finding]) {
    for finding in findings {
      logger.warning(
        "the daemon does not act on a reading or a limit, because it is not plausible",
        metadata: ["source": "\(finding.source)", "reason": "\(finding.text)"])
    }
  }
}
