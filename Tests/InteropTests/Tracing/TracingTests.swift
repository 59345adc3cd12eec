import BLIP
import Documents
import InMemoryTracing
import Telemetry
import TestSupport
import Testing
import Tracing

@Suite("Spans of a bridge")
struct TracingTests {
    private static func run(_ body: @Sendable (RunningBridge, InMemoryTracer) async throws -> Void) async throws {
        let tracer = InMemoryTracer()
        try await RunningBridge.run(tracer: BridgeTracer(tracer)) { try await body($0, tracer) }
    }

    @Test("A _bulk_docs of a traced caller has a span, and below it that of its commit")
    func bulkDocs() async throws {
        try await Self.run { bridge, tracer in
            let headers = "\(InMemoryTracer.traceIDKey): their-trace\r\n\(InMemoryTracer.spanIDKey): their-span\r\n"
            let answer = try await bridge.ask("POST", "/shop/_bulk_docs", #"{"docs":[{"_id":"secret-id","n":1}]}"#, headers: headers)
            #expect(answer.status == 201)
            let request = try #require(tracer.finishedSpans.first { $0.operationName == "POST _bulk_docs" })
            #expect(request.traceID == "their-trace" && request.kind == .server)
            #expect(request.attributes.get(SpanAttributeName.method) == .string("POST"))
            #expect(request.attributes.get(SpanAttributeName.requestClass) == .string("_bulk_docs"))
            #expect(request.attributes.get(SpanAttributeName.port) == .string("public"))
            #expect(request.attributes.get(SpanAttributeName.status) == .int64(201))
            #expect(request.attributes.count == 4)
            let commits = tracer.finishedSpans.filter { $0.operationName == SpanName.commit && $0.parentSpanID == request.spanID }
            #expect(!commits.isEmpty)
            #expect(commits.first?.traceID == request.traceID)
            #expect(commits.first?.attributes.get(SpanAttributeName.jobs) != nil)
        }
    }

    @Test("A pushed revision has a span, and below it that of its commit; the span is linked to the request that opened the connection")
    func push() async throws {
        try await Self.run { bridge, tracer in
            let client = try await RawBLIP(bridge)
            let body = #"{"n":1}"#
            #expect(
                try await client.ask("rev", ["id": "secret-id", "rev": "1-" + String(repeating: "a", count: 32), "sequence": "1"], body)
                    .type == .reply)
            // The reply is sent when its span has ended.
            let spans = tracer.finishedSpans
            let message = try #require(spans.first { $0.operationName == "BLIP rev" })
            #expect(message.attributes.get(SpanAttributeName.profile) == .string("rev"))
            #expect(message.attributes.get(SpanAttributeName.database) == .string("shop"))
            #expect(message.attributes.get(SpanAttributeName.size) == .int64(Int64(body.utf8.count)))
            #expect(message.attributes.count == 3 && message.parentSpanID == nil)
            #expect(spans.contains { $0.operationName == SpanName.commit && $0.parentSpanID == message.spanID })
            let opening = try #require(spans.first { $0.operationName == "GET _blipsync" })
            #expect(opening.attributes.get(SpanAttributeName.status) == .int64(101))
            #expect(message.links.compactMap(\.context.inMemorySpanContext?.spanID) == [opening.spanID])
            client.socket.socket.cut()
        }
    }

    @Test("The span of a request for an attachment ends with the last part of its reply")
    func attachment() async throws {
        try await Self.run { bridge, tracer in
            let body = #"{"_attachments":{"a":{"content_type":"text/plain","data":"aGVsbG8="}}}"#
            #expect(try await bridge.ask("PUT", "/shop/d", body).status == 201)
            let client = try await RawBLIP(bridge)
            _ = try await client.ask("subChanges")
            let changes = try await client.request()
            try await client.reply(.reply(to: changes.number, body: Array("[[]]".utf8)))
            var revision = try await client.request()
            while revision.profile != "rev" { revision = try await client.request() }
            let digest = try #require(try JSONValue(revision.body)["_attachments"]?["a"]?["digest"]?.string)
            let reply = try await client.ask("getAttachment", ["digest": digest, "docID": "d"])
            #expect(reply.body == Array("hello".utf8))
            await eventually { tracer.finishedSpans.contains { $0.operationName == "BLIP getAttachment" } }
            client.socket.socket.cut()
        }
    }

    @Test("A feed's span ends with the head of its answer; a method that HTTP does not define is no name")
    func feeds() async throws {
        try await Self.run { bridge, tracer in
            let socket = try bridge.connect()
            try await socket.send("GET /shop/_changes?feed=continuous&heartbeat=60000 HTTP/1.1\r\nHost: a\r\n\r\n")
            await eventually { tracer.finishedSpans.contains { $0.operationName == "GET _changes" } }
            socket.cut()
            _ = try await bridge.ask("COPY", "/shop/secret-id")
            await eventually { tracer.finishedSpans.contains { $0.operationName == "_OTHER document" } }
            for span in tracer.finishedSpans {
                #expect(!span.operationName.contains("secret-id"))
                span.attributes.forEach { _, value in #expect(!"\(value)".contains("secret-id")) }
            }
        }
    }
}
