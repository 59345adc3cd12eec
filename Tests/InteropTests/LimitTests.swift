import BLIP
import Compression
import Documents
import Gateway
import HTTP
import LegacyProtocol
import Testing

@Suite("Limits of requests")
struct LimitTests {
    /// The maximal size of a JSON body.
    private static let bodySize = 64 << 20

    private func head(_ method: String, _ path: String, _ headers: String) -> String {
        "\(method) \(path) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\(headers)\r\n"
    }

    private func expectTooLarge(_ answer: RawAnswer, _ what: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(answer.status == 413, "\(what): \(answer.head)", sourceLocation: sourceLocation)
        #expect(
            try answer.json["error"]?.string == "Request Entity Too Large",
            sourceLocation: sourceLocation)
        #expect(try answer.json["reason"]?.string?.isEmpty == false, sourceLocation: sourceLocation)
    }

    @Test("A body whose announced length is too large is refused before it arrives, and the connection ends")
    func announced() async throws {
        try await RunningBridge.run { bridge in
            // Long attachments of `_bulk_docs` do not count.
            for (method, path) in [("POST", "/shop/_revs_diff"), ("PUT", "/shop/d"), ("PUT", "/shop/_local/x")] {
                let socket = try bridge.connect()
                try await socket.send(head(method, path, "Content-Length: \(Self.bodySize + 1)\r\n"))
                let answer = try await socket.answer()
                try expectTooLarge(answer, path)
                #expect(answer["Connection"] == "close")
                #expect(try await socket.readToEnd().isEmpty)
            }
            try await bridge.expectSound(after: "announced bodies")
        }
    }

    @Test("A chunked body that becomes too large is refused while it arrives")
    func chunked() async throws {
        try await RunningBridge.run { bridge in
            let socket = try bridge.connect()
            try await socket.send(head("POST", "/shop/_bulk_docs", "Transfer-Encoding: chunked\r\n"))
            let chunk = Array("400000\r\n".utf8) + [UInt8](repeating: 0x20, count: 4 << 20) + Array("\r\n".utf8)
            for _ in 0...(Self.bodySize >> 22) { try await socket.send(chunk) }
            try expectTooLarge(try await socket.answer(), "chunks")
            socket.cut()
            try await bridge.expectSound(after: "chunks")
        }
    }

    @Test("The decompressed size of a body counts, not the compressed size")
    func bomb() async throws {
        try await RunningBridge.run { bridge in
            let deflater = try Deflater()
            let zeros = [UInt8](repeating: 0x20, count: 1 << 20)
            var bytes: [UInt8] = []
            for _ in 0...(Self.bodySize >> 20) { bytes += deflater.write(zeros, flush: .none) }
            bytes += deflater.write([], flush: .finish)
            let socket = try bridge.connect()
            try await socket.send(
                Array(head("POST", "/shop/_bulk_docs", "Content-Encoding: gzip\r\nContent-Length: \(bytes.count)\r\n").utf8) + bytes)
            try expectTooLarge(try await socket.answer(), "a bomb")
            socket.cut()
            try await bridge.expectSound(after: "a bomb")
        }
    }

    @Test("A damaged gzip body gets 400, another encoding 415")
    func damaged() async throws {
        let whole = try Deflater().write(Array(#"{"docs":[{"_id":"z"}]}"#.utf8), flush: .finish)
        var flipped = whole
        flipped[whole.count - 6] ^= 0x55
        let bodies: [(what: String, bytes: [UInt8], encoding: String, status: Int)] = [
            ("cut off", Array(whole.dropLast(9)), "gzip", 400), ("a bad checksum", flipped, "gzip", 400),
            ("bytes behind", whole + [1, 2, 3], "gzip", 400),
            ("no gzip at all", Array("{}".utf8), "gzip", 400), ("only a header", Array(whole.prefix(10)), "gzip", 400),
            ("nothing", [], "gzip", 400),
            ("brotli", whole, "br", 415), ("twice", whole, "gzip, gzip", 415),
        ]
        try await RunningBridge.run { bridge in
            let socket = try bridge.connect()
            for (what, bytes, encoding, status) in bodies {
                try await socket.send(
                    Array(head("POST", "/shop/_bulk_docs", "Content-Encoding: \(encoding)\r\nContent-Length: \(bytes.count)\r\n").utf8)
                        + bytes)
                let answer = try await socket.answer()
                #expect(answer.status == status, "\(what): \(answer.text)")
                #expect(try answer.json["reason"]?.string?.isEmpty == false)
            }
            socket.cut()
            #expect(try await bridge.ask("GET", "/shop/z").status == 404)
            try await bridge.expectSound(after: "damaged gzip")
        }
    }

    @Test("Documents and attachments over the database's own limits get 413, by every way to write them")
    func configured() async throws {
        let configure = { (database: inout DatabaseConfiguration) in
            database.limits.documentSize = 1_000
            database.limits.attachmentSize = 1_000
        }
        let long = String(repeating: "x", count: 1_001)
        try await RunningBridge.run(configure) { bridge in
            for (method, path) in [("PUT", "/shop/d"), ("POST", "/shop/")] {
                try expectTooLarge(try await bridge.ask(method, path, #"{"x":"\#(long)"}"#), path)
            }
            let data = Documents.Base64.encode(Array(long.utf8))
            let rows = try await bridge.ask(
                "POST", "/shop/_bulk_docs",
                #"{"docs":[{"_id":"d","x":"\#(long)"},{"_id":"e"},{"_id":"f","_attachments":{"a":{"data":"\#(data)"}}}]}"#)
            #expect(try rows.json.array?.map { $0["status"]?.int } == [413, nil, 413], "\(rows.text)")
            try expectTooLarge(try await bridge.ask("PUT", "/shop/d/a", long), "an attachment")
            let socket = try bridge.connect()
            let parts = "--b\r\n\r\n{\"_attachments\":{\"a\":{\"follows\":true}}}\r\n--b\r\n\r\n\(long)\r\n--b--"
            try await socket.send(
                "PUT /shop/d HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/related; boundary=b\r\nContent-Length: \(parts.utf8.count)\r\n\r\n\(parts)"
            )
            try expectTooLarge(try await socket.answer(), "a part")
            socket.cut()
            let blip = try await RawBLIP(bridge)
            let reply = try await blip.ask("rev", ["id": "d", "rev": "1-abcd"], #"{"x":"\#(long)"}"#)
            #expect(reply.errorDomain == "HTTP" && reply.errorCode == 413, "\(reply)")
            #expect(try await bridge.ask("GET", "/shop/d").status == 404)
            try await bridge.expectSound(after: "what is too large")
        }
    }

    @Test("Local documents, checkpoints and their names have limits of their own")
    func localDocuments() async throws {
        let long = #"{"x":"\#(String(repeating: "x", count: 1 << 20))"}"#
        let name = String(repeating: "n", count: 300)
        try await RunningBridge.run { bridge in
            try expectTooLarge(try await bridge.ask("PUT", "/shop/_local/x", long), "a local document")
            #expect(try await bridge.ask("PUT", "/shop/_local/\(name)", "{}").status == 400)
            let blip = try await RawBLIP(bridge)
            #expect(try await blip.ask("setCheckpoint", ["client": "x"], long).errorCode == 413)
            #expect(try await blip.ask("setCheckpoint", ["client": name], "{}").errorCode == 400)
            #expect(try await blip.ask("setCheckpoint", ["client": "x"], "{}").type == .reply)
            try await bridge.expectSound(after: "local documents")
        }
    }

    @Test("A request that names too many documents is refused")
    func counts() async throws {
        let ids = Array(repeating: "1", count: LegacyLimits().documents + 1)
        try await RunningBridge.run { bridge in
            for (path, body) in [
                ("_bulk_docs", "{\"docs\":[\(ids.map { _ in "{}" }.joined(separator: ","))]}"),
                ("_bulk_get", "{\"docs\":[\(ids.map { _ in "{\"id\":\"a\"}" }.joined(separator: ","))]}"),
                ("_all_docs", "{\"keys\":[\(ids.map { _ in "\"a\"" }.joined(separator: ","))]}"),
                ("_revs_diff", "{\(ids.indices.map { "\"\($0)\":[]" }.joined(separator: ","))}"),
                ("_revs_diff", "{\"a\":[\(ids.prefix(1_001).map { _ in "\"1-a\"" }.joined(separator: ","))]}"),
            ] {
                try expectTooLarge(try await bridge.ask("POST", "/shop/\(path)", body), path)
            }
            try await bridge.expectSound(after: "long lists")
        }
    }
}
