import InMemoryTracing
import Telemetry
import Testing
import Tracing

@Suite("The tracer of a bridge")
struct BridgeTracerTests {
    private struct Failure: Error {
        let document = "secret"
    }

    private struct Headers: Extractor, Injector {
        func extract(key: String, from headers: [String: String]) -> String? { headers[key] }
        func inject(_ value: String, forKey key: String, into headers: inout [String: String]) { headers[key] = value }
    }

    @Test("A tracer that does nothing is none")
    func none() {
        #expect(BridgeTracer(NoOpTracer()) == nil)
        #expect(BridgeTracer(of: .topLevel) == nil)
        var headers: [String: String] = [:]
        BridgeTracer.inject(into: &headers, Headers())
        #expect(headers.isEmpty)
    }

    @Test("Work within a span finds the tracer, and its spans are below")
    func nesting() async throws {
        let memory = InMemoryTracer()
        let tracer = try #require(BridgeTracer(memory))
        await tracer.withSpan("outer", .server, describing: { $0["a"] = 1 }) {
            await BridgeTracer.current?.withSpan("inner") {}
        }
        let spans = memory.finishedSpans
        #expect(spans.map(\.operationName) == ["inner", "outer"])
        #expect(spans[0].parentSpanID == spans[1].spanID && spans[1].parentSpanID == nil)
        #expect(spans[1].kind == .server && spans[1].attributes.get("a") == .int64(1))
    }

    @Test("An error gives its type and not its text; a cancellation is no error")
    func errors() async throws {
        let memory = InMemoryTracer()
        let tracer = try #require(BridgeTracer(memory))
        await #expect(throws: Failure.self) { try await tracer.withSpan("a") { throw Failure() } }
        await #expect(throws: CancellationError.self) { try await tracer.withSpan("b") { throw CancellationError() } }
        let spans = memory.finishedSpans
        #expect(spans[0].status?.code == .error && spans[0].errors.isEmpty)
        #expect(spans[0].attributes.get(SpanAttributeName.errorType) == .string("Failure") && spans[0].attributes.count == 1)
        #expect(spans[1].status == nil && spans[1].attributes.isEmpty)
    }

    @Test("A trace goes from one server to the next")
    func propagation() async throws {
        let memory = InMemoryTracer()
        let tracer = try #require(BridgeTracer(memory))
        let headers = await tracer.withSpan("here") {
            var headers: [String: String] = [:]
            BridgeTracer.inject(into: &headers, Headers())
            return headers
        }
        tracer.begin("there", .server, below: tracer.context(of: headers, Headers())).end()
        let spans = memory.finishedSpans
        #expect(spans[1].parentSpanID == spans[0].spanID && spans[1].traceID == spans[0].traceID)
    }

    @Test("A span may begin in the past")
    func past() throws {
        let memory = InMemoryTracer()
        let tracer = try #require(BridgeTracer(memory))
        tracer.begin("a", before: .seconds(5)).end()
        let span = try #require(memory.finishedSpans.first)
        #expect(span.endInstant.nanosecondsSinceEpoch - span.startInstant.nanosecondsSinceEpoch >= 5_000_000_000)
    }

    @Test("A batch of a replicator is a trace of its own")
    func batch() async throws {
        let memory = InMemoryTracer()
        let tracer = try #require(BridgeTracer(memory))
        await tracer.withSpan("request") {
            await ReplicationBatch.modernPull.traced(revisions: 3) {}
        }
        let span = try #require(memory.finishedSpans.first)
        #expect(span.operationName == SpanName.pull && span.parentSpanID == nil)
        #expect(span.attributes.get(SpanAttributeName.revisions) == .int64(3))
        #expect(span.attributes.get(SpanAttributeName.generation) == .string("2.x+"))
    }
}
