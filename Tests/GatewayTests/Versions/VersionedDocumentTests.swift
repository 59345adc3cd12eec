import Documents
import Storage
import Testing

@testable import Gateway

@Suite("Decisions about a 4.x client's revisions")
struct VersionedDocumentTests {
    /// A document with the winner `2-22`.
    private func document(_ vector: String?, of revision: String = "2-22", isDeleted: Bool = false) throws -> VersionedDocument {
        VersionedDocument(
            winner: try GatewayTests.revision("2-22"), isDeleted: isDeleted,
            version: try vector.map { VersionRecord(revision: try GatewayTests.revision(revision), vector: try Spelling.vector($0)) })
    }

    @Test(
        "A revision is accepted, known or refused by its vector",
        arguments: [
            // A known version, and versions that include the known one.
            ("5a;3b", "2-22", "5a", .known), ("5a;3b", "2-22", "4a", .known), ("5a;3b", "2-22", "2b", .known),
            ("5a;3b", "2-22", "6a", .wanted),
            ("5a;3b", "2-22", "4b;5a", .wanted), ("5a;3b", "2-22", "1c;5a,3b", .wanted),
            ("5a;3b", "2-22", "9c,5a,4b;", .wanted),
            // An older version that the client has kept although it has received the winner.
            ("5a;3b", "2-22", "3b;5a", .wanted), ("5a;3b", "2-22", "2b;5a", .wanted), ("5a;3b", "2-22", "3b;4a", .known),
            ("5a;3b", "1-11", "3b;5a", .known),
            // Versions that include another one, or only a part.
            ("5a;3b", "2-22", "4b", .conflict), ("5a;3b", "2-22", "4b;4a", .conflict), ("5a;3b", "2-22", "9c", .conflict),
            // A later write was never sent.
            ("5a;3b", "1-11", "6a", .conflict), ("5a;3b", "1-11", "4b;5a", .conflict), ("5a;3b", "1-11", "5a", .known),
            // It has no version yet.
            (nil, "", "6a", .conflict), (nil, "", "6a 2-22", .wanted), (nil, "", "6a 3-33 2-22", .wanted), (nil, "", "6a 1-11", .conflict),
            // The client has the winner from before its upgrade.
            ("5a;3b", "2-22", "9c 2-22", .wanted), ("5a;3b", "1-11", "9c 2-22", .wanted), ("5a;3b", "2-22", "9c 1-11", .conflict),
        ] as [(String?, String, String, VersionedDocument.Evaluation)])
    func revisions(known: String?, of: String, revision: String, evaluation: VersionedDocument.Evaluation) throws {
        #expect(try document(known, of: of).evaluate(Spelling.history(revision)) == evaluation)
    }

    @Test(
        "A deleted document can be created again if its tombstone was never sent, or was seen",
        arguments: [
            (nil, "6a", .wanted), (nil, "6a 1-11", .conflict), ("5a", "6b", .conflict), ("5a;3b", "4b", .conflict),
            ("5a;3b", "9c;3b", .conflict),
            ("5a;3b", "4b;5a", .wanted), ("5a", "6b 1-11", .conflict), ("5a;3b", "4b;4a", .conflict),
        ] as [(String?, String, VersionedDocument.Evaluation)])
    func recreated(known: String?, revision: String, evaluation: VersionedDocument.Evaluation) throws {
        #expect(try document(known, isDeleted: true).evaluate(Spelling.history(revision)) == evaluation)
        #expect(try document(known, isDeleted: true).evaluate(Spelling.history(revision), isDeletion: true) == .wanted, "two tombstones")
    }

    @Test(
        "A revision that crosses with the winner's version is a conflict, also if it follows another name of the winner",
        arguments: [
            ("5a;3b", "6a", .wanted), ("5a;3b", "9c;5a", .wanted), ("5a;3b", "9c 2-22", .conflict), ("5a;3b", "4b", .conflict),
            ("5a;3b", "5a", .known), (nil, "9c 2-22", .wanted),
        ] as [(String?, String, VersionedDocument.Evaluation)])
    func crossing(known: String?, revision: String, evaluation: VersionedDocument.Evaluation) throws {
        #expect(try document(known).evaluate(Spelling.history(revision), isReceiving: true) == evaluation)
    }

    @Test("A server's older version is known: it resolves conflicts in its tree")
    func servers() throws {
        #expect(try document("5a;3b").evaluate(Spelling.history("3b;5a"), isServers: true) == .known)
        #expect(try document("5a;3b").evaluate(Spelling.history("4b;5a"), isServers: true) == .wanted)
    }

