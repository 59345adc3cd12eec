import Access
import Compression
import Documents
import Foundation
import Gateway
import HTTP
import HTTPTypes
import LegacyTestSupport
import NIOCore
import SQLiteStorage
import Storage
import Testing

@testable import LegacyProtocol

@Suite("Attachments")
struct AttachmentTests {
    private let hello = "sha1-Kq5sNclPz7QV2+lfQIuc6R7oRu0="

    private func multipart(_ parts: [(headers: String, body: String)], end: String = "--XX--") -> [UInt8] {
        Array((parts.map { "--XX\r\n\($0.headers)\r\n\r\n\($0.body)\r\n" }.joined() + end).utf8)
    }

    private let related: HTTPFields = [.contentType: "multipart/related; boundary=\"XX\""]

    private func document(_ attachments: String) -> (headers: String, body: String) {
        ("Content-Type: application/json", "{\"_id\":\"d\",\"_rev\":\"1-x\",\"_attachments\":{\(attachments)}}")
    }

    private func put(_ bridge: Bridge, _ parts: (headers: String, body: String)...) async throws -> Answer {
        try await bridge.send(.put, "/db/d?new_edits=false", headers: related, body: multipart(parts))
    }

    @Test(
        "Parts match attachments by digest, by name or by order, with quoted, bare and missing file names",
        arguments: [
            "Content-Disposition: attachment; filename=\"a b.txt\"", "Content-Disposition: attachment; filename=a b.txt",
            "Content-Type: text/plain",
            "Content-Disposition: attachment; filename=\"other\"",
        ])
    func parts(_ headers: String) async throws {
        for metadata in [
            "\"digest\":\"\(hello)\",\"length\":11", "\"length\":11", "\"digest\":\"md5-XrY7u+Ae7tCTyyK7j1rNww==\",\"length\":11",
        ] {
            let bridge = try await Bridge()
            let entry = "\"a b.txt\":{\"follows\":true,\"content_type\":\"text/plain\",\"revpos\":1,\(metadata)}"
            let answer = try await put(bridge, document(entry), (headers, "hello world"))
            #expect(answer.status == 201, "\(answer.text)")
            #expect(try await bridge.send(.get, "/db/d/a%20b.txt").text == "hello world")
            let stub = try await bridge.send(.get, "/db/d").json["_attachments"]?["a b.txt"]
            #expect(stub?["digest"] == .string(hello))
            #expect(stub?["stub"] == .bool(true))
        }
    }

    @Test("Several parts match their attachments in any order")
    func order() async throws {
        let bridge = try await Bridge()
        let attachments = #""a":{"follows":true,"length":1},"b":{"follows":true,"length":2},"c":{"data":"aGk="}"#
        let answer = try await put(
            bridge, document(attachments), ("Content-Disposition: attachment; filename=\"b\"", "bb"),
            ("Content-Disposition: attachment; filename=a", "a"))
        #expect(answer.status == 201)
        #expect(try await bridge.send(.get, "/db/d/a").text == "a")
        #expect(try await bridge.send(.get, "/db/d/b").text == "bb")
        #expect(try await bridge.send(.get, "/db/d/c").text == "hi")
    }

    @Test("Names that differ only in Unicode normalisation are two attachments")
    func equivalentNames() async throws {
        let bridge = try await Bridge()
        let entries = """
            "caf\u{e9}":{"follows":true,"digest":"\(hello)"},\
            "cafe\u{301}":{"follows":true,"digest":"sha1-i6R/6WcRpBf4G+Lu2iufXW3FjNc="}
            """
        let answer = try await put(
            bridge, document(entries), ("Content-Disposition: attachment; filename=\"caf\u{e9}\"", "hello world"),
            ("Content-Disposition: attachment; filename=\"cafe\u{301}\"", "hello attachment"))
        #expect(answer.status == 201, "\(answer.text)")
        #expect(try await bridge.send(.get, "/db/d/caf%C3%A9").text == "hello world")
        #expect(try await bridge.send(.get, "/db/d/cafe%CC%81").text == "hello attachment")
        let answered = try await bridge.send(.get, "/db/d?attachments=true", headers: [.accept: "application/json"])
        let data = try answered.json["_attachments"]?.members?.map { $0.value["data"]?.string }
        #expect(data == ["aGVsbG8gd29ybGQ=", "aGVsbG8gYXR0YWNobWVudA=="])
    }

