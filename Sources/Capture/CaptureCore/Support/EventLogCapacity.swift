/// How many events a log keeps unless told otherwise.
public enum EventLogCapacity { public static let standard = 1024 }
