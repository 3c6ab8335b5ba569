/// The number of events that an ``EventLog`` keeps, unless its creator asks for another number.
public enum EventLogCapacity { public static let standard = 1024 }
