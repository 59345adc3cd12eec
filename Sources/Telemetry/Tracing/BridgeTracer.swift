package import Tracing

/// Makes the spans of a bridge. Where the process has no tracer, a call costs a comparison, and no attribute is computed.
///
/// The tracer travels in the context of its spans, so that code below a span needs no parameter for it.
package struct BridgeTracer: Sendable {
    private enum Key: ServiceContextKey {
        typealias Value = BridgeTracer
    }

    private let tracer: any Tracer

    /// Reads and writes the headers of requests.
    private let instrument: any Instrument

    /// The tracer of the process, which is looked up once. A program bootstraps it before its first bridge.
    package static let process = BridgeTracer(InstrumentationSystem.tracer, InstrumentationSystem.instrument)

    /// The tracer of the present span, or of the process; `nil` for none.
    package static var current: BridgeTracer? { ServiceContext.current?[Key.self] ?? process }

    /// The context of the present span of a bridge; `nil` without one.
    package static var spanContext: ServiceContext? {
        guard let context = ServiceContext.current, context[Key.self] != nil else { return nil }
        return context
    }

    /// Runs `work` without the present span. For work that starts tasks that outlast the span.
    package static func withoutSpan<Value>(
        isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Value
    ) async rethrows -> Value {
        guard ServiceContext.current != nil else { return try await work() }
        return try await ServiceContext.$current.withValue(nil, operation: work, isolation: isolation)
    }

    /// - Parameter instrument: reads and writes the headers of requests; the tracer itself by default.
    /// - Returns: `nil` for a tracer that does nothing.
    package init?(_ tracer: any Tracer, _ instrument: (any Instrument)? = nil) {
        guard !(tracer is NoOpTracer) else { return nil }
        self.tracer = tracer
        self.instrument = instrument ?? tracer
    }

    /// The tracer that has made the span of a context; `nil` for a context without one.
    package init?(of context: ServiceContext) {
        guard let tracer = context[Key.self] else { return nil }
        self = tracer
    }

    /// Begins a span, which has to be ended.
    ///
    /// - Parameters:
    ///   - parent: the context of the span above it; `topLevel` for a span of its own.
    ///   - elapsed: how long ago it has begun.
    ///   - describe: sets attributes. Not called for a span that is not recorded.
    package func begin(
        _ name: String, _ kind: SpanKind = .internal, below parent: ServiceContext = .current ?? .topLevel,
        before elapsed: Duration = .zero,
        _ describe: (inout SpanAttributes) -> Void = { _ in }
    ) -> BridgeSpan {
        let now = DefaultTracerClock.now.nanosecondsSinceEpoch, ago = UInt64(max(0, elapsed / .nanoseconds(1)))
        let start = DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: now - min(now, ago))
        let span = tracer.startSpan(name, context: parent, ofKind: kind, at: start)
        if span.isRecording { span.updateAttributes(describe) }
        var context = span.context
        context[Key.self] = self
        return BridgeSpan(span: span, context: context)
    }

    /// Runs `work` within a span.
    package func withSpan<Value>(
        _ name: String, _ kind: SpanKind = .internal, below parent: ServiceContext = .current ?? .topLevel,
        isolation: isolated (any Actor)? = #isolation, describing describe: (inout SpanAttributes) -> Void = { _ in },
        _ work: () async throws -> Value
    ) async rethrows -> Value {
        let span = begin(name, kind, below: parent, describe)
        do {
            let value = try await ServiceContext.withValue(span.context, isolation: isolation, operation: work)
            span.end()
            return value
        } catch {
            span.end(error)
            throw error
        }
    }

    /// The context that the sender of a request has given.
    package func context<Carrier, Reader: Extractor>(of carrier: Carrier, _ reader: Reader) -> ServiceContext
    where Reader.Carrier == Carrier {
        var context = ServiceContext.topLevel
        instrument.extract(carrier, into: &context, using: reader)
        return context
    }

    /// Adds the present span's context to a request; nothing without a span.
    package static func inject<Carrier, Writer: Injector>(into carrier: inout Carrier, _ writer: Writer) where Writer.Carrier == Carrier {
        guard let context = ServiceContext.current, let tracer = BridgeTracer(of: context) else { return }
        tracer.instrument.inject(context, into: &carrier, using: writer)
    }
}

/// A span that has begun.
package struct BridgeSpan: Sendable {
    fileprivate let span: any Span

    /// The context for work below the span.
    package let context: ServiceContext

    /// Sets attributes that become known during the span.
    package func describe(_ describe: (inout SpanAttributes) -> Void) {
        if span.isRecording { span.updateAttributes(describe) }
    }

    /// Adds links to spans of other traces.
    package func link(to others: some Sequence<ServiceContext>) {
        for other in others { span.addLink(SpanLink(context: other, attributes: [:])) }
    }

    package func fail() {
        span.setStatus(SpanStatus(code: .error))
    }

    /// Ends the span.
    ///
    /// - Parameter error: why its work failed. Its type becomes an attribute; its text does not, because texts have document IDs.
    package func end(_ error: (any Error)? = nil) {
        if let error, !(error is CancellationError), span.isRecording {
            fail()
            describe { $0[SpanAttributeName.errorType] = "\(type(of: error))" }
        }
        span.end()
    }
}

/// A batch of revisions of a replicator.
package struct ReplicationBatch: Sendable {
    /// ``SpanName/pull`` or ``SpanName/push``.
    private let name: String

    /// The replicator's protocol.
    private let generation: String

    package static let legacyPull = ReplicationBatch(name: SpanName.pull, generation: "1.x")
    package static let legacyPush = ReplicationBatch(name: SpanName.push, generation: "1.x")
    package static let modernPull = ReplicationBatch(name: SpanName.pull, generation: "2.x+")
    package static let modernPush = ReplicationBatch(name: SpanName.push, generation: "2.x+")

    /// Runs `work` within a span of its own trace; without a tracer, only runs it.
    package func traced<Value>(
        revisions: Int, isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Value
    ) async rethrows -> Value {
        guard let tracer = BridgeTracer.current else { return try await work() }
        return try await tracer.withSpan(
            name, below: .topLevel, isolation: isolation,
            describing: {
                $0[SpanAttributeName.generation] = generation
                $0[SpanAttributeName.revisions] = revisions
            }, work)
    }
}
