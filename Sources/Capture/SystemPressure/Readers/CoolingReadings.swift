/// What the kernel cools with and what that costs.
public struct CoolingReadings: Hashable, Sendable {
  var devices: [CoolingDevice] = []
  var frequencyLimits: [FrequencyLimit] = []
  var throttleCounters: [ThrottleCounter] = []
  /// Folders that could not be read.
  var faults: [String] = []
}
