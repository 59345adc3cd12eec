import HTTP
import HTTPTypes
import LegacyTestSupport
import Testing

@testable import LegacyProtocol

@Suite("Compressed parts of _bulk_get")
struct PartCompressionTests {
    private static let request = #"{"docs":[{"id":"small","rev":"1-x"},{"id":"large","rev":"1-x"},{"id":"gone","rev":"1-x"}]}"#

    private func bridge() async throws -> Bridge {
        let bridge = try await Bridge()
        let text = String(repeating: "Sync Gateway ", count: 100)
        try await bridge.push(#"{"_id":"small","_rev":"1-x"}"#, #"{"_id":"large","_rev":"1-x","text":"\#(text)"}"#)
        return bridge
    }

    private func headers(_ fields: [(String, String)]) throws -> HTTPFields {
        var headers = HTTPFields()
        for (name, value) in fields { headers[try #require(HTTPField.Name(name))] = value }
        return headers
    }

    /// The encoding of each part, and whether the response forbids compression of the whole.
    private func encodings(_ fields: [(String, String)]) async throws -> (parts: [String?], whole: String?) {
        let answer = try await bridge().send(.post, "/db/_bulk_get", headers: try headers(fields), json: Self.request)
        return (try answer.parts.map { $0.headers["Content-Encoding"] }, answer.headers[.contentEncoding])
    }

    @Test("Large parts are compressed, small parts and errors are not, as recorded from Sync Gateway")
    func recorded() async throws {
        let answer = try await bridge().send(
            .post, "/db/_bulk_get", headers: try headers([("X-Accept-Part-Encoding", "gzip")]), json: Self.request)
        let parts = try answer.parts
        #expect(parts.map { $0.headers["Content-Encoding"] } == [nil, "gzip", nil])
        #expect(parts[1].headers.fields.map(\.name) == ["Content-Encoding", "Content-Type"])
        let json = String(decoding: try Gunzip.decode(parts[1].bytes, limit: 10_000), as: UTF8.self)
        #expect(json.hasPrefix(#"{"_id":"large","_rev":"1-x","text":"Sync Gateway Sync"#))
        #expect(parts[1].bytes.count < 200)
    }

    @Test("Parts are not compressed in a response that is compressed as a whole; clients before protocol 1.2 cannot read such parts")
    func whole() async throws {
        let part = ("X-Accept-Part-Encoding", "gzip")
        let whole = ("Accept-Encoding", "gzip, deflate")
        let new = ("User-Agent", "CouchbaseLite/1.3 (iOS 1.4.4/abc)")
        let old = ("User-Agent", "CouchbaseLite/1.1 (1.0.4/abc)")
        #expect(try await encodings([part, whole, new]) == ([nil, nil, nil], nil))
        #expect(try await encodings([part, whole, old]) == ([nil, "gzip", nil], "identity"))
        #expect(try await encodings([whole, old]) == ([nil, nil, nil], "identity"))
        #expect(try await encodings([part, new]) == ([nil, "gzip", nil], nil))
        #expect(try await encodings([whole]) == ([nil, nil, nil], nil))
    }
}

private func == (first: (parts: [String?], whole: String?), second: ([String?], String?)) -> Bool {
    first.parts == second.0 && first.whole == second.1
}
