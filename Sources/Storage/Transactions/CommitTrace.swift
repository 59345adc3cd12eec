import Telemetry
package import Tracing

/// The span of a commit. The first traced caller's span is its parent; those of the others are links, because a span has one parent.
package struct CommitTrace {
    private let tracer: BridgeTracer
    private let callers: [ServiceContext]
    private let jobs: Int

    /// - Parameters:
    ///   - callers: The contexts of the callers that are traced.
    ///   - jobs: The number of all callers.
    /// - Returns: `nil` if no caller is traced.
    package init?(of callers: [ServiceContext], jobs: Int) {
        guard let first = callers.first, let tracer = BridgeTracer(of: first) else { return nil }
        self.tracer = tracer
        self.callers = callers
        self.jobs = jobs
    }

    /// Records the span of a commit that has ended.
    package func record(since start: ContinuousClock.Instant, isFailed: Bool = false) {
        let span = tracer.begin(SpanName.commit, below: callers[0], before: .now - start) { attributes in
            attributes[SpanAttributeName.jobs] = jobs
            attributes[SpanAttributeName.tracedJobs] = callers.count
        }
        span.link(to: callers.dropFirst())
        if isFailed { span.fail() }
        span.end()
    }
}