    @Test("A renamed revision is followed by a client that has its author's version")
    func namedAnew() throws {
        let revision = try GatewayTests.revision("2-22")
        let pushed = VersionRecord(revision: revision, vector: try Spelling.vector("9c;5a"))
        let renamed = pushed.followed(by: revision, try Spelling.vector("7b;9c,5a"), remembering: 1)
        let document = VersionedDocument(winner: revision, isDeleted: false, version: renamed)
        #expect(try document.evaluate(Spelling.history("9c")) == .known)
        #expect(try document.evaluate(Spelling.history("10c")) == .wanted)
        #expect(try document.evaluate(Spelling.history("6a;9c")) == .wanted)
        #expect(try document.evaluate(Spelling.history("6a")) == .conflict)
        #expect(try document.evaluate(Spelling.vector("6a"), parent: .version(Spelling.vector("9c"))) == .wanted)
        #expect(try document.evaluate(Spelling.vector("6a"), parent: .version(Spelling.vector("5a"))) == .conflict)
    }

    @Test("A revision of a client that received a tree ID is compared by LiteCore's version of the ID")
    func standIns() throws {
        let winner = try GatewayTests.revision("2-0123456789abcdef")
        let stand = try #require(Version(standingFor: winner))
        let other = try #require(Version(standingFor: GatewayTests.revision("2-ff23456789abcdef")))
        let document = VersionedDocument(winner: winner, isDeleted: false, version: nil)
        func evaluation(_ previous: Version) throws -> VersionedDocument.Evaluation {
            let current = try Spelling.vector("6a").current
            return document.evaluate(VersionHistory(vector: VersionVector(current: current, previous: [previous])))
        }
        #expect(try evaluation(stand) == .wanted)
        #expect(try evaluation(other) == .conflict)
        #expect(try document.evaluate(Spelling.vector("6a"), parent: .version(VersionVector(current: stand))) == .wanted)
        #expect(try document.evaluate(Spelling.vector("6a"), parent: .version(VersionVector(current: other))) == .conflict)
    }

    @Test(
        "A proposal without a vector is compared by its parent",
        arguments: [
            ("5a;3b", "2-22", "5a", "", .known), ("5a;3b", "2-22", "2b", "4a", .known), ("5a;3b", "2-22", "9c", "5a", .wanted),
            ("5a;3b", "2-22", "9c", "4a", .conflict), ("5a;3b", "2-22", "9c", "", .conflict), ("5a;3b", "2-22", "6a", "", .wanted),
            ("5a;3b", "2-22", "9c;5a", "", .wanted), ("5a;3b", "2-22", "9c;3b", "", .conflict), ("5a;3b", "1-11", "9c", "5a", .conflict),
            ("5a;3b", "2-22", "9c", "2-22", .wanted), (nil, "", "9c", "2-22", .wanted), (nil, "", "9c", "1-11", .conflict),
            (nil, "", "9c", "", .conflict),
            ("5a;3b", "2-22", "3b", "5a", .wanted), ("5a;3b", "2-22", "5a", "5a", .known), ("5a;3b", "1-11", "3b", "5a", .known),
            // The parent's whole vector, when the client's last push is in progress.
            ("5a;3b", "2-22", "9c", "8c;5a", .wanted), ("5a;3b", "2-22", "9c", "8c;4a", .conflict),
            ("8c;5a", "2-22", "9c", "8c;5a", .wanted),
        ] as [(String?, String, String, String, VersionedDocument.Evaluation)])
    func proposals(known: String?, of: String, revision: String, parent: String, evaluation: VersionedDocument.Evaluation) throws {
        let parent = try Spelling.proposed(parent)
        #expect(try document(known, of: of).evaluate(Spelling.vector(revision), parent: parent) == evaluation)
    }

    @Test("A proposal without a parent of a deleted document is wanted")
    func proposalsOfDeleted() throws {
        #expect(try document("5a", isDeleted: true).evaluate(Spelling.vector("9c"), parent: nil) == .wanted)
        #expect(try document(nil, isDeleted: true).evaluate(Spelling.vector("9c"), parent: nil) == .wanted)
        let old = try Spelling.proposed("3b")
        #expect(try document("5a;3b", isDeleted: true).evaluate(Spelling.vector("9c"), parent: old) == .conflict)
    }
}
