import Documents
import Gateway
import ModernTestSupport
import Testing

@testable import ModernClient
@testable import ModernProtocol

/// A resolver of conflicting branches closes the losing ones, also the one that a 2.x+ server has. The resolver is a 1.x client, or the
/// bridge for a server without branches.
@Suite("A branch of the server's that is closed here", .timeLimit(.minutes(2)))
struct ClosedBranchTests {
    enum Way: CaseIterable {
        /// The winner is carried onto the branch of a server without branches.
        case carried
        /// A 1.x client edits the losing branch, and closes the other one.
        case resolved
    }

    /// Makes a document with two branches, of which the server has the one that is closed afterwards.
    private func closed(_ pair: ReplicationPair, _ way: Way) async throws {
        let line = try await pair.here.put("doc", #"{"is":"old"}"#)
        let winner = try #require(RevisionID(Requests.revision(2, 7)))
        let root = try #require(RevisionID(Requests.revision(1, 7)))
        for keyspace in [pair.there, pair.here] {
            try await write([winner, root], #"{"is":"new"}"#, to: keyspace)
        }
        try await pair.run(pair.configuration())
        switch way {
        case .carried: #expect(try await pair.here.carry(winner, onto: line, of: "doc") != nil)
        case .resolved:
            let edit = try #require(RevisionID(Requests.revision(2, 9)))
            let end = try #require(RevisionID(Requests.revision(3, 9)))
            try await write([edit, line], #"{"is":"new"}"#, to: pair.here)
            try await write([end, winner, root], "{}", isDeleted: true, to: pair.here)
        }
    }

    private func write(_ history: [RevisionID], _ body: String, isDeleted: Bool = false, to keyspace: Keyspace) async throws {
        _ = try await keyspace.write(
            RevisionWrite(id: "doc", kind: .replicated(history: history, conflicts: .accept), isDeleted: isDeleted, body: Array(body.utf8)))
    }

    /// The bodies of all winners.
    private func bodies(_ keyspace: Keyspace) async throws -> [String] {
        try await keyspace.state().map { ($0.hasPrefix("!") ? "!" : "") + $0.drop { $0 != " " } }
    }

    /// One-shot replications in both directions, until nothing is left to transfer.
    private func replicate(_ pair: ReplicationPair, reset: Bool = false) async throws {
        for _ in 0..<3 { #expect(try await pair.run(pair.configuration(), reset: reset).status.error == nil) }
    }

    @Test("The document is deleted on neither side, and the replication comes to rest", arguments: Way.allCases, [false, true])
    func stays(way: Way, isReset: Bool) async throws {
        let pair = try await ReplicationPair()
        try await closed(pair, way)
        try await replicate(pair, reset: isReset)
        #expect(try await bodies(pair.here) == [#" {"is":"new"}"#])
        let (here, there) = (try await pair.here.state(), try await pair.there.state())
        #expect(here == there)
        try await replicate(pair, reset: isReset)
        #expect(try await pair.here.state() == here)
        #expect(try await pair.there.state() == there)
    }

    @Test("A document that is deleted here is deleted at a server that has another of its branches", arguments: [false, true])
    func deleted(isReset: Bool) async throws {
        let pair = try await ReplicationPair()
        let line = try await pair.here.put("doc", #"{"is":"old"}"#)
        try await replicate(pair)
        let root = try #require(RevisionID(Requests.revision(1, 7)))
        let winner = try #require(RevisionID("2-ffff"))
        let end = try #require(RevisionID("2-0000"))
        for keyspace in [pair.there, pair.here] { try await write([winner, root], "{}", isDeleted: true, to: keyspace) }
        try await write([end, line], "{}", isDeleted: true, to: pair.here)
        #expect(try await bodies(pair.there) == [#" {"is":"old"}"#])
        try await replicate(pair, reset: isReset)
        #expect(try await bodies(pair.there).allSatisfy { $0.hasPrefix("!") })
        let (here, there) = (try await pair.here.state(), try await pair.there.state())
        try await replicate(pair, reset: isReset)
        #expect(try await pair.here.state() == here)
        #expect(try await pair.there.state() == there)
    }

    @Test("An earlier or later edit is transferred", arguments: Way.allCases, [true, false])
    func edited(way: Way, isEditedBefore: Bool) async throws {
        let pair = try await ReplicationPair()
        try await closed(pair, way)
        if !isEditedBefore { try await replicate(pair) }
        try await pair.here.put("doc", #"{"is":"edited"}"#)
        try await replicate(pair)
        #expect(try await bodies(pair.here) == [#" {"is":"edited"}"#])
        #expect(try await pair.there.state() == pair.here.state())
    }
}
