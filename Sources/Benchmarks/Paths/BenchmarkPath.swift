import AsyncHTTPClient
import Documents
import Foundation
import NIOCore
import NIOHTTP1
import Peers

/// A path of documents through the bridge, with a minimal client.
struct BenchmarkPath: Sendable {
    let name: String
    let run: @Sendable (_ port: Int) async throws -> Void

    static func all(_ rows: BenchmarkRows) async throws -> [BenchmarkPath] {
        let revisions = rows.rows.map { row in
            PeerRevision(id: row.id, history: [RevisionID("1-\(row.digest)")].compactMap { $0 }, body: Array("{\(row.body)}".utf8))
        }
        let first = BenchmarkPath(name: "_changes, all rows") { port in try await get(port, "_changes?style=all_docs") }
        return [legacyPush(rows), first] + legacyPull(rows) + [
            BenchmarkPath(name: "BLIP push") { port in
                try await ModernPeer("ws://127.0.0.1:\(port)/blip").replicate(push: ["": revisions], pull: false)
            },
            BenchmarkPath(name: "BLIP pull") { port in try await ModernPeer("ws://127.0.0.1:\(port)/blip").replicate() },
        ]
    }

    /// All documents, in the requests of a 1.x client. The bodies are built before the measurement starts.
    static func legacyPush(_ rows: BenchmarkRows) -> BenchmarkPath {
        let pushes = rows.batches(500).map(bulkDocs)
        return BenchmarkPath(name: "_bulk_docs, batches of 500") { port in
            for body in pushes { try await post(port, "_bulk_docs", body) }
        }
    }

    static func legacyPull(_ rows: BenchmarkRows) -> [BenchmarkPath] {
        let fetches = rows.batches(100).map(bulkGet)
        return [
            BenchmarkPath(name: "_changes, all rows again") { port in try await get(port, "_changes?style=all_docs") },
            BenchmarkPath(name: "_bulk_get, batches of 100") { port in
                for body in fetches { try await post(port, "_bulk_get?revs=true&attachments=true", body) }
            },
        ]
    }

    private static func bulkDocs(_ rows: ArraySlice<BenchmarkRows.Row>) -> ByteBuffer {
        let documents = rows.map { row in
            "{\"_id\":\"\(row.id)\",\"_rev\":\"1-\(row.digest)\",\"_revisions\":{\"start\":1,\"ids\":[\"\(row.digest)\"]},\(row.body)}"
        }
        return ByteBuffer(string: "{\"docs\":[\(documents.joined(separator: ","))],\"new_edits\":false}")
    }

    private static func bulkGet(_ rows: ArraySlice<BenchmarkRows.Row>) -> ByteBuffer {
        ByteBuffer(string: "{\"docs\":[\(rows.map { "{\"id\":\"\($0.id)\",\"rev\":\"1-\($0.digest)\"}" }.joined(separator: ","))]}")
    }

    private static func post(_ port: Int, _ path: String, _ body: ByteBuffer) async throws {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/http/\(path)")
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(body)
        try await perform(request)
    }

    private static func get(_ port: Int, _ path: String) async throws {
        try await perform(HTTPClientRequest(url: "http://127.0.0.1:\(port)/http/\(path)"))
    }

    private static func perform(_ request: HTTPClientRequest) async throws {
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(300))
        guard (200..<300).contains(Int(response.status.code)) else { throw PeerError("\(request.url): \(response.status)") }
        for try await _ in response.body {}
    }
}

/// The documents of a run, the same in every run: IDs in random order, bodies of about 300 bytes.
struct BenchmarkRows: Sendable {
    struct Row: Sendable {
        let id: String
        let digest: String
        let body: String
    }

    let rows: [Row]

    init(count: Int) {
        var state: UInt64 = 42
        func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 11
        }
        func hex(_ digits: Int) -> String {
            var text = ""
            while text.count < digits { text += String(next(), radix: 16) }
            return String(text.prefix(digits))
        }
        rows = (0..<count).map { number in
            let words = (0..<8).map { _ in hex(12) }.joined(separator: " ")
            let body = """
                "type":"order","number":\(number),"region":"eu","customer":"customer::\(next() % 10_000)","total":\(next() % 100_000).50,\
                "paid":true,"lines":[{"sku":"\(hex(6))","qty":\(next() % 9)}],"note":"\(words)"
                """
            return Row(id: "\(hex(8))-\(number)", digest: hex(32), body: body)
        }
    }

    /// The rows in batches, in order.
    func batches(_ size: Int) -> [ArraySlice<Row>] {
        stride(from: 0, to: rows.count, by: size).map { rows[$0..<min($0 + size, rows.count)] }
    }
}
