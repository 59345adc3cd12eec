import BLIP
import ModernProtocol
package import Telemetry
package import Tracing

/// The tracing of a connection. Each message of the client has a span of its own trace, which is linked to the request that opened the
/// connection.
package struct ConnectionTrace: Sendable {
    private let tracer: BridgeTracer
    private let opening: ServiceContext?
    private let database: String

    /// - Parameters:
    ///   - opening: The context of the request that opens the connection.
    ///   - database: The name of the database.
    package init(_ tracer: BridgeTracer, opening: ServiceContext?, database: String) {
        self.tracer = tracer
        self.opening = opening
        self.database = database
    }

    /// Begins the span of a message.
    fileprivate func begin(_ request: BLIPMessage) -> BridgeSpan {
        let profile = request.profile.flatMap { Profile(rawValue: $0) }?.rawValue ?? "unknown"
        let span = tracer.begin(SpanName.message(profile), .server, below: .topLevel) {
            $0[SpanAttributeName.profile] = profile
            $0[SpanAttributeName.database] = database
            $0[SpanAttributeName.size] = request.body.count
        }
        if let opening { span.link(to: [opening]) }
        return span
    }
}

extension ModernSession {
    /// Routes a request within a span, which its reply ends. The jobs that it causes run in the span's context, except for a feed, which
    /// lasts longer.
    func route(_ request: BLIPMessage, _ trace: ConnectionTrace) throws {
        let (span, first) = (trace.begin(request), jobs.count)
        spans[request.number] = span
        try route(request)
        guard request.profile != Profile.subChanges.rawValue else { return }
        for index in first..<jobs.count {
            let job = jobs[index]
            jobs[index] = { session in
                await ServiceContext.withValue(span.context, isolation: session) { await job(session) }
            }
        }
    }

    /// Runs `work` in the context of a message, if that is traced and not yet replied to.
    func within(_ number: UInt64, _ work: () async -> Void) async {
        guard let span = spans[number] else { return await work() }
        await ServiceContext.withValue(span.context, isolation: self, operation: work)
    }

    /// Ends the spans of messages that get no reply, because the connection has ended.
    func endSpans() {
        for span in spans.values { span.end() }
        spans = [:]
    }
}
