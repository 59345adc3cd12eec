import Access
import Authentication
import BLIP
import BridgeConfiguration
import Documents
import Gateway
import HTTP
import HTTPTypes
import Server
import TestSupport
import Testing

/// Published vulnerabilities of similar programs.
@Suite("Security advisories of CouchDB and Couchbase", .serialized)
struct AdvisoryTests {
    @Test(
        "A duplicate key is refused wherever its value has an effect (CVE-2017-12635)",
        arguments: [
            ("PUT", "_user/eve", #"{"password":"xyz","admin_roles":[],"admin_roles":["boss"]}"#),
            ("PUT", "_user/eve", #"{"password":"xyz","admin_channels":["a"],"admin_ch\u0061nnels":["*"]}"#),
            ("PUT", "_user/eve", #"{"password":"xyz","collection_access":{"sales":{"orders":{},"orders":{"admin_channels":["*"]}}}}"#),
            ("POST", "_user/", #"{"name":"eve","name":"adam","password":"xyz"}"#),
            ("PUT", "_role/boss", #"{"admin_channels":[],"admin_channels":["*"]}"#),
            ("POST", "_role/", #"{"name":"boss","n\u0061me":"chief"}"#), ("POST", "_session", #"{"name":"alice","name":"bob"}"#),
        ])
    func duplicateKeys(method: String, path: String, body: String) async throws {
        try await RunningBridge.run { (bridge) async throws in
            _ = try await bridge.admin("PUT", "/shop/_user/alice", #"{"password":"abc"}"#)
            #expect(try await bridge.admin(method, "/shop/\(path)", body).status == 400)
            #expect(try await bridge.admin("GET", "/shop/_user/").text == #"["alice"]"#)
            #expect(try await bridge.admin("GET", "/shop/_role/").text == "[]")
        }
    }

    @Test(
        "Duplicate or unknown properties of the protocol are refused by both protocols alike",
        arguments: [
            #"{"_deleted":false,"_deleted":true}"#, #"{"_id":"d","\u005fid":"e"}"#, #"{"_purged":true}"#, #"{"_sync":{"channels":["*"]}}"#,
            #"{"_attachments":{"x":{"data":""},"x":{"data":""}}}"#, #"{"_exp":1,"_exp":2}"#,
        ])
    func ownProperties(body: String) async throws {
        try await RunningBridge.run { (bridge) async throws in
            let answer = try await bridge.ask("PUT", "/shop/d", body)
            #expect(answer.status == 400, "\(answer.text)")
            let client = try await RawBLIP(bridge)
            let reply = try await client.ask("rev", ["id": "d", "rev": "1-ab"], body)
            #expect([400, 404].contains(reply.errorCode ?? 0))
            let row = try await bridge.ask("POST", "/shop/_bulk_docs", #"{"docs":[\#(body)]}"#)
            let status = row.status == 201 ? try row.json.array?.first?["status"]?.int : row.status
            #expect(status == 400, "\(row.text)")
            #expect(try await bridge.ask("GET", "/shop/d").status == 404)
        }
    }

    @Test("All readers see the last value of a duplicate member of an app, as with Sync Gateway")
    func repeatedMember() async throws {
        let sync = "function (doc) { if (doc.owner !== \"me\") { throw { forbidden: \"not yours\" } } channel(doc.channels) }"
        try await RunningBridge.run({
            $0.collections.append(CollectionConfiguration(name: .default, syncFunction: sync))
        }) { (bridge) async throws in
            let refused = #"{"owner":"me","owner":"you","channels":["a"]}"#
            let taken = #"{"owner":"you","channels":0,"owner":"me","channels":["a"]}"#
            #expect(try await bridge.ask("PUT", "/shop/refused", refused).status == 403)
            #expect(try await bridge.ask("PUT", "/shop/taken", taken).status == 201)
            let body = try await bridge.ask("GET", "/shop/taken").text
            #expect(body.hasSuffix(#""owner":"me","channels":["a"]}"#), "\(body)")
            let client = try await RawBLIP(bridge)
            #expect(try await client.ask("rev", ["id": "pushed", "rev": "1-ab"], taken).errorCode == nil)
            #expect(try await bridge.ask("GET", "/shop/pushed").text.hasSuffix(#""owner":"me","channels":["a"]}"#))
        }
    }

    @Test("A function gets the document and the user, and no other part of the request (CVE-2023-45725)")
    func functionsSeeNoHeaders() async throws {
        let sync = """
            function (doc, oldDoc, meta) {
                var seen = [], names = Object.getOwnPropertyNames(globalThis);
                for (var i = 0; i < names.length; i++) {
                    var value = globalThis[names[i]];
                    seen.push(names[i] + "=" + (typeof value === "function" ? value.toString() : typeof value));
                }
                throw({forbidden: JSON.stringify([doc, oldDoc, meta, arguments.length]) + seen.join()});
            }
            """
        try await RunningBridge.run({
            $0.collections.append(CollectionConfiguration(name: .default, syncFunction: sync))
        }) { (bridge) async throws in
            _ = try await bridge.admin("PUT", "/shop/_user/alice", #"{"password":"canary-password"}"#)
            let headers = basic("alice", "canary-password") + "Cookie: canary-cookie=canary-cookie\r\nX-Canary: canary-header\r\n"
            let answer = try await bridge.ask("PUT", "/shop/d?canary=canary-query", #"{"a":1}"#, headers: headers)
            #expect(answer.status == 403 && answer.text.contains(#"\"a\":1"#), "\(answer.text)")
            for canary in ["canary", BasicCredentials(user: "alice", password: "canary-password").authorization] {
                #expect(!answer.text.contains(canary), "\(answer.text)")
            }
        }
    }

    @Test("A browser downloads an attachment, and never renders it as a page of this server (CVE-2021-38295)")
    func attachmentsAreNoPages() async throws {
        try await RunningBridge.run { (bridge) async throws in
            let types = ["text/html", "image/svg+xml", "application/xhtml+xml", "text/javascript", "text/html; charset=utf-7", "x"]
            for (index, type) in types.enumerated() {
                let body = #"{"_attachments":{"page.html":{"content_type":"\#(type)","data":"PHNjcmlwdD4="}}}"#
                #expect(try await bridge.ask("PUT", "/shop/d\(index)", body).status == 201)
                for (method, headers, status) in [("GET", "", 200), ("HEAD", "", 200), ("GET", "Range: bytes=0-3\r\n", 206)] {
                    for prefix in ["/shop", "/shop._default._default"] {
                        let answer = try await bridge.ask(method, "\(prefix)/d\(index)/page.html", headers: headers)
                        #expect(answer.status == status)
                        #expect(answer["Content-Disposition"]?.hasPrefix("attachment") == true)
                        #expect(answer["X-Content-Type-Options"] == "nosniff")
                        #expect(answer["Content-Security-Policy"]?.contains("sandbox") == true)
                    }
                }
            }
            // A content type cannot end its header.
            let body = #"{"_attachments":{"a":{"content_type":"text/html\r\nX-Injected: 1","data":""}}}"#
            _ = try await bridge.ask("PUT", "/shop/injected", body)
            #expect(try await bridge.ask("GET", "/shop/injected/a")["X-Injected"] == nil)
        }
    }

    @Test("The digest of an attachment gives no access to its bytes")
    func digestsAreNoKeys() async throws {
        try await RunningBridge.run({ $0.guest = GuestConfiguration(isEnabled: true, channels: ["g"]) }) { (bridge) async throws in
            let data = #"{"channels":["secret"],"_attachments":{"photo":{"data":"bWFybWFsYWRl"}}}"#
            #expect(try await bridge.admin("PUT", "/shop/hidden", data).status == 201)
            let digest = AttachmentDigest.sha1(of: Array("marmalade".utf8)).description
            let stub = #""_attachments":{"photo":{"stub":true,"revpos":1,"length":9,"digest":"\#(digest)"}}"#
            for (path, body) in [
                ("mine", #"{"channels":["g"],\#(stub)}"#), ("mine?new_edits=false", #"{"channels":["g"],"_rev":"1-ab",\#(stub)}"#),
                ("hidden?new_edits=false", #"{"channels":["g"],"_rev":"2-ff","_revisions":{"start":2,"ids":["ff","ee"]},\#(stub)}"#),
                (
                    "hidden?new_edits=false",
                    #"{"channels":["g"],"_rev":"2-ff","_revisions":{"start":2,"ids":["ff","ee"]},"_attachments":{"photo":{"stub":true,"revpos":1}}}"#
                ),
            ] {
                let answer = try await bridge.ask("PUT", "/shop/\(path)", body)
                #expect(answer.status == 412, "\(path): \(answer.text)")
            }
            let row = try await bridge.ask("POST", "/shop/_bulk_docs", #"{"docs":[{"_id":"mine","channels":["g"],\#(stub)}]}"#)
            #expect(try row.json.array?.first?["status"]?.int == 412)
            // A stub of an attachment of the same document is accepted.
            #expect(
                try await bridge.ask("PUT", "/shop/own", #"{"channels":["g"],"_attachments":{"photo":{"data":"bWFybWFsYWRl"}}}"#).status
                    == 201)
            let revision = try #require(try await bridge.ask("GET", "/shop/own").json["_rev"]?.string)
            #expect(try await bridge.ask("PUT", "/shop/own?rev=\(revision)", #"{"channels":["g"],\#(stub)}"#).status == 201)
            #expect(try await bridge.ask("GET", "/shop/own/photo").text == "marmalade")
        }
    }

    @Test("No line of the log has a secret, at any level and after any error (CVE-2025-52490)")
    func logs() async throws {
        let log = TestLog()
        let (password, token, wrong) = ("canary-password-7", "canary-token-7", "canary-wrong-7")
        try await FakeServer.run({ call, _ in
            call.headers[.authorization] == "Bearer \(token)" ? FakeServer.json(#"{"id":"100"}"#) : FakeServer.json(#"{"id":"app-1"}"#)
        }) { (_, url) async throws in
            try await RunningBridge.run(
                { $0.guest = GuestConfiguration() },
                serving: {
                    var facebook = FacebookConfiguration(apps: .only(["app-1"]), graph: try VerificationEndpoint(configured: url))
                    facebook.registers = true
                    facebook.appSecret = Secret("canary-secret-7")
                    $0.authenticators.facebook = facebook
                    $0.authenticators.upstream = UpstreamConfiguration(
                        database: try VerificationEndpoint(configured: FakeServer.nobody, plainHTTP: .anywhere))
                }, logger: log.logger
            ) { (bridge) async throws in
                #expect(
                    try await bridge.admin("PUT", "/shop/_user/alice", #"{"password":"\#(password)","admin_channels":["a"]}"#).status == 201
                )
                _ = try await bridge.admin("PUT", "/shop/_user/eve", #"{"password":"\#(wrong)","password":"\#(password)"}"#)
                let login = try await bridge.ask("POST", "/shop/_session", #"{"name":"alice","password":"\#(password)"}"#)
                let session = String((login["Set-Cookie"] ?? "").prefix { $0 != ";" }.drop { $0 != "=" }.dropFirst())
                #expect(session.utf8.count == 40)
                let cookie = "Cookie: SyncGatewaySession=\(session)\r\n"
                let made = try await bridge.admin("POST", "/shop/_session", #"{"name":"alice"}"#).json["session_id"]?.string ?? ""
                for headers in [
                    basic("alice", password), basic("alice", wrong), basic("nobody", wrong), cookie,
                    "Cookie: SyncGatewaySession=\(wrong)\r\n",
                    "Authorization: Bearer \(token)\r\n", "Authorization: Basic \(wrong)\r\n",
                ] {
                    _ = try await bridge.ask("GET", "/shop/", headers: headers)
                    _ = try await bridge.ask("PUT", "/shop/d", "{", headers: headers)
                    let socket = try bridge.connect()
                    defer { socket.cut() }
                    try await socket.send(RawWebSocket.request(headers: headers))
                    _ = try await socket.read(until: "\r\n\r\n")
                }
                for text in [token, wrong] {
                    _ = try await bridge.ask("POST", "/shop/_facebook", #"{"access_token":"\#(text)"}"#)
                    _ = try await bridge.ask("POST", "/shop/_facebook", #"{"access_token":"\#(text)"#)
                }
                _ = try await bridge.ask("GET", "/shop/_session?access_token=\(token)")
                _ = try await bridge.admin("DELETE", "/shop/_session/\(made)")
                _ = try await bridge.admin("DELETE", "/shop/_user/alice/_session/\(session)")
                let client = try await RawBLIP(bridge, headers: basic("alice", password))
                _ = try await client.ask("rev", ["id": "d", "rev": "x"], "{")
                let encoded = BasicCredentials(user: "alice", password: password).authorization.dropFirst(6)
                for secret in [password, token, wrong, session, made, "canary-secret-7", String(encoded)] where !secret.isEmpty {
                    #expect(log.lines.filter { $0.contains(secret) } == [])
                }
                #expect(!log.lines.isEmpty)
            }
        }
    }
}
