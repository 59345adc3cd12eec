/// How far a run had come at a moment.
public struct ReportSample: Codable, Sendable, Equatable {
    /// Seconds since the beginning, without the time between a stop and going on.
    public var time: Double

    /// Read until then.
    public var documents: Int

    /// Read until then.
    public var bytes: Int

    /// Documents a second since the sample before.
    public var rate: Double

    /// What was being done: `reading`, `writing`, `comparing`.
    public var activity: String

    /// Why it went slower than it could have, if it did.
    public var throttle: String?
}

extension ReportSample {
    /// Every key is there; what is not known is null.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(time, forKey: .time)
        try values.encode(documents, forKey: .documents)
        try values.encode(bytes, forKey: .bytes)
        try values.encode(rate, forKey: .rate)
        try values.encode(activity, forKey: .activity)
        try values.encode(throttle, forKey: .throttle)
    }
}
