import Testing

@testable import Server

/// Every endpoint against everybody. A new route fails here until it has a row.
@Suite("Who may ask what", .serialized)
struct AccessMatrixTests {
    @Test("Every route has a row, and every row a route")
    func complete() {
        #expect(Set(MatrixRow.legacy.map(\.route)) == MatrixRoutes.legacy)
        #expect(Set(MatrixRow.ofDatabase.map(\.route)) == MatrixRoutes.ofDatabase)
        #expect(Set(MatrixRow.ofServer.map(\.route)) == MatrixRoutes.ofServer)
        #expect(Set(MatrixRow.ofAdministrators.map(\.route)) == MatrixRoutes.ofAdministrators)
        let groups = [MatrixRoutes.legacy, MatrixRoutes.ofDatabase, MatrixRoutes.ofServer, MatrixRoutes.ofAdministrators]
        #expect(groups.map(\.count).reduce(0, +) > 100 && HTTPRoute.all.contains { $0.pattern == MatrixRoutes.blipSync })
    }

    @Test("Documents, attachments, feeds and lists", arguments: ["/shop/", "/shop._default._default/"])
    func legacy(prefix: String) async throws {
        try await check(MatrixRow.legacy, prefix)
    }

    @Test("Logins, users and roles")
    func ofDatabase() async throws {
        try await check(MatrixRow.ofDatabase, "/shop/")
        try await MatrixWorld.run(guest: true) { (world) async throws in
            // Of a collection's path there is no login and no account.
            for row in MatrixRow.ofDatabase {
                let answer = try await world.ask(.guest, row.method, "/shop._default._default/\(row.path)", row.body)
                #expect([404, 405].contains(answer.status), "\(row.route)")
            }
        }
    }

    @Test("The server itself")
    func ofServer() async throws {
        try await check(MatrixRow.ofServer, "/")
    }

    @Test("Databases as a whole")
    func ofAdministrators() async throws {
        try await check(MatrixRow.lasting, "/shop/")
        for row in MatrixRow.ending { try await check([row], "/shop/") }
    }

    @Test("What is for administrators elsewhere is nowhere on the public port", arguments: ["/shop/", "/shop._default._default/"])
    func unserved(prefix: String) async throws {
        try await MatrixWorld.run(guest: false) { (world) async throws in
            _ = try await world.documents(0)
            for (method, path) in MatrixRow.unserved
                + MatrixRow.ofAdministrators.map({ ($0.method, $0.path.replacing("ID", with: "hidden0")) })
            {
                let body = ["POST", "PUT"].contains(method) ? "{}" : ""
                let request: Comment = "\(method) \(path)"
                #expect(try await world.ask(.noCredentials, method, prefix + path, body).status == 401, request)
                // Couchbase Lite 1.x creates its target, and takes 412 for success.
                let answer = try await world.ask(.userWithChannel, method, prefix + path, body)
                #expect([404, 405].contains(answer.status) || path.isEmpty && answer.status == 412, "\(request): \(answer.status)")
                #expect(!answer.text.contains(MatrixWorld.marker), request)
            }
            #expect(try await world.ask(.userWithChannel, "GET", "/shop/hidden0").status == 200)
        }
    }

    private func check(_ rows: [MatrixRow], _ prefix: String) async throws {
        for guest in [false, true] {
            let callers = guest ? [.guest, .expiredSession] : MatrixCaller.allCases.filter { $0 != .guest }
            try await MatrixWorld.run(guest: guest) { (world) async throws in
                for (index, row) in rows.enumerated() {
                    let documents = try await world.documents(index)
                    for caller in callers { try await check(row, prefix, caller, documents, world) }
                }
                try await world.bridge.expectSoundStore(after: "the matrix")
            }
        }
    }

    private func check(
        _ row: MatrixRow, _ prefix: String, _ caller: MatrixCaller, _ documents: (hidden: String, absent: String, revision: String),
        _ world: MatrixWorld
    ) async throws {
        func ask(_ id: String) async throws -> RawAnswer {
            func fill(_ text: String) -> String {
                text.replacing("CALLER", with: caller.rawValue).replacing("ID", with: id).replacing("REV", with: documents.revision)
            }
            return try await world.ask(caller, row.method, prefix + fill(row.path), fill(row.body), headers: row.headers)
        }
        let cell: Comment = "\(row.route) \(row.path) by \(caller.rawValue)"
        let answer = try await ask(documents.hidden)
        #expect(Self.expected(row, caller).contains(answer.status), "\(cell): \(answer.status) \(answer.text)")
        guard !caller.sees else { return }
        // What he has sent himself may come back.
        let sent = row.path.contains("REV") || row.body.contains("REV")
        #expect(!answer.text.contains(MatrixWorld.marker) && (sent || !"\(answer.head)\(answer.text)".contains(documents.revision)), cell)
        guard !row.changes || caller.isShutOut, caller != .wrongPassword else { return }
        let other = try await ask(documents.absent)
        #expect(Self.comparable(answer, documents.hidden) == Self.comparable(other, documents.absent), cell)
    }

    private static func expected(_ row: MatrixRow, _ caller: MatrixCaller) -> Set<Int> {
        switch (caller, row.route) {
        // The guest has no session to begin or to end, and whoever sends his password each time has none to end either.
        case (.guest, "POST _session"): [400]
        case (.guest, "DELETE _session"), (.userWithoutChannel, "DELETE _session"): [404]
        // Who guesses on is told to wait, and who logs in with what is wrong is not told who he is.
        case (.wrongPassword, _) where row.shutOut == 401 || row.route.hasSuffix(" _session"): [401, 429]
        default: [row.expected(caller)]
        }
    }

    /// An answer without what differs between any two.
    private static func comparable(_ answer: RawAnswer, _ id: String) -> String {
        let head = answer.head.split(separator: "\r\n").filter { line in
            !["date:", "set-cookie:"].contains { line.lowercased().hasPrefix($0) }
        }
        return "\(head.joined(separator: "\n"))\n\n\(answer.text)".replacing(id, with: "ID")
    }
}
