import Documents
import Gateway
import Testing

/// Expected replies follow the recorded replies of Sync Gateway 2.8.4 and 3.2.7, and its source where nothing was recorded.
@Suite("Users and roles on the admin port", .serialized)
struct AccountEndpointTests {
    @Test("A user is created, read, changed, listed and deleted")
    func lifecycle() async throws {
        try await RunningBridge.run { (bridge) async throws in
            let created = try await bridge.admin("PUT", "/shop/_user/bob", #"{"password":"pw1","admin_channels":["a"]}"#)
            #expect(created.status == 201)
            #expect(created.body.isEmpty)
            let read = try await bridge.admin("GET", "/shop/_user/bob")
            #expect(
                read.text
                    == #"{"name":"bob","admin_channels":["a"],"collection_access":{"sales":{"orders":{"all_channels":["!","a"]}}},"#
                    + #""email":"","disabled":false,"all_channels":["!","a"]}"#)
            #expect(read["Content-Type"] == "application/json")
            #expect(try await bridge.admin("PUT", "/shop/_user/bob", #"{"email":"bob@x.org"}"#).status == 200)
            #expect(try await bridge.admin("GET", "/shop/_user/").text == #"["bob"]"#)
            #expect(
                try await bridge.admin("GET", "/shop/_user/?name_only=false").text
                    == #"[{"name":"bob","email":"bob@x.org","disabled":false}]"#)
            #expect(try await bridge.admin("GET", "/shop/_user/?limit=1").status == 400)
            #expect(try await bridge.admin("GET", "/shop/_user/none").status == 404)
            #expect(try await bridge.admin("DELETE", "/shop/_user/bob").status == 200)
            for method in ["GET", "DELETE"] {
                let gone = try await bridge.admin(method, "/shop/_user/bob")
                #expect(gone.status == 404)
                #expect(gone.text == #"{"error":"not_found","reason":"missing"}"#)
            }
        }
    }

    @Test("POST creates an account under the name in the body, and replaces none")
    func post() async throws {
        try await RunningBridge.run { (bridge) async throws in
            let body = #"{"name":"bob","password":"pw1"}"#
            #expect(try await bridge.admin("POST", "/shop/_user/", body).status == 201)
            let again = try await bridge.admin("POST", "/shop/_user/", body)
            #expect(again.status == 409)
            #expect(again.text == #"{"error":"conflict","reason":"Already exists"}"#)
            #expect(try await bridge.admin("POST", "/shop/_user/", #"{"password":"pw1"}"#).text.contains("Missing name property"))
            #expect(try await bridge.admin("POST", "/shop/_role/", #"{"name":"r"}"#).status == 201)
            #expect(try await bridge.admin("POST", "/shop/_role/", #"{"name":"r"}"#).status == 409)
        }
    }

    @Test(
        "An invalid account is refused, and changes nothing",
        arguments: [
            (#"{"name":"eve","password":"xyz"}"#, 400), (#"{}"#, 400), (#"{"password":""}"#, 400), (#"{"password":"ab"}"#, 400),
            (#"{"password":"xyz","admin_channels":["a,b"]}"#, 400),
            (#"{"password":"xyz","admin_channels":"a"}"#, 400), (#"{"password":"xyz","disabled":1}"#, 400),
            (#"{"password":"xyz","email":"no"}"#, 400),
            (#"{"password":"xyz","all_channels":["z"]}"#, 400), (#"{"password":"xyz","roles":["z"]}"#, 400),
            (#"{"password":"xyz","collection_access":{"sales":{"none":{"admin_channels":["a"]}}}}"#, 404),
            (#"{"password":"xyz","password":"yyy"}"#, 400), (#"{"password":"#, 400), ("[]", 400), ("", 400),
        ])
    func refused(body: String, status: Int) async throws {
        try await RunningBridge.run { (bridge) async throws in
            #expect(try await bridge.admin("PUT", "/shop/_user/bob", body).status == status)
            #expect(try await bridge.admin("GET", "/shop/_user/bob").status == 404)
        }
    }

    @Test("An account can be written back as it was read")
    func roundTrip() async throws {
        try await RunningBridge.run { (bridge) async throws in
            #expect(try await bridge.admin("PUT", "/shop/_role/r", #"{"admin_channels":["c"]}"#).status == 201)
            let body =
                #"{"password":"xyz","admin_channels":["a"],"admin_roles":["r"],"collection_access":{"sales":{"orders":{"admin_channels":["o"]}}}}"#
            #expect(try await bridge.admin("PUT", "/shop/_user/bob", body).status == 201)
            let read = try await bridge.admin("GET", "/shop/_user/bob")
            #expect(
                read.text
                    == #"{"name":"bob","admin_channels":["a"],"collection_access":{"sales":{"orders":{"admin_channels":["o"],"#
                    + #""all_channels":["!","c","o"]}}},"email":"","disabled":false,"admin_roles":["r"],"all_channels":["!","a","c"],"roles":["r"]}"#
            )
            #expect(try await bridge.admin("PUT", "/shop/_user/bob", read.text).status == 200)
            #expect(try await bridge.admin("GET", "/shop/_user/bob").text == read.text)
            let role = try await bridge.admin("GET", "/shop/_role/r")
            #expect(
                role.text
                    == #"{"name":"r","admin_channels":["c"],"collection_access":{"sales":{"orders":{"all_channels":["!","c"]}}},"all_channels":["!","c"]}"#
            )
            #expect(try await bridge.admin("GET", "/shop/_role/").text == #"["r"]"#)
            #expect(try await bridge.admin("DELETE", "/shop/_role/r").status == 200)
            #expect(try await bridge.admin("GET", "/shop/_user/bob").text.contains(#""all_channels":["!","a"]"#))
        }
    }

    @Test(
        "Names with unusual characters are valid, percent-encoded in the path",
        arguments: [("a%20b", "a b"), ("caf%C3%A9", "café"), ("x@y.org", "x@y.org"), ("a%2Bb", "a+b")])
    func names(path: String, name: String) async throws {
        try await RunningBridge.run { (bridge) async throws in
            #expect(try await bridge.admin("PUT", "/shop/_user/\(path)", #"{"password":"xyz"}"#).status == 201)
            #expect(try await bridge.admin("GET", "/shop/_user/\(path)").json["name"]?.string == name)
            #expect(try await bridge.ask("GET", "/shop/", headers: basic(name, "xyz")).status == 200)
        }
    }

    @Test("Invalid names are refused", arguments: ["a%2Fb", "a%3Ab", "%60", "a,b", "..."])
    func badNames(path: String) async throws {
        try await RunningBridge.run { (bridge) async throws in
            #expect(try await bridge.admin("PUT", "/shop/_user/\(path)", #"{"password":"xyz"}"#).status == 400)
            #expect(try await bridge.admin("PUT", "/shop/_role/\(path)", "{}").status == 400)
        }
    }

    @Test("The guest can be disabled and enabled, but not deleted")
    func guest() async throws {
        try await RunningBridge.run { (bridge) async throws in
            #expect(try await bridge.ask("GET", "/shop/").status == 200)
            #expect(try await bridge.admin("GET", "/shop/_user/GUEST").json["all_channels"]?.array == [.string("!"), .string("*")])
            #expect(try await bridge.admin("DELETE", "/shop/_user/GUEST").status == 405)
            #expect(try await bridge.admin("PUT", "/shop/_user/GUEST", #"{"password":"xyz"}"#).status == 400)
            #expect(try await bridge.admin("PUT", "/shop/_user/GUEST", #"{"disabled":true}"#).status == 200)
            let refused = try await bridge.ask("GET", "/shop/")
            #expect(refused.status == 401)
            #expect(refused.text == #"{"error":"Unauthorized","reason":"Login required"}"#)
            #expect(refused["WWW-Authenticate"] == #"Basic realm="Couchbase Sync Gateway""#)
        }
    }

    @Test(
        "The public port has none of these endpoints, for any caller",
        arguments: ["_user/", "_user/bob", "_role/", "_role/r", "_session/x", "_user/bob/_session"])
    func hidden(path: String) async throws {
        try await RunningBridge.run { (bridge) async throws in
            for method in ["GET", "PUT", "POST", "DELETE"] {
                let answer = try await bridge.ask(method, "/shop/\(path)", "{}")
                #expect(answer.status == 404)
                #expect(answer.text == #"{"error":"not_found","reason":"unknown URL"}"#)
            }
        }
    }
}
