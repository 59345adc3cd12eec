/// Samples of a run in their order: one a second at first, and fewer the longer it lasts, so that a night takes no more room than a minute.
package struct ReportTimeline: Codable, Sendable, Equatable {
    /// How many samples are kept.
    package static let maximum = 600

    /// The shortest time between two samples, in seconds.
    package private(set) var interval = 1.0

    package private(set) var samples: [ReportSample] = []

    package init() {}

    /// Takes down how far the run has come. May be called as often as one likes; what comes too soon after the last sample is joined to it.
    ///
    /// - Parameter time: seconds since the beginning; never less than the time before.
    /// - Parameter documents: all until now.
    /// - Parameter bytes: all until now.
    package mutating func add(time: Double, documents: Int, bytes: Int, activity: String, throttle: String? = nil) {
        let sample = ReportSample(time: time, documents: documents, bytes: bytes, rate: 0, activity: activity, throttle: throttle)
        if samples.count > 1, time - samples[samples.count - 2].time < interval {
            samples[samples.count - 1] = Self.joined(samples[samples.count - 1], sample)
        } else {
            if samples.count == Self.maximum { halve() }
            samples.append(sample)
        }
        setRate(at: samples.count - 1)
    }

    private mutating func halve() {
        interval *= 2
        samples =
            [samples[0]]
            + stride(from: 1, to: samples.count, by: 2).map { index in
                index + 1 < samples.count ? Self.joined(samples[index], samples[index + 1]) : samples[index]
            }
        for index in samples.indices { setRate(at: index) }
    }

    private mutating func setRate(at index: Int) {
        let (time, documents) = index > 0 ? (samples[index - 1].time, samples[index - 1].documents) : (0, 0)
        let seconds = samples[index].time - time
        samples[index].rate = seconds > 0 ? Double(samples[index].documents - documents) / seconds : 0
    }

    /// A reason for going slower is worth keeping, even if it held for a part of the time.
    private static func joined(_ first: ReportSample, _ second: ReportSample) -> ReportSample {
        var joined = second
        joined.throttle = second.throttle ?? first.throttle
        return joined
    }
}

/// How far a run had come at a moment.
package struct ReportSample: Codable, Sendable, Equatable {
    /// Seconds since the beginning, without the time between a stop and going on.
    package var time: Double

    /// Read until then.
    package var documents: Int

    /// Read until then.
    package var bytes: Int

    /// Documents a second since the sample before.
    package var rate: Double

    /// What was being done: `reading`, `writing`, `comparing`.
    package var activity: String

    /// Why it went slower than it could have, if it did.
    package var throttle: String?
}

extension ReportSample {
    /// Every key is there; what is not known is null.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(time, forKey: .time)
        try values.encode(documents, forKey: .documents)
        try values.encode(bytes, forKey: .bytes)
        try values.encode(rate, forKey: .rate)
        try values.encode(activity, forKey: .activity)
        try values.encode(throttle, forKey: .throttle)
    }
}
