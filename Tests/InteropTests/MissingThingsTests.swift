import Documents
import Testing

@Suite("Missing databases, documents and attachments")
struct MissingThingsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let method: String
        let path: String
        var body = ""
        let status: Int
        let error: String

        init(_ method: String, _ path: String, body: String = "", _ status: Int, _ error: String) {
            (self.method, self.path, self.body, self.status, self.error) = (method, path, body, status, error)
        }

        var testDescription: String { "\(method) \(path) \(body)" }
    }

    private static let unknown = "2-ffffffffffffffffffffffffffffffff"

    /// The document `d` exists with one revision and the attachment `a`, and so does the tombstone `gone`.
    static let cases = [
        Case("GET", "/nowhere/", 404, "not_found"),
        Case("GET", "/nowhere/doc", 404, "not_found"),
        Case("POST", "/nowhere/_bulk_docs", body: #"{"docs":[]}"#, 404, "not_found"),
        Case("GET", "/nowhere/_blipsync", 404, "not_found"),
        Case("GET", "/_session", 404, "not_found"),
        Case("POST", "/_session", body: "name=a&password=b", 404, "not_found"),
        Case("GET", "/_uuids", 404, "not_found"),
        Case("GET", "/shop/_security", 404, "not_found"),
        Case("POST", "/shop/_find", body: #"{"selector":{}}"#, 404, "not_found"),
        Case("POST", "/shop/_index", body: "{}", 404, "not_found"),
        Case("GET", "/shop/_design/x/_view/y", 404, "not_found"),
        Case("POST", "/shop/_temp_view", body: "{}", 404, "not_found"),
        Case("GET", "/shop.sales.gone/", 404, "not_found"),
        Case("GET", "/shop.gone/d", 404, "not_found"),
        Case("PUT", "/shop.sales.gone/d", body: "{}", 404, "not_found"),
        Case("GET", "/shop.sales.orders/_blipsync", 404, "not_found"),
        Case("GET", "/shop.sales.orders/d", 404, "not_found"),
        Case("GET", "/shop/_nothing", 404, "not_found"),
        Case("GET", "/shop/_local/none", 404, "not_found"),
        Case("DELETE", "/shop/_local/none?rev=0-1", 404, "not_found"),
        Case("PUT", "/shop/_local/none", body: #"{"_rev":"0-7"}"#, 404, "not_found"),
        Case("GET", "/shop/none", 404, "not_found"),
        Case("DELETE", "/shop/none?rev=\(unknown)", 409, "conflict"),
        Case("GET", "/shop/gone", 404, "not_found"),
        Case("GET", "/shop/d?rev=\(unknown)", 404, "not_found"),
        Case("PUT", "/shop/d?rev=\(unknown)", body: "{}", 409, "conflict"),
        Case("PUT", "/shop/d", body: "{}", 409, "conflict"),
        Case("DELETE", "/shop/d?rev=\(unknown)", 409, "conflict"),
        Case("PUT", "/shop/none", body: #"{"_rev":"1-abc"}"#, 409, "conflict"),
        Case("GET", "/shop/d/none", 404, "not_found"),
        Case("GET", "/shop/none/a", 404, "not_found"),
        Case("GET", "/shop/gone/a", 404, "not_found"),
        Case("GET", "/shop/d/a?rev=\(unknown)", 404, "not_found"),
        Case("GET", "/shop/d/a?rev=nonsense", 404, "not_found"),
        Case("DELETE", "/shop/d/none", 409, "conflict"),
        Case(
            "PUT", "/shop/none?new_edits=false",
            body: #"{"_rev":"1-a","_attachments":{"a":{"stub":true,"revpos":1,"digest":"sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="}}}"#, 412,
            "missing_stub"),
        Case("GET", "/shop/_design/x", 404, "not_found"),
        Case("DELETE", "/shop/_design/x", 403, "Forbidden"),
        Case("GET", "/shop/_changes?filter=app/none", 404, "not_found"),
        Case("PUT", "/shop/", 412, "Precondition Failed"),
    ]

    @Test("A missing object gets 404, with the reasons that 1.x clients expect")
    func missing() async throws {
        try await RunningBridge.run { bridge in
            let created = try await bridge.ask("PUT", "/shop/d", #"{"_attachments":{"a":{"data":"AAAA"}}}"#)
            #expect(created.status == 201)
            #expect(try await bridge.ask("PUT", "/shop/gone", #"{"_deleted":true}"#).status == 201)
            for missing in Self.cases {
                let answer = try await bridge.ask(missing.method, missing.path, missing.body)
                #expect(answer.status == missing.status, "\(missing.testDescription): \(answer.text)")
                let json = try answer.json
                #expect(json["error"]?.string == missing.error, "\(missing.testDescription): \(answer.text)")
                #expect(json["reason"]?.string?.isEmpty == false, "\(missing.testDescription): \(answer.text)")
            }
            try await bridge.expectSound(after: "requests for what is missing")
            #expect(try await bridge.ask("GET", "/shop/d").json["_rev"] == created.json["rev"])
        }
    }

    @Test("Lists mark each missing item")
    func rows() async throws {
        try await RunningBridge.run { bridge in
            let json = "Accept: application/json\r\n"
            let got = try await bridge.ask(
                "POST", "/shop/_bulk_get", #"{"docs":[{"id":"none"},{"id":"none","rev":"1-a"},{"id":"none","rev":"bad"},{"rev":"1-a"}]}"#,
                headers: json)
            #expect(got.status == 200)
            let results = try got.json["results"]?.array ?? []
            #expect(results.map { $0["docs"]?.array?.first?["error"]?["status"]?.int } == [404, 404, 404, 400], "\(got.text)")
            let open = try await bridge.ask("GET", #"/shop/none?open_revs=["1-a"]"#, headers: json)
            #expect(open.status == 200 && open.text.contains("missing"), "\(open.text)")
            let listed = try await bridge.ask("POST", "/shop/_all_docs", #"{"keys":["none"]}"#)
            #expect(listed.text.contains(#""error":"not_found""#), "\(listed.text)")
            let parts = try await bridge.ask("POST", "/shop/_bulk_get", #"{"docs":[{"id":"none","rev":"1-a"}]}"#)
            #expect(parts["Content-Type"]?.hasPrefix("multipart/mixed") == true)
            #expect(parts.text.contains(#"error="true""#) && parts.text.contains(#""status":404"#), "\(parts.text)")
        }
    }
}
