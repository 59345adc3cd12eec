import BLIP
import Documents
import ModernProtocol
import Testing

/// Every profile against everybody. A new profile fails here until it has a row.
@Suite("Who may ask what over BLIP", .serialized)
struct BLIPMatrixTests {
    private struct Row: Sendable {
        let profile: Profile
        var properties: [String: String] = [:]
        var body = ""

        /// What whoever sees the document is told: the error's code, or 0.
        var insider = 0
        /// What whoever does not see it is told.
        var outsider = 0

        /// Whether it makes a revision: one cannot be made of an ID that is taken, and be refused as if it were not.
        var changes = false
    }

    /// `ID`, `REV` and `DIGEST` stand for the document's.
    private static let rows = [
        Row(profile: .getCollections, body: #"{"checkpoint_ids":["ID"],"collections":["_default._default"]}"#),
        Row(profile: .getCheckpoint, properties: ["client": "ID"], insider: 404, outsider: 404),
        Row(profile: .setCheckpoint, properties: ["client": "ID", "rev": "0-7"], body: "{}", insider: 404, outsider: 404),
        Row(profile: .subChanges, body: #"{"docIDs":["ID"]}"#),
        Row(profile: .unsubChanges),
        Row(profile: .changes, body: #"[[1,"ID","1-abc"]]"#, insider: 409, outsider: 409),
        Row(
            profile: .proposeChanges, properties: ["conflictIncludesRev": "true"],
            body: #"[["ID","1-abc"],["ID","REV"],["ID","2-ab","REV"]]"#),
        Row(profile: .rev, properties: ["id": "ID", "rev": "1-ab"], body: "{}", insider: 409, outsider: 409, changes: true),
        Row(profile: .rev, properties: ["id": "ID"], body: "{}", insider: 400, outsider: 400),
        Row(profile: .norev, properties: ["id": "ID", "rev": "REV", "error": "404"]),
        Row(profile: .getAttachment, properties: ["docID": "ID", "digest": "DIGEST"], insider: 403, outsider: 403),
        Row(profile: .ping),
        Row(profile: .proveAttachment, properties: ["docID": "ID", "digest": "DIGEST"], body: "nonce", insider: 403, outsider: 403),
    ]

    /// The digest of the attachment that ``MatrixWorld`` gives its documents.
    private static let digest = AttachmentDigest.sha1(of: Array("<b>marmalade</b>".utf8)).description

    @Test("Every profile has a row")
    func complete() {
        #expect(Set(Self.rows.map(\.profile)) == Set(Profile.allCases))
    }

    @Test("Who is shut out gets no WebSocket", arguments: [MatrixCaller.noCredentials, .wrongPassword, .expiredSession])
    func handshake(caller: MatrixCaller) async throws {
        try await MatrixWorld.run(guest: caller != .noCredentials) { (world) async throws in
            let socket = try world.bridge.connect()
            defer { socket.cut() }
            try await socket.send(RawWebSocket.request(headers: world.headers(caller)))
            #expect(try await socket.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 401 "))
        }
    }

    @Test("Who is let in is told what he may see", arguments: MatrixCaller.allCases.filter { !$0.isShutOut })
    func profiles(caller: MatrixCaller) async throws {
        try await MatrixWorld.run(guest: caller == .guest) { (world) async throws in
            for (index, row) in Self.rows.enumerated() {
                let documents = try await world.documents(index)
                let (code, text) = try await ask(row, documents.hidden, documents.revision, caller, world)
                let cell: Comment = "\(row.profile.rawValue) by \(caller.rawValue): \(code) \(text)"
                #expect(code == (caller.sees ? row.insider : row.outsider), cell)
                guard !caller.sees else { continue }
                #expect(!text.contains(MatrixWorld.marker) && !text.contains(documents.revision), cell)
                guard !row.changes else { continue }
                let other = try await ask(row, documents.absent, documents.revision, caller, world)
                #expect(other.code == code && other.text.replacing(documents.absent, with: documents.hidden) == text, cell)
            }
        }
    }

    @Test("A pull brings the document to those who see it, and nothing of it to others")
    func pulls() async throws {
        try await MatrixWorld.run(guest: true) { (world) async throws in
            let documents = try await world.documents(0)
            for caller in MatrixCaller.allCases where !caller.isShutOut {
                for collection in [nil, "_default._default"] {
                    let client = try await RawBLIP(world.bridge, headers: world.headers(caller), port: world.port(caller))
                    let pulled = try await client.pull(collection)
                    #expect((pulled[documents.hidden] != nil) == caller.sees, "\(caller.rawValue)")
                }
            }
        }
    }

    private func ask(
        _ row: Row, _ id: String, _ revision: String, _ caller: MatrixCaller, _ world: MatrixWorld
    ) async throws -> (code: Int, text: String) {
        func fill(_ text: String) -> String {
            text.replacing("ID", with: id).replacing("REV", with: revision).replacing("DIGEST", with: Self.digest)
        }
        let client = try await RawBLIP(world.bridge, headers: world.headers(caller), port: world.port(caller))
        var properties: BLIPProperties = [:]
        for (key, value) in row.properties.sorted(by: { $0.key < $1.key }) { properties.add(key, fill(value)) }
        let reply = try await client.ask(row.profile.rawValue, properties, fill(row.body))
        var text = "\(reply.errorMessage ?? "") \(reply.properties["rev"] ?? "") \(String(decoding: reply.body, as: UTF8.self))"
        if row.profile == .subChanges {
            text += String(decoding: try await client.request().body, as: UTF8.self)
        }
        return (reply.errorCode ?? 0, text)
    }
}
