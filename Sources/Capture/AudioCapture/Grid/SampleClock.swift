internal import SystemClocks

/// Tells when each sample of a sound card was captured, and by how much the card's clock drifts from the monotonic one.
/// A value.
///
/// The clock is told pairs of an instant and the number of samples that the card had captured by then. Single pairs are
/// wrong by up to some milliseconds, because an interrupt came late or because a card counts samples in packets. A
/// Kalman filter of two states, the offset and the rate, weighs each pair by how much it can be trusted: in the first
/// second the estimate is that of a straight line through all pairs, and later it follows the slow changes of a card
/// that warms up.
struct SampleClock: Hashable, Sendable {
  /// The rate of which a card is expected to be at the beginning, as a standard deviation: some hundred millionths.
  private static let expectedRate = 500e-6
  /// By how much the rate of a card may change in a second, as a standard deviation.
  private static let wander = 0.1e-6
  /// No card is believed to be further off than this.
  private static let largestRate = 25_000e-6
  /// The least error of a pair that is assumed, in nanoseconds.
  private static let leastError = 5_000.0
  /// The drift is known when its standard deviation is below this.
  private static let knownRate = 10e-6
  /// For how many nanoseconds the clock must have listened before it tells the drift.
  private static let listening = 2e9

  private let period: Double
  private struct Pair: Hashable {
    var time: MonotonicInstant
    var position: UInt64
  }
  /// The first pair. All other times count from here, so that a `Double` holds them exactly enough for years.
  private var origin: Pair?

  /// How much later than by the nominal rate the newest sample was captured, in nanoseconds.
  private var offset = 0.0
  /// How much longer a sample takes than by the nominal rate, as a part of its duration.
  private var rate = 0.0
  private var offsetVariance = 0.0
  private var covariance = 0.0
  private var rateVariance = SampleClock.expectedRate * SampleClock.expectedRate
  /// The nominal time of the newest pair, in nanoseconds after the origin.
  private var newest = 0.0
  /// The usual error of a pair, in nanoseconds.
  private var error = 200_000.0
  /// The mean of the latest surprises in units of the usual error. It stays near 0 unless the card changed its rate.
  private var trend = 0.0
  /// For how many nanoseconds clocks listened to the same card before.
  private var listened = 0.0
  /// The number of pairs that the clock was told.
  private(set) var count = 0

  /// - Parameters:
  ///   - sampleRate: the nominal rate in Hz.
  ///   - former: the clock of the same card before an interruption, whose rate is taken over; nil for none.
  init(sampleRate: Int, continuing former: SampleClock? = nil) {
    period = 1e9 / Double(sampleRate)
    if let former, former.count > 0 {
      rate = former.rate
      // The card may have changed a little meanwhile.
      rateVariance = former.rateVariance + 1e-12
      error = former.error
      listened = former.listened + former.newest
    }
  }

  /// Takes a pair: at `time`, the card had captured `position` samples. Positions do not fall.
  mutating func note(time: MonotonicInstant, position: UInt64) {
    guard let origin else {
      origin = Pair(time: time, position: position)
      offsetVariance = error * error
      count = 1
      return
    }
    let nominal = Double(position - origin.position) * period
    let elapsed = nominal - newest
    // The same pair comes twice when a reader takes in two parts what one interrupt told.
    guard elapsed > 0 else { return }
    newest = nominal
    count += 1

    // Predict.
    let q = Self.wander * Self.wander * elapsed * 1e-9
    offset += rate * elapsed
    offsetVariance += 2 * elapsed * covariance + elapsed * elapsed * rateVariance
    covariance += elapsed * rateVariance
    rateVariance += q

    // Correct. A pair that is far off counts no more than one that is three usual errors off.
    let measured = Double(time.signedNanoseconds(since: origin.time)) - nominal
    let expected = (offsetVariance + error * error).squareRoot()
    let surprise = min(max(measured - offset, -3 * expected), 3 * expected)
    let scale = 1 / (expected * expected)
    let (offsetGain, rateGain) = (offsetVariance * scale, covariance * scale)
    offset += offsetGain * surprise
    rate = min(max(rate + rateGain * surprise, -Self.largestRate), Self.largestRate)
    rateVariance = max(rateVariance - rateGain * covariance, 1e-18)
    covariance -= offsetGain * covariance
    offsetVariance -= offsetGain * offsetVariance

    adjust(to: surprise, expected)
  }

  /// Learns how large errors usually are, and notices that the card has another rate than before.
  private mutating func adjust(to surprise: Double, _ expected: Double) {
    // While the estimate itself is uncertain, a surprise says little about the error of a pair.
    if offsetVariance < error * error {
      error = max(Self.leastError, error + 0.02 * (1.25 * abs(surprise) - error))
    }
    trend += 0.05 * (surprise / expected - trend)
    // Independent errors have a trend of 0.16 as their standard deviation.
    if abs(trend) > 0.8 {
      trend = 0
      rateVariance = max(rateVariance, 100e-6 * 100e-6)
      offsetVariance = max(offsetVariance, 4 * error * error)
      covariance = 0
    }
  }

  /// The instant at which the sample `position` was captured; nil before the first pair.
  func time(of position: Double) -> MonotonicInstant? {
    guard let origin else { return nil }
    let nominal = (position - Double(origin.position)) * period
    let after = nominal + offset + rate * (nominal - newest)
    return after >= 0 ? origin.time + UInt64(after) : origin.time - UInt64(-after)
  }

  /// The sample that was captured at `time`, with its fraction; nil before the first pair.
  func position(at time: MonotonicInstant) -> Double? {
    guard let origin else { return nil }
    // Solves time = nominal + offset + rate * (nominal - newest) for the nominal time.
    let nominal = (Double(time.signedNanoseconds(since: origin.time)) - offset + rate * newest) / (1 + rate)
    return Double(origin.position) + nominal / period
  }

  /// How many samples the card captures while it should capture one.
  var samplesPerSample: Double { 1 / (1 + rate) }

  /// By how many millionths the card is faster than the monotonic clock; nil until this is known.
  var drift: Double? {
    let isKnown = listened + newest >= Self.listening && rateVariance.squareRoot() < Self.knownRate
    return isKnown ? (samplesPerSample - 1) * 1e6 : nil
  }
}