    @Test("The document part that iOS compresses is decompressed")
    func gzip() async throws {
        let bridge = try await Bridge()
        let json = try Deflater().write(
            Array(#"{"_id":"d","_rev":"1-x","_attachments":{"a":{"follows":true,"length":2}}}"#.utf8), flush: .finish)
        func send(_ json: [UInt8], _ encoding: String) async throws -> Int {
            let body =
                Array("\r\n--XX\r\nContent-Type: application/json\r\nContent-Encoding: \(encoding)\r\n\r\n".utf8) + json
                + Array("\r\n--XX\r\nContent-Type: text/plain\r\n\r\nhi\r\n--XX--".utf8)
            return try await bridge.send(.put, "/db/d?new_edits=false", headers: related, body: body).status
        }
        #expect(try await send(json, "gzip") == 201)
        #expect(try await send(Array(json.dropLast(9)), "gzip") == 400)
        #expect(try await send(Array("{}".utf8), "gzip") == 400)
        #expect(try await send(json, "br") == 415)
    }

    @Test("The members that a stub omits come from the stored attachment, and an impossible revpos is replaced", arguments: [true, false])
    func bareStubs(isEdit: Bool) async throws {
        let bridge = try await Bridge()
        let first = #""a":{"data":"aGVsbG8gd29ybGQ=","content_type":"text/plain"},"b":{"data":"aGk=","content_type":"text/x"}"#
        let document = "{\"_rev\":\"1-x\",\"_attachments\":{\(first)}}"
        #expect(try await bridge.send(.put, "/db/d?new_edits=false", json: document).status == 201)
        let stubs = """
            "a":{"stub":true,"digest":"\(hello)","revpos":9},"b":{"stub":true,"digest":"sha1-witfkXg0JglCjW9RssWvTAveakI=","length":99}
            """
        let path = isEdit ? "/db/d?rev=1-x" : "/db/d?new_edits=false"
        let history = isEdit ? "" : #""_rev":"2-y","_revisions":{"start":2,"ids":["y","x"]},"#
        let answer = try await bridge.send(.put, path, json: "{\(history)\"_attachments\":{\(stubs)}}")
        #expect(answer.status == 201, "\(answer.text)")
        let entries = try await bridge.send(.get, "/db/d").json["_attachments"]
        for (name, type, length) in [("a", "text/plain", 11), ("b", "text/x", 2)] {
            #expect(entries?[name]?["content_type"] == .string(type))
            #expect(entries?[name]?["length"]?.int == length && entries?[name]?["revpos"]?.int == 1)
        }
        // An attachment that only another branch has gets a revpos of this revision.
        let branch = """
            {"_rev":"3-b","_revisions":{"start":3,"ids":["b","c","d"]},"_attachments":{"a":{"stub":true,"digest":"\(hello)","revpos":7}}}
            """
        #expect(try await bridge.send(.put, "/db/d?new_edits=false", json: branch).status == 201)
        let other = try await bridge.send(.get, "/db/d?rev=3-b").json["_attachments"]?["a"]
        #expect(other?["length"]?.int == 11 && other?["content_type"] == .string("text/plain"))
        #expect((1...3).contains(other?["revpos"]?.int ?? 0))
    }

    @Test(
        "Base64 with line breaks is accepted, as many encoders write it", arguments: ["aGVs\\nbG8=", "aGVs\\r\\nbG8=\\r\\n", "aGVsbG8=\\n"])
    func lineBreaks(_ data: String) async throws {
        let bridge = try await Bridge()
        #expect(try await bridge.send(.put, "/db/d", json: "{\"_attachments\":{\"a\":{\"data\":\"\(data)\"}}}").status == 201)
        #expect(try await bridge.send(.get, "/db/d/a").text == "hello")
    }

    @Test("The size of an inline attachment and the size of the body around it have separate limits")
    func inlineSizes() async throws {
        let bridge = try await Bridge {
            $0.limits.documentSize = 500
            $0.limits.attachmentSize = 3_000
        }
        func document(_ bytes: Int, with body: String = "") -> String {
            let data = Documents.Base64.encode(Array(repeating: 0x78, count: bytes)).replacing("/", with: "\\/")
            return #"{"_id":"d\#(bytes)","x":"\#(body)","_attachments":{"a":{"data":"\#(data)"},"b":{"data":"\#(data)"}}}"#
        }
        #expect(try await bridge.send(.put, "/db/d2900", json: document(2_900)).status == 201)
        #expect(try await bridge.send(.put, "/db/d2901", json: document(3_001)).status == 413)
        let long = String(repeating: "y", count: 500)
        #expect(try await bridge.send(.put, "/db/d2902", json: document(10, with: long)).status == 413)
        let rows = try await bridge.send(
            .post, "/db/_bulk_docs", json: "{\"docs\":[\(document(2_800)),\(document(3_001)),\(document(10, with: long))]}")
        #expect(try rows.json.array?.map { $0["status"]?.int } == [nil, 413, 413])
        let parts = (headers: "Content-Type: application/json", body: document(2_700))
        #expect(try await bridge.send(.put, "/db/d2700", headers: related, body: multipart([parts])).status == 201)
    }

    @Test("A malformed digest beside data is recomputed in an edit and refused with 400 in a replicated revision")
    func malformedDigest() async throws {
        let bridge = try await Bridge()
        let entry = #""_attachments":{"a":{"data":"aGVsbG8gd29ybGQ=","digest":"sha1-bad"}}"#
        #expect(try await bridge.send(.put, "/db/d", json: "{\(entry)}").status == 201)
        #expect(try await bridge.send(.get, "/db/d").json["_attachments"]?["a"]?["digest"] == .string(hello))
        #expect(try await bridge.send(.put, "/db/e?new_edits=false", json: "{\"_rev\":\"1-x\",\(entry)}").status == 400)
    }

    @Test("A user cannot add an attachment to the removal notice of a document that is no longer visible", arguments: [false, true])
    func putToRemoved(isDeleted: Bool) async throws {
        let bridge = try await Bridge()
        try await bridge.store.write { try $0.recordReader() }
        var change = AccountChange()
        change.channels = ["a"]
        try await Accounts(bridge.store).put(.user("anna"), change)
        let member = isDeleted ? #""_deleted":true"# : #""channels":["z"],"n":1"#
        try await bridge.push(
            #"{"_id":"d","_rev":"1-x","channels":["a"]}"#,
            "{\"_id\":\"d\",\"_rev\":\"2-y\",\"_revisions\":{\"start\":2,\"ids\":[\"y\",\"x\"]},\(member)}")
        let answer = try await Answer(try await bridge.respond(.put, "/db/d/a?rev=2-y", body: Array("x".utf8), as: .user("anna")))
        #expect(try answer.status == 404 && answer.json["reason"]?.string == "Document revision is not accessible")
        #expect(try await Answer(try await bridge.respond(.put, "/db/d/a?rev=1-x", body: Array("x".utf8), as: .user("anna"))).status == 409)
        #expect(try await bridge.send(.get, "/db/d?rev=2-y", isAdministrator: true).json["_rev"]?.string == "2-y")
        #expect(try await bridge.send(.get, "/db/d?rev=2-y").json["n"]?.int == (isDeleted ? nil : 1))
    }

    @Test("An attachment request with an unknown revision is a conflict, and one without a revision only creates a document")
    func staleRevisions() async throws {
        let bridge = try await Bridge()
        try await bridge.push(#"{"_id":"d","_rev":"1-x"}"#)
        for path in ["/db/d/a?rev=1-zz", "/db/none/a?rev=1-zz"] {
            let answer = try await bridge.send(.put, path, body: Array("x".utf8))
            #expect(answer.text == #"{"error":"conflict","reason":"Document update conflict"}"#)
            #expect(try await bridge.send(.delete, path).status == 409)
        }
        for answer in [try await bridge.send(.put, "/db/d/a", body: Array("x".utf8)), try await bridge.send(.delete, "/db/d/a")] {
            #expect(answer.text == #"{"error":"conflict","reason":"Cannot modify attachments without a specific rev ID"}"#)
        }
        #expect(try await bridge.send(.put, "/db/new/a", headers: [.contentType: ""], body: Array("x".utf8)).status == 201)
        #expect(try await bridge.send(.get, "/db/new/a").headers[.contentType] == "application/octet-stream")
    }

    @Test("Invalid attachments are refused and leave nothing in the store")
    func refused() async throws {
        let bridge = try await Bridge { $0.limits.attachmentSize = 100 }
        let entry = "\"a\":{\"follows\":true,\"length\":11}"
        let file = ("Content-Disposition: attachment; filename=\"a\"", "hello world")
        #expect(try await put(bridge, document(entry)).status == 400)
        #expect(try await put(bridge, document(entry), file, file).status == 400)
        #expect(try await put(bridge, document(entry), ("Content-Disposition: attachment; filename=\"a\"", "hello")).status == 400)
        #expect(
            try await put(bridge, document("\"a\":{\"follows\":true,\"digest\":\"sha1-i6R/6WcRpBf4G+Lu2iufXW3FjNc=\"}"), file).status == 400
        )
        #expect(
            try await put(bridge, document("\"a\":{\"follows\":true,\"digest\":\"md5-AAAAAAAAAAAAAAAAAAAAAA==\"}"), ("X: y", "hello world"))
                .status == 400)
        #expect(try await put(bridge, file, document(entry)).status == 400)
        #expect(try await put(bridge, ("Content-Type: text/plain", "{}"), file).status == 400)
        #expect(try await put(bridge, document("\"a\":{\"follows\":true}"), ("X: y", String(repeating: "x", count: 101))).status == 413)
        #expect(try await bridge.send(.get, "/db/d").status == 404)
    }

    @Test(
        "A truncated or malformed multipart body is refused",
        arguments: [
            ("--XX\r\nContent-Type: application/json\r\n\r\n{\"_id\":\"d\",\"_rev\":\"1-x\"}\r\n--XX", 400), ("", 400), ("nonsense", 400),
            ("--XX--", 400),
            ("--XX\r\nno header\r\n\r\n{}\r\n--XX--", 400), ("--XX\r\n\r\n{\r\n--XX--", 400),
        ])
    func truncated(_ body: String, _ status: Int) async throws {
        let bridge = try await Bridge()
        #expect(try await bridge.send(.put, "/db/d?new_edits=false", headers: related, body: Array(body.utf8)).status == status)
        #expect(try await bridge.send(.get, "/db/d").status == 404)
    }

    @Test("A revpos of 0, as CouchDB sends it, is accepted if the bytes are here and reported as missing otherwise")
    func withoutRevpos() async throws {
        let bridge = try await Bridge()
        let md5 = "md5-XrY7u+Ae7tCTyyK7j1rNww=="
        func push(_ revision: String, _ history: String, _ entry: String) async throws -> JSONValue? {
            let document =
                "{\"_id\":\"d\",\"_rev\":\"\(revision)\",\"_revisions\":\(history),\"_attachments\":{\"a\":{\(entry),\"revpos\":0,\"length\":11}}}"
            return try await bridge.send(.post, "/db/_bulk_docs", json: "{\"new_edits\":false,\"docs\":[\(document)]}").json.array?.first
        }
        let stub = "\"stub\":true,\"digest\":\"\(md5)\""
        let refused = try await push("1-x", #"{"start":1,"ids":["x"]}"#, stub)
        #expect(refused?["status"]?.int == 412 && refused?["error"]?.string == "missing_stub")
        #expect(try await push("1-x", #"{"start":1,"ids":["x"]}"#, "\"data\":\"aGVsbG8gd29ybGQ=\"")?["rev"]?.string == "1-x")
        #expect(try await push("2-y", #"{"start":2,"ids":["y","x"]}"#, stub)?["rev"]?.string == "2-y")
        for revision in ["1-x", "2-y"] {
            let entry = try await bridge.send(.get, "/db/d?rev=\(revision)").json["_attachments"]?["a"]
            #expect(entry?["revpos"]?.int == 1 && entry?["digest"] == .string(hello))
        }
        #expect(try await bridge.send(.get, "/db/d/a").text == "hello world")
    }

    @Test("A multipart type without a boundary is refused")
    func noBoundary() async throws {
        let answer = try await Bridge().send(.put, "/db/d?new_edits=false", headers: [.contentType: "multipart/related"], body: [])
        #expect(answer.status == 400)
    }

    // MARK: Reading

    private func stored(_ limits: LegacyLimits = LegacyLimits()) async throws -> Bridge {
        let bridge = try await Bridge(limits: limits)
        let large = String(repeating: "eHh4", count: 100_000)
        try await bridge.push(
            #"{"_id":"d","_rev":"1-x","_attachments":{"a/ü.txt":{"data":"aGVsbG8gd29ybGQ=","content_type":"text/plain","extra":[1]},"big":{"data":"\#(large)"}}}"#,
            #"{"_id":"d","_rev":"2-y","_revisions":{"start":2,"ids":["y","x"]},"_attachments":{"a/ü.txt":{"stub":true,"revpos":1,"content_type":"text/plain","digest":"\#(hello)"},"new":{"data":"aGk="}}}"#
        )
        return bridge
    }

    @Test("GET sends bytes, type, tag and ranges, finds names with plain and encoded slashes, and sends nothing that a browser would run")
    func get() async throws {
        let bridge = try await stored()
        for target in ["/db/d/a/%C3%BC.txt", "/db/d/a%2F%C3%BC.txt?rev=1-x", "/db/d/a/%C3%BC.txt?rev=2-y"] {
            let answer = try await bridge.send(.get, target)
            #expect(answer.status == 200 && answer.text == "hello world")
            #expect(answer.headers[.eTag] == "\"\(hello)\"" && answer.headers[.contentType] == "text/plain")
            #expect(answer.headers[.contentLength] == "11" && answer.headers[.acceptRanges] == "bytes")
            #expect(answer.headers[.contentDisposition] == "attachment" && answer.headers[.xContentTypeOptions] == "nosniff")
            #expect(answer.headers[.contentSecurityPolicy] == "sandbox")
        }
        let tail = try await bridge.send(.get, "/db/d/a/%C3%BC.txt", headers: [.range: "bytes=6-", .ifMatch: "\"\(hello)\""])
        #expect(tail.status == 206 && tail.text == "world" && tail.headers[.contentRange] == "bytes 6-10/11")
        for (known, status) in [("\"\(hello)\"", 206), ("\"other\"", 200), ("Sat, 21 Nov 2026 10:00:00 GMT", 200)] {
            let answer = try await bridge.send(.get, "/db/d/a/%C3%BC.txt", headers: [.range: "bytes=6-", .ifRange: known])
            #expect(answer.status == status && answer.text == (status == 206 ? "world" : "hello world"))
        }
        let beyond = try await bridge.send(.get, "/db/d/a/%C3%BC.txt", headers: [.range: "bytes=11-"])
        #expect(beyond.status == 416 && beyond.headers[.contentRange] == "bytes */11")
        #expect(try await bridge.send(.get, "/db/d/a/%C3%BC.txt", headers: [.range: "bytes=6-", .ifMatch: "\"other\""]).status == 412)
        #expect(try await bridge.send(.head, "/db/d/a/%C3%BC.txt").headers[.contentLength] == "11")
        #expect(try await bridge.send(.get, "/db/d/big?rev=1-x").bytes.count == 300_000)
        let middle = try await bridge.send(.get, "/db/d/big?rev=1-x", headers: [.range: "bytes=131000-140000"])
        #expect(middle.bytes.count == 9001)
        #expect(try await bridge.send(.get, "/db/d/big").status == 404)
        #expect(try await bridge.send(.get, "/db/none/a").status == 404)
        #expect(try await bridge.send(.get, "/db/d/big?rev=nonsense").status == 404)
    }

    @Test("An attachment that is stored compressed is sent with its encoding, or is sent undecoded")
    func encoded() async throws {
        let bridge = try await Bridge()
        let gzip = try Deflater().write(Array("hello world".utf8), flush: .finish)
        try await bridge.push(
            "{\"_id\":\"d\",\"_rev\":\"1-x\",\"_attachments\":{\"a\":{\"data\":\"\(Data(gzip).base64EncodedString())\",\"encoding\":\"gzip\",\"length\":11"
                + ",\"encoded_length\":\(gzip.count),\"content_type\":\"text/plain\"}}}")
        let plain = try await bridge.send(.get, "/db/d/a")
        #expect(plain.headers[.contentEncoding] == "gzip" && plain.headers[.contentType] == "text/plain" && plain.bytes == gzip)
        let raw = try await bridge.send(.get, "/db/d/a?content_encoding=false")
        #expect(raw.headers[.contentEncoding] == nil && raw.headers[.contentType] == "application/gzip")
        let part = try await bridge.send(.get, "/db/d?attachments=true", headers: [.accept: "multipart/related"]).parts[0]
        #expect(try part.json["_attachments"]?["a"]?["encoded_length"] == .number(String(gzip.count)))
        // Even a small one is a part: inline, CouchDB would store the compressed bytes as the content.
        let mixed = try await bridge.send(.get, "/db/d?open_revs=all", headers: [.accept: "multipart/mixed"])
        let parts = try mixed.parts[0].parts
        #expect(try parts[0].json["_attachments"]?["a"]?["follows"] == .bool(true))
        #expect(parts[1].headers.contentEncoding == "gzip" && parts[1].bytes == gzip)
    }

    @Test(
        "A document with attachment bodies has large ones in parts, small ones inline and known ones as stubs",
        arguments: ["multipart/related, application/json", "*/*"])
    func related(_ accept: String) async throws {
        let bridge = try await stored()
        let parts = try await bridge.send(.get, "/db/d?rev=1-x&revs=true&attachments=true", headers: [.accept: accept]).parts
        #expect(parts.count == 2)
        let attachments = try #require(try parts[0].json["_attachments"])
        #expect(attachments["a/ü.txt"]?["data"] == .string("aGVsbG8gd29ybGQ="))
        #expect(attachments["a/ü.txt"]?["extra"] == .array([.number("1")]))
        #expect(attachments["big"]?["follows"] == .bool(true) && attachments["big"]?["length"] == .number("300000"))
        #expect(parts[1].headers["Content-Disposition"] == "attachment; filename=\"big\"")
        #expect(parts[1].bytes.count == 300_000)
        let known = try await bridge.send(.get, "/db/d?rev=2-y&attachments=true&atts_since=[%221-x%22]", headers: [.accept: accept]).parts
        #expect(try known[0].json["_attachments"]?["a/ü.txt"]?["stub"] == .bool(true))
        #expect(try known[0].json["_attachments"]?["new"]?["data"] == .string("aGk="))
    }

    @Test("A client that accepts JSON alone gets attachments inline")
    func inline() async throws {
        let bridge = try await stored()
        let answer = try await bridge.send(.get, "/db/d?rev=1-x&attachments=true", headers: [.accept: "application/json"])
        #expect(try answer.json["_attachments"]?["big"]?["data"]?.string?.count == 400_000)
    }

    @Test("_bulk_get nests documents with attachment bodies, and omits a length that it does not know in advance")
    func nested() async throws {
        let bridge = try await stored()
        let answer = try await bridge.send(
            .post, "/db/_bulk_get?revs=true&attachments=true", headers: [.accept: "multipart/related"],
            json:
                #"{"docs":[{"id":"d","rev":"1-x"},{"id":"d","rev":"2-y","atts_since":["1-x"]},{"id":"d","rev":"2-y","atts_since":["2-y"]}]}"#
        )
        let parts = try answer.parts
        #expect(parts.map { $0.headers.contentType?.essence } == ["multipart/related", "multipart/related", "application/json"])
        #expect(parts[0].headers["X-Doc-Id"] == "d" && parts[0].headers["X-Rev-Id"] == "1-x")
        #expect(try parts[0].parts.count == 2)
        #expect(try parts[0].parts[1].bytes.count == 300_000)
        #expect(try parts[1].parts.count == 1)
        #expect(answer.headers[.contentLength] == String(answer.bytes.count))
    }

    @Test("CouchDB gets attachment bodies with open_revs without asking for them")
    func openRevisions() async throws {
        let bridge = try await stored()
        let answer = try await bridge.send(.get, "/db/d?revs=true&open_revs=[%221-x%22]", headers: [.accept: "multipart/mixed"])
        #expect(try answer.parts[0].parts.count == 2)
    }

    // MARK: Writing one

    @Test("PUT and DELETE of an attachment make one revision each")
    func write() async throws {
        let bridge = try await Bridge()
        let first = try await bridge.send(.put, "/db/d/f/1.txt", headers: [.contentType: "text/plain"], body: Array("one".utf8))
        #expect(first.status == 201)
        let revision = try #require(first.json["rev"]?.string)
        #expect(try await bridge.send(.put, "/db/d/g", body: [1]).status == 409)
        let second = try await bridge.send(.put, "/db/d/g?rev=\(revision)", body: Array(repeating: 7, count: 200_000))
        let next = try #require(second.json["rev"]?.string)
        let stubs = try await bridge.send(.get, "/db/d").json["_attachments"]
        #expect(stubs?["f/1.txt"]?["revpos"] == .number("1") && stubs?["g"]?["revpos"] == .number("2"))
        #expect(stubs?["g"]?["content_type"] == .string("application/octet-stream"))
        #expect(try await bridge.send(.delete, "/db/d/none?rev=\(next)").status == 404)
        #expect(try await bridge.send(.delete, "/db/d/f/1.txt?rev=\(next)").status == 200)
        #expect(try await bridge.send(.get, "/db/d/f/1.txt").status == 404)
        #expect(try await bridge.send(.get, "/db/d/g").bytes.count == 200_000)
    }
}
