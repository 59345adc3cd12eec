/// Samples of a run in order: one a second at first, and fewer as the run gets longer, so that memory stays bounded.
package struct ReportTimeline: Codable, Sendable, Equatable {
    /// Largest number of samples.
    package static let maximum = 600

    /// The shortest time between two samples, in seconds.
    package private(set) var interval = 1.0

    package private(set) var samples: [ReportSample] = []

    package init() {}

    /// Records the progress of the run. A call within ``interval`` of the last sample is merged into it.
    ///
    /// - Parameter time: Seconds since the beginning; must not decrease.
    /// - Parameter documents: Total up to this time.
    /// - Parameter bytes: Total up to this time.
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

    /// Preserves a throttle reason even if it applied for only a part of the period.
    private static func joined(_ first: ReportSample, _ second: ReportSample) -> ReportSample {
        var joined = second
        joined.throttle = second.throttle ?? first.throttle
        return joined
    }
}

/// Progress of a run at a point in time.
package struct ReportSample: Codable, Sendable, Equatable {
    /// Seconds since the beginning, without the time between interruptions and resumptions.
    package var time: Double

    /// Total of documents read.
    package var documents: Int

    /// Total of bytes read.
    package var bytes: Int

    /// Documents per second since the previous sample.
    package var rate: Double

    /// Current activity: `reading`, `writing`, `comparing`.
    package var activity: String

    /// Why the run was throttled, if it was.
    package var throttle: String?
}

extension ReportSample {
    /// Encodes every key; unknown values are null.
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
