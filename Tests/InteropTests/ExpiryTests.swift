import Documents
import Testing

@Suite("Documents that expire, over HTTP", .serialized)
struct ExpiryTests {
    @Test("_exp is removed from the document, returned on request only, and refused if it is not a time")
    func shown() async throws {
        try await RunningBridge.run { bridge in
            let written = try await bridge.ask("PUT", "/shop/doc", #"{"_exp":"2033-05-18T03:33:20Z","v":1}"#)
            // The revision's ID is that of the same document without `_exp`, as with Sync Gateway: {"v":1}.
            #expect(try written.json["rev"]?.string == "1-7872796cf808575a89b75936e3d04bc5")
            #expect(try await bridge.ask("GET", "/shop/doc").json["_exp"] == nil)
            #expect(try await bridge.ask("GET", "/shop/doc?show_exp=true").json["_exp"]?.string == "2033-05-18T03:33:20Z")
            let bulk = try await bridge.ask(
                "POST", "/shop/_bulk_get?show_exp=true", #"{"docs":[{"id":"doc"}]}"#, headers: "Accept: application/json\r\n")
            #expect(bulk.text.contains(#""_exp":"2033-05-18T03:33:20Z""#))
            #expect(try await !bridge.ask("GET", "/shop/_changes?include_docs=true").text.contains("_exp"))
            #expect(try await !bridge.ask("GET", "/shop/_all_docs?include_docs=true").text.contains("_exp"))
            let bad = try await bridge.ask("PUT", "/shop/bad", #"{"_exp":"soon"}"#)
            #expect(bad.status == 400)
            #expect(try bad.json["reason"]?.string?.hasPrefix("Invalid expiry") == true)
            let rows = try await bridge.ask("POST", "/shop/_bulk_docs", #"{"docs":[{"_id":"x","_exp":true},{"_id":"y","_exp":0}]}"#)
            #expect(try rows.json.array?.map { $0["status"]?.int ?? 201 } == [400, 201])
        }
    }

    @Test("A document is deleted at its time of expiry while the bridge runs, and feeds get the tombstone")
    func expires() async throws {
        try await RunningBridge.run { bridge in
            #expect(try await bridge.ask("PUT", "/shop/later", #"{"_exp":"2033-05-18T03:33:20Z"}"#).status == 201)
            let socket = try bridge.connect()
            try await socket.send("GET /shop/_changes?feed=continuous&heartbeat=30000 HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await bridge.ask("PUT", "/shop/now", #"{"_exp":1,"type":"order"}"#).status == 201)
            _ = try await socket.read(until: #""id":"now","#)
            _ = try await socket.read(until: #""deleted":true"#)
            socket.cut()
            #expect(try await bridge.ask("GET", "/shop/now").status == 404)
            #expect(try await bridge.ask("GET", "/shop/later").status == 200)
            try await bridge.expectSound(after: "an expiry")
        }
    }
}
