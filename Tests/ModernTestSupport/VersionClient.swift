import BLIP
package import Documents
import Gateway
import ModernProtocol
import Testing

/// The requests of a 4.x client, over a peer.
package enum VersionClient {
    package static let uuid = "04e034d9-229a-4980-b477-fbce116c3413"

    /// Begins a one-shot pull of the default collection.
    package static func begin(_ peer: TestPeer, client: String = uuid) async throws {
        try await peer.ask("getCollections", ["uuid": client], #"{"checkpoint_ids":["cp"],"collections":["_default"]}"#)
        try await peer.ask(
            "subChanges", ["collection": "0", "batch": "200", "versioning": "version-vectors", "sendReplacementRevs": "1"])
    }

    /// Pulls everything.
    package static func pull(_ peer: TestPeer, client: String = uuid) async throws {
        try await begin(peer, client: client)
        try await peer.wait { $0.caughtUp == 1 && $0.revisions.count == $0.wanted }
    }

    /// LiteCore's reply to a `changes` message with a document that it cannot read.
    package static func refuse(_ peer: TestPeer, _ number: UInt64) async throws {
        try await peer.answer(.error(to: number, domain: "SQLite", code: 1, message: "fl_callback: exception!"))
    }
}

extension TestBridge {
    /// Writes a revision as 1.x does.
    package func put(_ id: String, _ revision: String, _ body: String, _ ancestors: String..., isDeleted: Bool = false) async throws {
        let history = ([revision] + ancestors).compactMap { RevisionID($0) }
        _ = try await database.unified.write(
            RevisionWrite(id: id, kind: .replicated(history: history, conflicts: .branch), isDeleted: isDeleted, body: Array(body.utf8)))
    }

    /// The version that a 4.x client receives that pulls a document and has these revisions of it.
    package func version(of id: String, client: String = VersionClient.uuid, known: [String] = []) async throws -> VersionHistory {
        try await connect(.v4) { peer in
            await peer.configure { $0.known["0/\(id)"] = known }
            try await VersionClient.pull(peer, client: client)
            let found = await peer.revisions.first { $0.id == id }
            let revision = try #require(found)
            return try VersionHistory(rev: revision.revision, history: revision.properties["history"])
        }
    }
}
