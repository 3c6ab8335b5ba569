import Testing

@testable import MetricsTransport

@Suite struct MetricsTextTests {
  @Test func aMetricHasItsHelpItsTypeAndItsValues() {
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

  @Test("D7: a histogram's buckets add up") func aHistogramAddsUp() {
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

  @Test func whatIsNotThereIsNotTold() {
    var page = MetricsText()
    page.add("nothing", .gauge, "None.", [])
    page.add("nobody", .gauge, "None.", nil as Int?)
    page.add("nowhere", .gauge, "None.", nil as Double?)
    #expect(page.text.isEmpty)
  }

  /// What firmware and drivers name their sensors is theirs to choose.
  @Test func whatWouldEndALabelOrALineIsEscaped() {
    var page = MetricsText()
    page.add("a", .gauge, "a\\b\nc \"d\"", [MetricSample(1, ["l": "x\\y\"z\"\r\nü"])])
    #expect(
      page.text == "# HELP a a\\\\b\\nc \"d\"\n# TYPE a gauge\na{l=\"x\\\\y\\\"z\\\"\r\\nü\"} 1\n")
  }

  @Test(arguments: [
    (0.0, "0"), (-1.5, "-1.5"), (1e15, "1000000000000000"), (1e300, "1e+300"), (.nan, "NaN"), (.infinity, "+Inf"),
    (-.infinity, "-Inf"), (Double(UInt64.max), "1.8446744073709552e+19"),
  ])
  func numbersAreAsPrometheusReadsThem(value: Double, text: String) {
    var page = MetricsText()
    page.add("a", .gauge, "", value)
    #expect(page.text.hasSuffix("\na \(text)\n"))
  }
}

@Suite struct MetricsAddressTests {
  @Test(arguments: [
    ("127.0.0.1:9464", "127.0.0.1", 9464), ("[::1]:0", "::1", 0), ("localhost:65535", "localhost", 65535),
  ])
  func isAHostAndAPort(text: String, host: String, port: Int) {
    let address = MetricsAddress(text)
    #expect(address?.host == host)
    #expect(address?.port == port)
    #expect(address?.description == text)
  }

  @Test(arguments: ["", ":", "9464", ":9464", "a:", "a:b", "a:65536", "a:-1", "::1:9464", "[]:1", "unix:/tmp/a"])
  func isNothingElse(text: String) { #expect(MetricsAddress(text) == nil) }
}
