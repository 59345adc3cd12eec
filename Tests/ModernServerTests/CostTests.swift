import Access
import BLIP
import Documents
import Foundation
import Gateway
import ModernProtocol
import ModernServer
import ModernTestSupport
import Testing

/// The cost of a session beside the store. `DUALGAUGE_COST=20000` in a release build measures it.
@Suite("Cost of a session", .serialized, .enabled(if: ProcessInfo.processInfo.environment["DUALGAUGE_COST"] != nil))
struct CostTests {
    private static var count: Int { ProcessInfo.processInfo.environment["DUALGAUGE_COST"].flatMap { Int($0) } ?? 20_000 }

    /// Processor time of the process, in microseconds.
    private static var processorTime: Double {
        var usage = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &usage)
        return Double(usage.tv_sec) * 1e6 + Double(usage.tv_nsec) / 1e3
    }

    private static func report(_ what: String, _ since: Double) {
        let cost = (processorTime - since) / Double(count)
        print("\(what): \(String(format: "%.2f", cost)) us a document")
    }

    private static func body(_ index: Int) -> String {
        "{\"type\":\"order\",\"number\":\(index),\"customer\":\"customer-\(index * 7919 % 1000)\",\"total\":\(index % 997).50,\"text\":\""
            + String(repeating: "\(UInt64(index) &* 0x9E37_79B9_7F4A_7C15) ", count: 10) + "\"}"
    }

    /// The bytes that a client pushes, encoded once, so that the client's work is not measured.
    private static func pushFrames() throws -> (frames: [[UInt8]], bytes: Int) {
        let client = BLIPConnection()
        var frames: [[UInt8]] = []
        for start in stride(from: 0, to: count, by: 200) {
            let range = start..<min(start + 200, count)
            let rows = range.map { "[\"doc-\($0)\",\"\(Requests.revision(1, $0))\",\"\",300]" }.joined(separator: ",")
            _ = try client.send(
                request: .request(
                    "proposeChanges", properties: ["conflictIncludesRev": "true"], body: Array("[\(rows)]".utf8), isCompressed: true))
            for index in range {
                _ = try client.send(request: Requests.rev("doc-\(index)", Requests.revision(1, index), body(index)))
            }
        }
        while let frame = client.nextFrame() { frames.append(frame) }
        return (frames, frames.reduce(0) { $0 + $1.count })
    }

    @Test("Push and pull are measured with the gateway's and the store's own cost")
    func pushAndPull() async throws {
        let bridge = try await TestBridge()
        let (frames, bytes) = try Self.pushFrames()
        print("\(Self.count) documents, \(Self.body(Self.count).utf8.count) bytes each, \(bytes / Self.count) on the wire")

        // The gateway and the store alone, for comparison.
        let alone = try await TestBridge()
        var start = Self.processorTime
        for first in stride(from: 0, to: Self.count, by: 500) {
            let writes = try (first..<min(first + 500, Self.count)).map { index in
                RevisionWrite(
                    id: "doc-\(index)",
                    kind: .replicated(history: [try #require(RevisionID(Requests.revision(1, index)))], conflicts: .refuse),
                    isDeleted: false, body: Array(Self.body(index).utf8))
            }
            _ = try await alone.database.unified.write(writes)
        }
        Self.report("write, gateway and store alone", start)

        let (ours, theirs) = await SocketEnd.pair()
        start = Self.processorTime
        async let session: Void = bridge.listener.serve(ours, database: bridge.database, principal: .administrator, subprotocol: .v3)
        async let replies = Self.countReplies(theirs, Self.count)
        for first in stride(from: 0, to: frames.count, by: 64) {
            try await theirs.send(Array(frames[first..<min(first + 64, frames.count)]))
        }
        _ = try await replies
        Self.report("push, session", start)
        await theirs.close(code: 1000, reason: "")
        await session

        start = Self.processorTime
        var rows = 0
        var query = ChangesQuery()
        query.limit = 200
        while true {
            let batch = try await bridge.database.unified.changes(query)
            rows += batch.rows.count
            query.since = batch.position
            let ids = batch.rows.map { ($0.id, $0.revision) }
            _ = try await bridge.database.unified.read { snapshot in
                for (id, revision) in ids { _ = try RevisionID(revision).flatMap { try snapshot.document(id)?.content(of: $0) } }
            }
            if batch.isCaughtUp { break }
        }
        Self.report("read, gateway and store alone", start)
        #expect(rows == Self.count)

        start = Self.processorTime
        try await Self.pull(bridge, SessionLimits())
        Self.report("pull, session and a client that only inflates", start)
        var uncompressed = bridge
        uncompressed.limits.compression = .off
        start = Self.processorTime
        try await Self.pull(uncompressed, uncompressed.limits)
        Self.report("pull, session without compression, and a client", start)
    }

    private static func countReplies(_ socket: SocketEnd, _ wanted: Int) async throws {
        let end = wanted + (wanted + 199) / 200
        var count = 0
        while count < end, let frames = try await socket.receive() {
            // Replies to `rev` and `proposeChanges` are one frame each.
            count += frames.count { $0.count >= 7 }
        }
    }

    private static func pull(_ bridge: TestBridge, _ limits: SessionLimits) async throws {
        let (ours, theirs) = await SocketEnd.pair()
        async let session: Void = bridge.listener.serve(ours, database: bridge.database, principal: .administrator, subprotocol: .v3)
        let client = BLIPConnection()
        _ = try client.send(request: .request("subChanges", properties: ["batch": "200"]))
        var revisions = 0
        while revisions < count {
            var out: [[UInt8]] = []
            while let frame = client.nextFrame() { out.append(frame) }
            if !out.isEmpty { try await theirs.send(out) }
            guard let frames = try await theirs.receive() else { break }
            for frame in frames {
                guard case .request(let request) = try client.receive(frame) else { continue }
                if request.profile == "rev" { revisions += 1 }
                if request.profile == "changes", !request.noReply {
                    let body = "[" + Array(repeating: "[]", count: 200).joined(separator: ",") + "]"
                    try client.send(reply: .reply(to: request.number, properties: ["maxHistory": "50"], body: Array(body.utf8)))
                }
            }
        }
        await theirs.close(code: 1000, reason: "")
        await session
        #expect(revisions == count)
    }
}
