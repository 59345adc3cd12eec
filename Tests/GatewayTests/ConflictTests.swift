import Documents
import Storage
import Testing

@testable import Gateway

@Suite("Revision trees and conflicts")
struct ConflictTests {
    @Test("The winner is live before deleted, then of higher generation, then of higher digest, whatever the order of arrival")
    func winner() async throws {
        let branches = [["2-aa", "1-aa"], ["2-bb", "1-aa"], ["3-00", "2-cc", "1-aa"]]
        let orders = [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]]
        for order in orders {
            let fixture = try await Fixture()
            for index in order {
                let history = try branches[index].map { try revision($0) }
                _ = try await fixture.unified.write(
                    RevisionWrite(
                        id: "a", kind: .replicated(history: history, conflicts: .branch), isDeleted: index == 2, body: Array("{}".utf8)))
            }
            #expect(try await fixture.unified.leaves("a") == ["2-bb", "2-aa", "!3-00"])
            #expect(try await fixture.unified.current("a") == "2-bb {}")
            try await fixture.expectSound()
        }
    }

    @Test("Conflicts become branches for generation 1, each with its body")
    func keep() async throws {
        let fixture = try await Fixture()
        try await fixture.unified.push("a", "2-aa", "1-aa", body: #"{"n":1}"#)
        try await fixture.unified.push("a", "2-bb", "1-aa", body: #"{"n":2}"#)
        #expect(try await fixture.unified.leaves("a") == ["2-bb", "2-aa"])
        #expect(try await fixture.unified.body("a", "2-aa") == #"{"n":1}"#)
        #expect(try await fixture.unified.feed { $0.allLeaves = true } == ["a@2-bb"])
        var query = ChangesQuery()
        query.allLeaves = true
        #expect(try await fixture.unified.changes(query).rows.first?.otherLeaves == ["2-aa"])
        #expect(try await fixture.unified.counts().conflicted == 1)
        try await fixture.unified.push("a", "3-cc", "2-aa", "1-aa", deleted: true)
        #expect(try await fixture.unified.counts().conflicted == 0)
        #expect(try await fixture.unified.current("a") == #"2-bb {"n":2}"#)
        try await fixture.expectSound()
    }

    @Test("conflicts: refuse refuses a branch with the current revision, and accepts the end of a branch and a new document")
    func refuse() async throws {
        let fixture = try await Fixture { $0.conflicts = .refuse }
        try await fixture.unified.push("a", "2-bb", "1-aa")
        let error = try await failure { try await fixture.unified.push("a", "2-aa", "1-aa") }
        #expect(error.code == .conflict)
        #expect(error.current?.text == "2-bb")
        #expect(try await fixture.unified.leaves("a") == ["2-bb"])
        try await fixture.unified.push("a", "3-cc", "2-bb", "1-aa", deleted: true)
        try await fixture.unified.push("a", "1-ff", body: #"{"new":1}"#)
        #expect(try await fixture.unified.current("a") == #"1-ff {"new":1}"#)
        try await fixture.expectSound()
    }

    @Test("conflicts: refuse accepts a tombstone that closes a branch from an earlier policy")
    func closesBranch() async throws {
        let fixture = try await Fixture()
        try await fixture.unified.push("a", "2-aa", "1-aa")
        try await fixture.unified.push("a", "2-bb", "1-aa")
        let strict = try await fixture.reopened { $0.conflicts = .refuse }
        try await strict.unified.push("a", "3-cc", "2-aa", deleted: true)
        #expect(try await strict.unified.leaves("a") == ["2-bb", "!3-cc"])
        try await fixture.expectSound()
    }

    @Test("conflicts: resolve closes losing branches with tombstones at once", arguments: [true, false])
    func resolve(newOneWins: Bool) async throws {
        let fixture = try await Fixture { $0.conflicts = .resolve }
        try await fixture.unified.push("a", newOneWins ? "2-aa" : "2-bb", "1-aa")
        try await fixture.unified.push("a", newOneWins ? "2-bb" : "2-aa", "1-aa")
        let leaves = try await fixture.unified.leaves("a")
        #expect(leaves.count == 2)
        #expect(leaves.first == "2-bb")
        #expect(leaves.last?.hasPrefix("!3-") == true)
        #expect(try await fixture.unified.counts().conflicted == 0)
        try await fixture.expectSound()
    }

    @Test("conflicts: resolve closes branches from an earlier policy with the next write")
    func resolveLater() async throws {
        let fixture = try await Fixture()
        for branch in ["2-aa", "2-bb", "2-cc"] { try await fixture.unified.push("a", branch, "1-aa") }
        let resolving = try await fixture.reopened { $0.conflicts = .resolve }
        try await resolving.unified.push("a", "3-dd", "2-cc", "1-aa")
        #expect(try await resolving.unified.leaves("a").filter { !$0.hasPrefix("!") } == ["3-dd"])
        try await fixture.expectSound()
    }

    private static let resolver = """
        function (conflict) {
            var local = conflict.localDocument, remote = conflict.remoteDocument
            if (remote.fails) throw "no"
            if (remote.drops) return null
            if (remote.wins) return remote
            if (local.stays) return local
            return { n: (local.n || 0) + (remote.n || 0) }
        }
        """

    private func resolving() async throws -> Fixture {
        try await Fixture {
            $0.conflicts = .resolve
            $0.conflictResolver = Self.resolver
        }
    }

    @Test(
        "conflicts: resolve by JavaScript leaves one live leaf on the winner's branch with the function's result",
        arguments: [
            (#"{"n":1}"#, #"{"n":2}"#, #"{"n":3}"#), (#"{"n":1,"stays":1}"#, #"{"n":2}"#, #"{"n":1,"stays":1}"#),
            (#"{"n":1}"#, #"{"n":2,"wins":1}"#, #"{"n":2,"wins":1}"#), (#"{"n":1}"#, #"{"n":2,"drops":1}"#, nil),
            (#"{"n":1}"#, #"{"n":2,"fails":1}"#, #"{"n":1}"#),
        ])
    func resolveByFunction(_ winner: String, _ loser: String, _ expected: String?) async throws {
        for winnerFirst in [true, false] {
            let fixture = try await resolving()
            if winnerFirst { try await fixture.unified.push("a", "2-bb", "1-aa", body: winner) }
            try await fixture.unified.push("a", "2-aa", "1-aa", body: loser)
            if !winnerFirst { try await fixture.unified.push("a", "2-bb", "1-aa", body: winner) }
            let leaves = try await fixture.unified.leaves("a")
            let live = leaves.filter { !$0.hasPrefix("!") }
            #expect(live.count == (expected == nil ? 0 : 1), "\(leaves)")
            let current = try await fixture.unified.current("a")
            #expect(current.map { String($0.drop { $0 != "{" }) } == expected)
            if let top = live.first, top != "2-bb" {
                let history = try await fixture.unified.revision(.current, of: "a").history.map(\.text)
                #expect(Array(history.dropFirst()) == ["2-bb", "1-aa"])
            }
            #expect(try await fixture.unified.counts().conflicted == 0)
            try await fixture.expectSound()
        }
    }

    @Test("conflicts: resolve by JavaScript resolves three branches, and branches from an earlier policy")
    func resolveManyByFunction() async throws {
        let fixture = try await Fixture()
        for (branch, n) in [("2-aa", 1), ("2-bb", 2), ("2-cc", 4)] {
            try await fixture.unified.push("a", branch, "1-aa", body: "{\"n\":\(n)}")
        }
        let database = try await fixture.reopened {
            $0.conflicts = .resolve
            $0.conflictResolver = Self.resolver
        }
        try await database.unified.push("a", "3-dd", "2-cc", body: #"{"n":8}"#)
        #expect(try await database.unified.current("a")?.hasSuffix(#" {"n":11}"#) == true)
        #expect(try await database.unified.leaves("a").filter { !$0.hasPrefix("!") }.count == 1)
        try await fixture.expectSound()
    }

    @Test("conflicts: resolve by JavaScript keeps the winner if the sync function refuses the result")
    func refusedMerger() async throws {
        let fixture = try await Fixture {
            $0.conflicts = .resolve
            $0.conflictResolver = Self.resolver
            $0.collections = [
                CollectionConfiguration(name: .default, syncFunction: "function (doc) { if (doc.n == 3) throw({forbidden: 'three'}) }")
            ]
        }
        try await fixture.unified.push("a", "2-bb", "1-aa", body: #"{"n":1}"#)
        try await fixture.unified.push("a", "2-aa", "1-aa", body: #"{"n":2}"#)
        #expect(try await fixture.unified.current("a") == #"2-bb {"n":1}"#)
        #expect(try await fixture.unified.leaves("a").filter { !$0.hasPrefix("!") } == ["2-bb"])
    }

    @Test("A resolver that is not a function is an error when the database is opened")
    func badResolver() async throws {
        await #expect(throws: GatewayError.self) {
            _ = try await Fixture {
                $0.conflicts = .resolve
                $0.conflictResolver = "function ("
            }
        }
    }

    @Test(
        "A push that does not descend from the winner is refused with 409, whatever the policy", arguments: ConflictPolicy.allCases)
    func modern(policy: ConflictPolicy) async throws {
        let fixture = try await Fixture { $0.conflicts = policy }
        try await fixture.unified.push("a", "2-bb", "1-aa")
        for history in [["2-cc", "1-aa"], ["1-ff"], ["3-dd", "2-ee"]] {
            let history = try history.map { try revision($0) }
            let error = try await failure {
                _ = try await fixture.unified.write(
                    RevisionWrite(
                        id: "a", kind: .replicated(history: history, conflicts: .refuse), isDeleted: false, body: Array("{}".utf8)))
            }
            #expect(error.code == .conflict)
            #expect(error.current?.text == "2-bb")
        }
        try await fixture.unified.pushModern("a", "3-cc", "2-bb", "1-aa")
        #expect(try await fixture.unified.leaves("a") == ["3-cc"])
        #expect(try await fixture.unified.pushModern("a", "3-cc", "2-bb").isNew == false)
    }

    @Test("A revision that follows the winner by its history is accepted, although its last known ancestor was deleted apart from it")
    func parts() async throws {
        let fixture = try await Fixture()
        // A server that was restored from a backup gets the end of a document's branch again, and then its beginning from another client.
        try await fixture.unified.pushModern("a", "3-cc", "2-bb", deleted: true)
        try await fixture.unified.pushModern("a", "1-aa")
        #expect(try await fixture.unified.leaves("a") == ["1-aa", "!3-cc"])
        try await fixture.unified.pushModern("a", "4-dd", "3-cc", "2-bb", "1-aa", body: #"{"n":4}"#)
        #expect(try await fixture.unified.leaves("a") == ["4-dd"])
        #expect(try await fixture.unified.current("a") == #"4-dd {"n":4}"#)
        // A history that does not lead to the winner is refused.
        try await fixture.unified.push("b", "1-aa")
        try await fixture.unified.push("b", "2-bb", "1-zz", deleted: true)
        let error = try await failure { _ = try await fixture.unified.pushModern("b", "3-cc", "2-bb", "1-aa") }
        #expect(error.code == .conflict)
        try await fixture.expectSound()
    }

    @Test("Generations 2 and 3 see and extend only the winning branch")
    func proposals() async throws {
        let fixture = try await Fixture()
        try await fixture.unified.push("a", "2-aa", "1-aa")
        try await fixture.unified.push("a", "2-bb", "1-aa")
        let answers = try await fixture.unified.answer([
            Proposal(id: "a", revision: revision("3-cc"), parent: revision("2-bb")),
            Proposal(id: "a", revision: revision("3-cc"), parent: revision("2-aa")),
            Proposal(id: "a", revision: revision("1-ff"), parent: nil),
            Proposal(id: "a", revision: revision("2-aa"), parent: revision("1-aa")),
            Proposal(id: "new", revision: revision("1-aa"), parent: nil),
        ])
        let conflict = ProposalAnswer.conflict(current: try revision("2-bb"))
        #expect(answers == [.wanted, conflict, conflict, .known, .wanted])
    }

    @Test("A deleted document can be created again, with and without its history")
    func resurrection() async throws {
        let fixture = try await Fixture()
        for id in ["a", "b", "c"] { try await fixture.unified.push(id, "2-bb", "1-aa", deleted: true) }
        #expect(try await code { _ = try await fixture.unified.revision(.current, of: "a") } == .deleted)
        #expect(try await fixture.unified.answer([Proposal(id: "a", revision: revision("1-cc"), parent: nil)]) == [.wanted])
        try await fixture.unified.pushModern("a", "1-cc", body: #"{"n":1}"#)
        #expect(try await fixture.unified.current("a") == #"1-cc {"n":1}"#)
        try await fixture.unified.pushModern("b", "3-cc", "2-bb", "1-aa", body: #"{"n":1}"#)
        #expect(try await fixture.unified.current("b") == #"3-cc {"n":1}"#)
        let edited = try await fixture.unified.edit("c", body: #"{"n":1}"#)
        #expect(edited.hasPrefix("3-"))
        #expect(try await fixture.unified.current("c") == edited + #" {"n":1}"#)
        #expect(try await fixture.unified.counts().tombstones == 0)
        try await fixture.expectSound()
    }

    @Test("_revs_diff returns the missing revisions, and the leaves that may be their ancestors")
    func difference() async throws {
        let fixture = try await Fixture()
        try await fixture.unified.push("a", "2-bb", "1-aa")
        let found = try await fixture.unified.difference([
            (id: "a", revisions: [revision("2-bb"), revision("3-cc")]), (id: "a", revisions: [revision("1-aa")]),
            (id: "new", revisions: [revision("1-aa")]),
        ])
        #expect(found.map(\.id) == ["a", "new"])
        #expect(found[0].difference == RevisionsDifference(missing: [try revision("3-cc")], possibleAncestors: [try revision("2-bb")]))
        #expect(found[1].difference == RevisionsDifference(missing: [try revision("1-aa")], possibleAncestors: []))
    }

    @Test("Impossible histories are refused and change nothing")
    func badHistory() async throws {
        let fixture = try await Fixture()
        #expect(try await code { try await fixture.unified.push("a", "1-aa", "2-bb") } == .badRequest)
        try await fixture.unified.push("a", "1-aa")
        #expect(try await code { try await fixture.unified.push("a", "3-aa", "3-bb", "1-aa") } == .badRequest)
        #expect(try await fixture.unified.feed() == ["a@1-aa"])
    }
}
