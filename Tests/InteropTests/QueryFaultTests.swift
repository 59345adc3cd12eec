import Documents
import Testing

@Suite("Bad queries and methods")
struct QueryFaultTests {
    static let queries = [
        "/shop/_changes?since=x", "/shop/_changes?since=-1", "/shop/_changes?since=1.5", "/shop/_changes?since=[",
        "/shop/_changes?since=5:",
        "/shop/_changes?limit=x", "/shop/_changes?limit=-1", "/shop/_changes?limit=1e3", "/shop/_changes?limit=99999999999999999999",
        "/shop/_changes?feed=odd", "/shop/_changes?since=1:2:3:4", "/shop/_changes?filter=_doc_ids&doc_ids=[]",
        "/shop/_changes?filter=sync_gateway/bychannel&channels=a,",
        "/shop/_changes?active_only=2", "/shop/_changes?filter=mine", "/shop/_changes?filter=_doc_ids",
        "/shop/_changes?filter=_doc_ids&doc_ids=[1]", "/shop/_changes?filter=_doc_ids&doc_ids=[",
        "/shop/_changes?filter=sync_gateway/bychannel",
        "/shop/_all_docs?limit=x", "/shop/_all_docs?skip=x", "/shop/_all_docs?keys=x", "/shop/_all_docs?keys=[1]",
        "/shop/_all_docs?startkey=%22a",
        "/shop/_all_docs?inclusive_end=x", "/shop/_all_docs?descending=x", "/shop/d?atts_since=x", "/shop/d?atts_since=[1]",
        "/shop/d?open_revs=x", "/shop/d?open_revs=[1]", "/shop/d?open_revs={}", "/shop/%zz", "/shop/a%", "/shop/%ff", "/shop/d?rev=%zz",
        "/shop/a%00b",
        "/shop/\(String(repeating: "x", count: 251))",
    ]

    @Test("An invalid query is refused with 400")
    func queries() async throws {
        try await RunningBridge.run { bridge in
            #expect(try await bridge.ask("PUT", "/shop/d", "{}").status == 201)
            let socket = try bridge.connect()
            for path in Self.queries {
                let answer = try await socket.ask("GET", path)
                let isTooLong = path.count > 200
                #expect(answer.status == 400 || isTooLong && answer.status == 404, "\(path): \(answer.status) \(answer.text)")
                #expect(try answer.json["error"]?.string?.isEmpty == false, "\(path)")
                #expect(try answer.json["reason"]?.string?.isEmpty == false, "\(path)")
            }
            socket.cut()
            try await bridge.expectSound(after: "bad queries")
        }
    }

    @Test(
        "A revision ID that cannot exist is reported as missing", arguments: ["x", "0-a", "1-", "-1-a", "1-a,b", "99999999999999999999-a"])
    func impossibleRevisions(_ revision: String) async throws {
        try await RunningBridge.run { (bridge) async throws in
            #expect(try await bridge.ask("PUT", "/shop/d", "{}").status == 201)
            #expect(try await bridge.ask("GET", "/shop/d?rev=\(revision)").status == 404)
        }
    }

    @Test("Writes with invalid queries and names are refused, and write nothing")
    func writes() async throws {
        try await RunningBridge.run { bridge in
            for (method, path, status) in [
                ("PUT", "/shop/d?new_edits=maybe", 400), ("PUT", "/shop/d?rev=x", 400), ("DELETE", "/shop/d?rev=x", 400),
                ("PUT", "/shop/d/a?rev=x", 400),
                ("PUT", "/shop/\(String(repeating: "x", count: 251))", 400), ("PUT", "/shop/a%00b", 400), ("PUT", "/shop/a%0Ab", 400),
                ("PUT", "/shop/_odd", 404), ("PUT", "/shop/_local/\(String(repeating: "x", count: 251))", 400),
            ] {
                let answer = try await bridge.ask(method, path, "{}")
                #expect(answer.status == status, "\(method) \(path): \(answer.text)")
                #expect(try answer.json["reason"]?.string?.isEmpty == false)
            }
            try await bridge.expectSound(after: "bad writes")
            #expect(try await bridge.ask("GET", "/shop/_all_docs").json["total_rows"]?.int == 0)
        }
    }

    @Test(
        "A method that a path does not have gets 405, with the allowed methods",
        arguments: [
            ("DELETE", "/", "GET, HEAD"), ("POST", "/", "GET, HEAD"), ("DELETE", "/shop/", "GET, HEAD, POST, PUT"),
            ("GET", "/shop/_bulk_docs", "POST"),
            ("PUT", "/shop/_bulk_docs", "POST"), ("GET", "/shop/_bulk_get", "POST"), ("GET", "/shop/_revs_diff", "POST"),
            ("GET", "/shop/_ensure_full_commit", "POST"), ("PUT", "/shop/_changes", "GET, HEAD, POST"),
            ("DELETE", "/shop/_all_docs", "GET, HEAD, POST"),
            ("POST", "/shop/d", "DELETE, GET, HEAD, PUT"), ("PATCH", "/shop/d", "DELETE, GET, HEAD, PUT"),
            ("POST", "/shop/d/a", "DELETE, GET, HEAD, PUT"), ("POST", "/shop/_local/x", "DELETE, GET, HEAD, PUT"),
        ])
    func methods(method: String, path: String, allowed: String) async throws {
        try await RunningBridge.run { bridge in
            let answer = try await bridge.ask(method, path)
            #expect(answer.status == 405, "\(answer.text)")
            #expect(answer["Allow"] == allowed)
            #expect(try answer.json["error"]?.string == "Method Not Allowed")
            // Sync Gateway's reason is empty; the header has the methods.
            #expect(try answer.json["reason"]?.string != nil)
        }
    }
}
