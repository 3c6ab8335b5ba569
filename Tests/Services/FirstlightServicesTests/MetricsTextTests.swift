import Testing

@testable import FirstlightServices

/// The metrics page has the text format that Prometheus reads.
@Suite struct MetricsTextTests {
  /// A metric has a line with its help, a line with its type, and a line for each value with its labels.
  @Test func metricHasHelpTypeAndValues() {
    var page = MetricsText()
    page.add(
      "heat_celsius", .gauge, "How hot.",
      [MetricSample(36.5, ["zone": "a", "type": "cpu"]), MetricSample(-3, ["zone": "b", "type": ""])])
    page.add("frames_total", .counter, "Frames.", 3)
    #expect(
      page.text == """
        # HELP heat_celsius How hot.
        # TYPE heat_celsius gauge
        heat_celsius{zone="a",type="cpu"} 36.5
        heat_celsius{zone="b",type=""} -3
        # HELP frames_total Frames.
        # TYPE frames_total counter
        frames_total 3

        """)
  }

  /// Each bucket of a histogram also counts the values of the smaller buckets, as Prometheus expects, followed by the
  /// sum and the number of values.
  @Test("D7: a histogram's buckets are cumulative") func histogramBucketsAreCumulative() {
    var page = MetricsText()
    page.add(
      "wait_seconds", "How long.", [0.5, 1],
      [HistogramSample([1, 0, 2], sum: 7.25, ["a": "b"]), HistogramSample([0, 0, 0], sum: 0)])
    #expect(
      page.text == """
        # HELP wait_seconds How long.
        # TYPE wait_seconds histogram
        wait_seconds_bucket{a="b",le="0.5"} 1
        wait_seconds_bucket{a="b",le="1"} 1
        wait_seconds_bucket{a="b",le="+Inf"} 3
        wait_seconds_sum{a="b"} 7.25
        wait_seconds_count{a="b"} 3
        wait_seconds_bucket{le="0.5"} 0
        wait_seconds_bucket{le="1"} 0
        wait_seconds_bucket{le="+Inf"} 0
        wait_seconds_sum 0
        wait_seconds_count 0

        """)
  }

  /// A metric without any value does not appear on the page.
  @Test func metricsWithoutValuesAreLeftOut() {
    var page = MetricsText()
    page.add("nothing", .gauge, "None.", [])
    page.add("nobody", .gauge, "None.", nil as Int?)
    page.add("nowhere", .gauge, "None.", nil as Double?)
    #expect(page.text.isEmpty)
  }

  /// Characters that would end a label or a line are escaped in texts, because firmware and drivers choose the names of
  /// sensors.
  @Test func specialCharactersAreEscaped() {
    var page = MetricsText()
    page.add("a", .gauge, "a\\b\nc \"d\"", [MetricSample(1, ["l": "x\\y\"z\"\r\nü"])])
    #expect(
      page.text == "# HELP a a\\\\b\\nc \"d\"\n# TYPE a gauge\na{l=\"x\\\\y\\\"z\\\"\r\\nü\"} 1\n")
  }

  /// Numbers are written in the form that Prometheus reads, also infinite ones and those that are not a number.
  @Test(arguments: [
    (0.0, "0"), (-1.5, "-1.5"), (1e15, "1000000000000000"), (1e300, "1e+300"), (.nan, "NaN"), (.infinity, "+Inf"),
    (-.infinity, "-Inf"), (Double(UInt64.max), "1.8446744073709552e+19"),
  ])
  func numbersHavePrometheusFormat(value: Double, text: String) {
    var page = MetricsText()
    page.add("a", .gauge, "", value)
    #expect(page.text.hasSuffix("\na \(text)\n"))
  }
}
