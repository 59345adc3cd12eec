import Documents
import Testing

/// Ways round the checks that have worked on others: by how a path is written, and by how a method is.
@Suite("Tricks with paths and methods", .serialized)
struct PathTrickTests {
    @Test("However a path is written, who has not logged in is not let in")
    func withoutLogin() async throws {
        try await MatrixWorld.run(guest: false) { (world) async throws in
            let id = try await world.documents(0).hidden
            let paths = [
                "/shop/\(id)", "/shop/\(id)/", "/shop//\(id)", "//shop/\(id)", "/shop/./\(id)", "/shop/%2e/\(id)", "/shop/x/../\(id)",
                "/shop/x/%2e%2e/\(id)", "/shop/..%2fshop/\(id)", "/./shop/\(id)", "/%2e/shop/\(id)", "/SHOP/\(id)", "/Shop/\(id)",
                "/%73hop/\(id)", "/shop%2f\(id)", "/shop/%68idden0", "/shop/\(id)%00", "/shop/\(id)?", "/shop/\(id)%3frev=1",
                "/shop;x/\(id)",
                "/shop/\(id);x", "/shop/\(id).json", "/_session/../shop/\(id)", "/shop/_session/../\(id)", "/shop/_session/%2e%2e/\(id)",
                "/shop/_session%2f..%2f\(id)", "/shop/_facebook/../\(id)", "/_ping/../shop/\(id)", "/_ping/shop/\(id)", "\\shop\\\(id)",
                "http://127.0.0.1/shop/\(id)", "/shop./\(id)", "/shop._default/\(id)", "/shop._default._default/\(id)",
                "/shop._default.nowhere/\(id)", "/shop/_all_docs/", "/shop/%5fall_docs", "/shop/_ALL_DOCS", "/shop/_changes?feed=websocket",
            ]
            for path in paths {
                for method in ["GET", "HEAD", "POST", "PUT", "DELETE"] {
                    let answer = try await world.ask(.noCredentials, method, path, method == "POST" ? "{}" : "")
                    // A slash in the first segment names a database, and the public port makes none.
                    let refusals = method == "PUT" && path.hasPrefix("/shop%2f") ? [403] : [400, 401, 404, 405]
                    #expect(refusals.contains(answer.status), "\(method) \(path): \(answer.status)")
                    #expect(!answer.text.contains(MatrixWorld.marker), "\(method) \(path)")
                }
            }
        }
    }

    @Test("However a path is written, the admin port's is not on the public one")
    func adminPaths() async throws {
        try await MatrixWorld.run(guest: true) { (world) async throws in
            let paths = [
                "_user/insider", "%5fuser/insider", "%5Fuser%2finsider", "_USER/insider", "_user//insider", "_user/./insider",
                "/_user/insider",
                "./_user/insider", "x/../_user/insider", "x/%2e%2e/_user/insider", "_session/../_user/insider", "_user/insider/",
                "_user/insider?", "_user%00/insider", "_user/insider/_session", "_role/", "%5frole/", "_session/abc",
            ]
            for path in paths {
                for method in ["GET", "PUT", "DELETE"] {
                    let body = method == "PUT" ? #"{"password":"changed"}"# : ""
                    let answer = try await world.ask(.userWithChannel, method, "/shop/\(path)", body)
                    #expect(answer.text.contains("insider") == false && answer.text.contains("email") == false, "\(method) \(path)")
                }
            }
            #expect(try await world.ask(.userWithChannel, "GET", "/shop/_session").json["userCtx"]?["name"]?.string == "insider")
            #expect(try await world.ask(.administrator, "GET", "/shop/_user/insider").status == 200)
        }
    }

    @Test("No header makes another method, path or caller of a request")
    func overrides() async throws {
        try await MatrixWorld.run(guest: false) { (world) async throws in
            let id = try await world.documents(0).hidden
            for header in ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"] {
                let answer = try await world.ask(.userWithChannel, "POST", "/shop/\(id)", "{}", headers: "\(header): DELETE\r\n")
                #expect(answer.status == 405)
            }
            let claims = [
                "X-Original-URL: /_ping\r\n", "X-Rewrite-URL: /_ping\r\n", "X-Forwarded-For: 127.0.0.1\r\n",
                "X-Forwarded-User: insider\r\n",
                "X-Auth-CouchDB-UserName: insider\r\nX-Auth-CouchDB-Roles: _admin\r\n", "X-Forwarded-Port: 4985\r\n",
                "Host: 127.0.0.1:4985\r\n",
                "Authorization: Basic\r\n", "Authorization: Bearer x\r\n", "Authorization: Negotiate x\r\n", "Cookie: AuthSession=x\r\n",
                "Cookie: syncgatewaysession=x\r\n", "X-Forwarded-Client-Cert: x\r\n", "X-SSL-Client-S-DN: CN=insider\r\n",
            ]
            for claim in claims {
                let answer = try await world.ask(.noCredentials, "GET", "/shop/\(id)", headers: claim)
                #expect([400, 401].contains(answer.status), "\(claim): \(answer.status)")
            }
            for method in ["OPTIONS", "TRACE", "PATCH", "COPY", "get", "PROPFIND", "CONNECT"] {
                let answer = try await world.ask(.noCredentials, method, "/shop/\(id)")
                let expected = method == "OPTIONS" ? [204] : [400, 401, 405, 501]
                #expect(expected.contains(answer.status), "\(method): \(answer.status)")
                let known = try await world.ask(.userWithoutChannel, method, "/shop/\(id)")
                #expect(
                    [204, 400, 405, 501].contains(known.status) && !known.text.contains(MatrixWorld.marker), "\(method): \(known.status)")
            }
        }
    }
}
