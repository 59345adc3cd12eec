import BLIP
import Documents
import Testing

/// Couchbase Lite for .NET does not escape document IDs in its URLs.
@Suite("IDs that .NET does not escape")
struct UnescapedIDTests {
    private static let ids = ["a/b", "a/b/c", "folder/", "a//b", "x[1]/y", "per+plus/z"]

    @Test("Unescaped slashes in an ID are accepted in pushes and pulls", arguments: ids)
    func slashes(id: String) async throws {
        try await RunningBridge.run { bridge in
            let first = #"{"_id":"\#(id)","_rev":"1-aa","_revisions":{"start":1,"ids":["aa"]},"n":1.0}"#
            let put = try await bridge.ask("PUT", "/shop/\(id)?new_edits=false", first)
            #expect(put.status == 201, "\(put.text)")
            #expect(try put.json["id"]?.string == id)
            for query in [
                "rev=1-aa&revs=true", "rev=1-aa&revs=true&attachments=true&atts_since=[]", "rev=1-aa&revs=true&atts_since=[\"1-aa\"]",
            ] {
                let answer = try await bridge.ask("GET", "/shop/\(id)?\(query)", headers: "Accept: application/json\r\n")
                #expect(answer.status == 200, "\(query): \(answer.text)")
                #expect(try answer.json["_id"]?.string == id)
                #expect(answer.text.contains(#""n":1.0"#))
            }
            let open = try await bridge.ask(
                "GET", "/shop/\(id)?open_revs=[\"1-aa\",\"2-no\"]&revs=true", headers: "Accept: application/json\r\n")
            #expect(
                open.status == 200 && open.text.contains(#""_rev":"1-aa""#) && open.text.contains(#"{"missing":"2-no"}"#), "\(open.text)")
            let escaped = id.utf8.map {
                $0 == 0x2F || $0 == 0x5B || $0 == 0x5D || $0 == 0x2B ? "%\(String($0, radix: 16))" : String(UnicodeScalar($0))
            }.joined()
            #expect(try await bridge.ask("GET", "/shop/\(escaped)").json["_id"]?.string == id)
            #expect(try await RawBLIP(bridge).pull()[id]?.properties["rev"] == "1-aa")
            try await bridge.expectSound(after: id)
        }
    }

    @Test("Unescaped IDs of any script are accepted, in several requests over one connection")
    func unicode() async throws {
        try await RunningBridge.run { bridge in
            let socket = try bridge.connect()
            defer { socket.cut() }
            #expect(try await socket.ask("PUT", "/shop/é😀", #"{"n":1}"#).status == 201)
            #expect(try await socket.ask("GET", "/shop/é😀").text.contains(#""n":1"#))
            #expect(try await socket.ask("GET", "/shop/%C3%A9%F0%9F%98%80").text.contains(#""_id":"é😀""#))
            let feed = try await socket.ask("GET", "/shop/_changes?filter=_doc_ids&doc_ids=é😀,ü")
            #expect(try feed.json["results"]?.array?.count == 1)
        }
    }

    @Test("A multipart document with an unescaped ID is accepted, and its attachment found by the escaped ID")
    func multipart() async throws {
        try await RunningBridge.run { bridge in
            let body =
                "--b\r\nContent-Type: application/json\r\n\r\n{\"_id\":\"a/b\",\"_rev\":\"1-aa\",\"_attachments\":{\"c\":{\"follows\":true,\"length\":3}}}"
                + "\r\n--b\r\nContent-Disposition: attachment; filename=\"c\"\r\n\r\nabc\r\n--b--"
            let socket = try bridge.connect()
            try await socket.send(
                "PUT /shop/a/b?new_edits=false HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/related; boundary=b\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            )
            #expect(try await socket.answer().status == 201)
            #expect(try await socket.ask("GET", "/shop/a%2Fb/c").text == "abc")
            #expect(try await socket.ask("GET", "/shop/a%2Fb/c?rev=1-aa").text == "abc")
            socket.cut()
        }
    }

    @Test("The path's ID counts if the body has another ID")
    func otherID() async throws {
        try await RunningBridge.run { bridge in
            let answer = try await bridge.ask("PUT", "/shop/a", #"{"_id":"b"}"#)
            #expect(answer.status == 201)
            #expect(try answer.json["id"]?.string == "a")
            #expect(try await bridge.ask("GET", "/shop/b").status == 404)
            #expect(try await bridge.ask("PUT", "/shop/_local/a/b", "{}").status == 201)
            #expect(try await bridge.ask("GET", "/shop/_local/a%2Fb").json["_id"]?.string == "_local/a/b")
        }
    }
}
