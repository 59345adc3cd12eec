import BridgeConfiguration
import Documents
import Server
import Testing

@Suite("Logins and roles at the admin port", .serialized)
struct AdminRoleTests {
    private static let operators: Set<String> = [
        "POST _cutover", "POST _cutover/devices", "POST _cutover/comparison", "DELETE _cutover/comparison", "POST _migrations",
        "POST _resync", "POST _online", "POST _offline", "POST _compact",
        "POST _parked",
        "POST _session", "DELETE _session/*", "DELETE _user/*/_session", "DELETE _user/*/_session/*", "PUT _replicationStatus/*",
        "PUT _logging", "POST _logging",
    ]
    private static let reads: Set<String> = [
        "POST endpoint(\"_changes\")", "POST endpoint(\"_all_docs\")", "POST endpoint(\"_bulk_get\")", "POST endpoint(\"_revs_diff\")",
    ]

    private static func isAllowed(_ row: MatrixRow, _ role: AdminRole) -> Bool {
        // Logins of users begin on the public port.
        if ["GET", "HEAD"].contains(row.method) { return !row.route.contains("_oidc") }
        return reads.contains(row.route) || operators.contains(row.route) && role >= .operator
    }

    @Test(
        "Each role may send only requests of its table rows; without a login only `_ping` is allowed",
        arguments: [AdminRole.readOnly, .operator])
    func roles(_ role: AdminRole) async throws {
        try await AdminWorld.run { (world) async throws in
            let rows =
                (MatrixRow.legacy + MatrixRow.ofDatabase + MatrixRow.ofAdministrators).map { ("/shop/", $0) }
                + MatrixRow.ofServer.map { ("/", $0) }
            for (prefix, row) in rows {
                func fill(_ text: String) -> String {
                    text.replacing("CALLER", with: "x").replacing("ID", with: "doc").replacing("REV", with: "1-abc")
                }
                let (path, body) = (prefix + fill(row.path), fill(row.body))
                let stranger = try await world.ask(nil, row.method, path, body, headers: row.headers)
                let isOpen = row.path == "_ping"
                #expect(stranger.status == (isOpen ? 200 : 401), "\(row.route): \(stranger.status)")
                #expect(isOpen || stranger.head.contains("WWW-Authenticate: Basic"), "\(row.route)")
                let answer = try await world.ask(role, row.method, path, body, headers: row.headers)
                #expect(answer.status != 401 && (answer.status == 403) != Self.isAllowed(row, role), "\(row.route): \(answer.status)")
            }
        }
    }

    @Test("An administrator may do everything; changes and refused logins are in the audit log, without secrets")
    func audit() async throws {
        try await AdminWorld.run { (world) async throws in
            #expect(try await world.ask(.administrator, "PUT", "/shop/doc", "{}").status == 201)
            #expect(try await world.ask(.administrator, "GET", "/shop/doc").status == 200)
            #expect(try await world.ask(.administrator, "PUT", "/shop/_user/zoe", #"{"password":"marmalade"}"#).status == 201)
            let session = try await world.ask(.operator, "POST", "/shop/_session", #"{"name":"zoe"}"#)
            let id = try #require(try JSONValue(session.body)["session_id"]?.string)
            #expect(try await world.ask(.operator, "DELETE", "/shop/_session/\(id)").status == 200)
            #expect(try await world.ask(.readOnly, "POST", "/shop/_all_docs", #"{"keys":["doc"]}"#).status == 200)
            #expect(try await world.ask(.readOnly, "DELETE", "/shop/").status == 403)
            #expect(try await world.ask(.operator, "GET", "/shop/", password: "wrong").status == 401)
            #expect(try await world.ask(nil, "PUT", "/shop/doc", "{}").status == 401)
            let found = try world.lines.map { line in
                let json = try JSONValue(Array(line.utf8))
                let words = ["user", "role", "method", "path"].map { json[$0]?.string ?? "" }
                return (words + [String(json["status"]?.int ?? 0)]).joined(separator: " ")
            }
            #expect(
                found == [
                    "administrator administrator PUT /shop/doc 201", "administrator administrator PUT /shop/_user/zoe 201",
                    "operator operator POST /shop/_session 200", "operator operator DELETE /shop/_session/\u{2026} 200",
                    "read-only read-only DELETE /shop/ 403", "operator - GET /shop/ 401", "- - PUT /shop/doc 401",
                ])
            let text = try world.lines.joined()
            for secret in ["marmalade", id, AdminWorld.password, "wrong"] { #expect(!text.contains(secret)) }
        }
    }

    @Test("Wrong passwords are limited without effect on logged-in users; an unknown name gets the same reply")
    func guessing() async throws {
        try await AdminWorld.run { (world) async throws in
            #expect(try await world.ask(.administrator, "GET", "/_status").status == 200)
            var statuses: [Int] = []
            while statuses.last != 429, statuses.count < 100 {
                statuses.append(try await world.ask(.administrator, "GET", "/_status", password: "guess\(statuses.count)").status)
            }
            #expect(statuses.last == 429 && statuses.count <= 30 && statuses.dropLast().allSatisfy { $0 == 401 }, "\(statuses)")
            #expect(try await world.ask(.administrator, "GET", "/_status").status == 200)
            let metrics = try await world.ask(.administrator, "GET", "/metrics").text
            #expect(metrics.contains("dualgauge_admin_logins_failed_total{outcome=\"limited\"}"))
            let nobody = try await world.bridge.admin("GET", "/_status", headers: basic("nobody", "x"))
            let somebody = try await world.ask(.operator, "GET", "/_status", password: "x")
            #expect(nobody.status == 401 && somebody.status == 401 && nobody.text == somebody.text)
        }
    }

    @Test("A page that may use a database on the public port opens no WebSocket on the admin port")
    func sockets() async throws {
        try await AdminWorld.run { (world) async throws in
            func open(_ path: String, headers: String) async throws -> String {
                let socket = try RawSocket(port: world.bridge.adminPort)
                defer { socket.cut() }
                let request = RawWebSocket.request(path, headers: headers + basic("administrator", AdminWorld.password))
                // With this name, so that only the origin is refused.
                try await socket.send(request.replacing("Host: a\r\n", with: "Host: localhost\r\n"))
                return try await socket.read(until: "\r\n")
            }
            for path in ["/shop/_blipsync", "/shop/_changes?feed=websocket"] {
                for origin in ["https://app.example.com", "https://evil.example.com"] {
                    #expect(try await open(path, headers: "Origin: \(origin)\r\n").contains(" 403 "))
                }
                #expect(try await open(path, headers: "").contains(" 101 "))
            }
        }
    }

    @Test("The logins of a new configuration are valid at once, and connections of old logins are closed")
    func reload() async throws {
        try await AdminWorld.run { (world) async throws in
            let socket = try RawSocket(port: world.bridge.adminPort)
            let login = basic("operator", AdminWorld.password)
            try await socket.send("GET /shop/_changes?feed=continuous HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(login)\r\n")
            #expect(try await socket.read(until: "\r\n").contains(" 200 "))
            var configuration = world.bridge.bridge.configuration
            configuration.adminAuth?.users["operator"] = nil
            try await world.bridge.bridge.reload(configuration)
            _ = try await socket.readToEnd()
            #expect(try await world.ask(.operator, "GET", "/_status").status == 401)
            #expect(try await world.ask(.readOnly, "GET", "/_status").status == 200)
            configuration.adminAuth = nil
            try await world.bridge.bridge.reload(configuration)
            #expect(try await world.ask(nil, "GET", "/_status").status == 200)
        }
    }
}
