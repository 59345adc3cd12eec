extension AccessClock {
    /// Whole seconds since 1970, as tokens and certificates count.
    public var seconds: Int64 { now() / 1000 }

    /// Whole seconds since the start.
    package var uptimeSeconds: Int64 { uptime() / 1000 }
}
