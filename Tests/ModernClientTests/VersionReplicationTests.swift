import Documents
import Foundation
import Gateway
import ModernTestSupport
import Storage
import Testing

@testable import ModernClient
@testable import ModernProtocol

@Suite("Replication with a server that has versions", .timeLimit(.minutes(2)))
struct VersionReplicationTests {
    private func pair(
        _ change: (inout DatabaseConfiguration) -> Void = { _ in }, there: (inout DatabaseConfiguration) -> Void = { _ in }
    ) async throws -> ReplicationPair {
        var pair = try await ReplicationPair(change, there: there)
        pair.subprotocol = .v4
        return pair
    }

    @Test("Documents have the same versions and tree on both sides, and nothing is sent again", arguments: ReplicatorType.allCases)
    func same(type: ReplicatorType) async throws {
        let pair = try await pair()
        for number in 0..<20 {
            try await pair.here.put("h\(number)", "{\"n\":\(number)}")
            try await pair.there.put("t\(number)", "{\"n\":\(number)}")
        }
        try await pair.here.put("h1", "{}", deleted: true)
        try await pair.there.put("t2", #"{"n":"two"}"#)
        let (status, documents) = try await pair.run(pair.configuration(type))
        #expect(status.error == nil)
        #expect(documents.count(where: { $0.hasPrefix(">") }) == (type == .pull ? 0 : 20))
        #expect(documents.count(where: { $0.hasPrefix("<") }) == (type == .push ? 0 : 20))
        let ids = (type == .pull ? [] : ["h0", "h1", "h19"]) + (type == .push ? [] : ["t0", "t2", "t19"])
        for id in ids {
            let (here, there) = (try await pair.here.winnerNames(id), try await pair.there.winnerNames(id))
            #expect(here == there && here?.version != nil, "\(id)")
        }
        #expect(try await pair.run(pair.configuration(type)).documents == [])
        let reset = try await pair.run(pair.configuration(type), reset: true)
        #expect(reset.status.error == nil)
        #expect(reset.documents == [])
    }

    @Test(
        "An edit is transferred as a plain update in both directions, also an edit by 1.x, with and without deltas",
        arguments: [true, false])
    func updates(deltas: Bool) async throws {
        let pair = try await pair({ $0.deltaSync = deltas }, there: { $0.deltaSync = deltas })
        let text = String(repeating: "text ", count: 100)
        try await pair.here.put("a", "{\"n\":1,\"text\":\"\(text)\"}")
        try await pair.there.put("b", "{\"n\":1,\"text\":\"\(text)\"}")
        try await pair.run(pair.configuration())
        for round in 2...4 {
            for id in ["a", "b"] {
                try await pair.here.put(id, "{\"n\":\(round),\"text\":\"\(text)\"}")
                #expect(try await pair.run(pair.configuration()).documents == [">\(id)"])
                try await pair.there.put(id, "{\"n\":-\(round),\"text\":\"\(text)\"}")
                #expect(try await pair.run(pair.configuration()).documents == ["<\(id)"])
                #expect(try await pair.here.winnerNames(id) == pair.there.winnerNames(id))
                for keyspace in [pair.here, pair.there] { #expect(try await keyspace.conflicts(id) == 0) }
            }
        }
        try await pair.here.put("a", "{}", deleted: true)
        try await pair.there.put("b", "{}", deleted: true)
        #expect(try await pair.run(pair.configuration()).documents == ["<b!", ">a!"])
        try await pair.there.put("a", #"{"again":1}"#)
        #expect(try await pair.run(pair.configuration()).documents == ["<a"])
        #expect(try await pair.here.state() == pair.there.state())
    }

    @Test(
        "Two edits are one conflict, which is resolved once by every rule", arguments: ["default", "local", "remote", "merge", "delete"],
        [true, false])
    func conflicts(_ rule: String, _ isLaterHere: Bool) async throws {
        let pair = try await pair()
        let resolver: ConflictResolver =
            switch rule {
            case "local": .localWins
            case "remote": .remoteWins
            case "merge": ConflictResolver { _ in .merged(Array(#"{"by":"both"}"#.utf8)) }
            case "delete": ConflictResolver { _ in .deleted }
            default: .default
            }
        try await pair.there.put("doc", #"{"by":"first"}"#)
        try await pair.run(pair.configuration())
        let sides = [(pair.here, "here"), (pair.there, "there")]
        for (keyspace, name) in isLaterHere ? sides.reversed() : sides {
            try await keyspace.put("doc", "{\"by\":\"\(name)\"}")
            // The times of the versions differ.
            let before = Date()
            while Date().timeIntervalSince(before) < 0.002 { await Task.yield() }
        }
        let (status, _) = try await pair.run(pair.configuration { $0.conflictResolver = resolver })
        #expect(status.error == nil)
        let expected =
            switch rule {
            case "local": "here"
            case "remote": "there"
            case "merge": "both"
            case "delete": ""
            default: isLaterHere ? "here" : "there"
            }
        for keyspace in [pair.here, pair.there] {
            let state = try await keyspace.state()
            #expect(expected.isEmpty ? state[0].hasPrefix("!doc@") : state[0].hasSuffix("{\"by\":\"\(expected)\"}"), "\(state)")
            #expect(try await keyspace.conflicts("doc") == 0)
        }
        #expect(try await pair.here.winnerNames("doc")?.version?.current == pair.there.winnerNames("doc")?.version?.current)
        #expect(try await pair.run(pair.configuration { $0.conflictResolver = resolver }).documents == [])
        try await pair.here.put("doc", #"{"by":"next"}"#)
        #expect(try await pair.run(pair.configuration()).documents == [">doc"])
    }

    @Test("A deletion wins over an edit by the default rule, also over a later one", arguments: [true, false], [true, false])
    func deletion(_ isDeletedHere: Bool, _ isLater: Bool) async throws {
        let pair = try await pair()
        try await pair.there.put("doc", #"{"by":"first"}"#)
        try await pair.run(pair.configuration())
        let deleting = isDeletedHere ? pair.here : pair.there, editing = isDeletedHere ? pair.there : pair.here
        if isLater { try await editing.put("doc", #"{"by":"second"}"#) }
        try await deleting.put("doc", "{}", deleted: true)
        if !isLater { try await editing.put("doc", #"{"by":"second"}"#) }
        #expect(try await pair.run(pair.configuration()).status.error == nil)
        for keyspace in [pair.here, pair.there] { #expect(try await keyspace.state()[0].hasPrefix("!doc@")) }
    }

    @Test("A push alone reports a conflict, and changes nothing")
    func refused() async throws {
        let pair = try await pair()
        try await pair.here.put("doc", #"{"by":"first"}"#)
        try await pair.run(pair.configuration())
        try await pair.here.put("doc", #"{"by":"here"}"#)
        try await pair.there.put("doc", #"{"by":"there"}"#)
        #expect(try await pair.run(pair.configuration(.push)).documents == [">doc 10409"])
        #expect(try await pair.there.state()[0].hasSuffix(#"{"by":"there"}"#))
    }

    @Test("A revision that both sides have under its tree ID is one document, whichever side gave it a version", arguments: [false, true])
    func sameTree(isCrossing: Bool) async throws {
        for (isShownHere, isShownThere) in [(false, false), (true, false), (false, true), (true, true)] {
            var pair = try await pair()
            pair.subprotocol = .v3
            for id in ["a", "b"] { try await pair.here.put(id, #"{"by":"both"}"#) }
            try await pair.run(pair.configuration())
            let before = try await pair.here.state()
            for (keyspace, isShown) in [(pair.here, isShownHere), (pair.there, isShownThere)] where isShown {
                try await keyspace.showVersions()
            }
            pair.subprotocol = .v4
            try await pair.here.put("b", #"{"by":"here"}"#)
            if isCrossing {
                // Where push and pull overlap, each side may include the other's version: then both have both, each with its own first.
                for number in 0..<3 { #expect(try await pair.run(pair.configuration(), reset: number == 0).status.error == nil) }
            } else {
                #expect(try await pair.run(pair.configuration(.pull), reset: true).status.error == nil)
                #expect(try await pair.run(pair.configuration(.push)).documents == [">b"])
            }
            #expect(try await pair.here.state()[0] == before[0])
            for id in ["a", "b"] {
                let (here, there) = (try await pair.here.winnerNames(id), try await pair.there.winnerNames(id))
                #expect(here?.revision == there?.revision, "\(id) \(isShownHere)")
                #expect(isCrossing || here?.version?.current == there?.version?.current, "\(id) \(isShownHere)")
            }
            #expect(try await pair.run(pair.configuration()).documents == [])
            try await pair.there.put("a", #"{"by":"there"}"#)
            #expect(try await pair.run(pair.configuration()).documents == ["<a"])
        }
    }

    @Test("Attachments are transferred in both directions")
    func attachments() async throws {
        let pair = try await pair()
        let bytes = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        try await pair.here.put("up", attachment: bytes)
        try await pair.there.put("down", attachment: Array(bytes.reversed()))
        #expect(try await pair.run(pair.configuration()).documents == ["<down", ">up"])
        for (keyspace, id, bytes) in [(pair.there, "up", bytes), (pair.here, "down", bytes.reversed())] {
            let (_, record) = try await keyspace.attachment(named: "photo", of: id, revision: .current)
            #expect(try await keyspace.bytes(of: record, from: 0, count: bytes.count + 1) == Array(bytes))
        }
    }

    @Test("A 4.x client that changes to the other side gets its documents, with the tree IDs from before its upgrade")
    func changingOver() async throws {
        let pair = try await pair()
        try await pair.there.put("doc", #"{"n":1}"#)
        let old = try #require(try await pair.there.winnerNames("doc")?.revision)
        // It was upgraded from 3.x, and sends the IDs that it had.
        let shown = try await pair.remote.version(of: "doc", known: [old])
        #expect(shown.legacy.map(\.text) == [old])
        try await pair.run(pair.configuration(.pull))
        let told = try await pair.local.version(of: "doc")
        #expect(told == shown)
        // Its edit is no conflict.
        try await pair.here.put("doc", #"{"n":2}"#)
        let next = try await pair.local.version(of: "doc")
        #expect(next.vector.contains(shown.vector) && next.legacy == shown.legacy)
    }
}
