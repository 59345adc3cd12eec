import Documents
import Foundation
import SQLiteStorage
import Storage
import Testing

@Suite("Local documents, checkpoints, vectors, settings and moves")
struct LocalTests {
    @Test("Local documents and checkpoints of each scope are separate", arguments: StorageEngine.all)
    func localDocuments(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                let document = LocalDocument(revision: 1, body: Array("{\"a\":1}".utf8), modified: 5)
                try transaction.setLocalDocument(document, .local, in: .unified, id: "x")
                #expect(try transaction.localDocument(.local, in: .unified, id: "x") == document)
                #expect(try transaction.localDocument(.checkpoint, in: .unified, id: "x") == nil)
                #expect(try transaction.localDocument(.local, in: .collection(.default), id: "x") == nil)
                let next = LocalDocument(revision: 2, body: [], modified: 6)
                try transaction.setLocalDocument(next, .local, in: .unified, id: "x")
                #expect(try transaction.localDocument(.local, in: .unified, id: "x") == next)
                try transaction.setLocalDocument(nil, .local, in: .unified, id: "x")
                #expect(try transaction.localDocument(.local, in: .unified, id: "x") == nil)
            }
        }
    }

    @Test("Versions and legacy revisions are stored for each document", arguments: StorageEngine.all)
    func vectors(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                let key = try transaction.add("a")
                #expect(try transaction.version(of: key) == nil)
                for text in ["1@AAAAAAAAAAAAAAAAAAAAAA", "2@AAAAAAAAAAAAAAAAAAAAAA,1@BBBBBBBBBBBBBBBBBBBBBA;9@CCCCCCCCCCCCCCCCCCCCCA"] {
                    let version = try VersionRecord(revision: revision("1-aa"), vector: VersionVector(text))
                    try transaction.setVersion(version, of: key)
                    #expect(try transaction.version(of: key) == version)
                }
                // A few earlier versions are kept, each with its revision, whatever the form of its ID.
                for name in ["2-x\"'@;é", "3-cc", "4-dd"] {
                    let last = try #require(try transaction.version(of: key))
                    let vector = try VersionVector("\(name.prefix(1))0@AAAAAAAAAAAAAAAAAAAAAA")
                    try transaction.setVersion(last.followed(by: revision(name), vector, remembering: 2), of: key)
                }
                let last = try #require(try transaction.version(of: key))
                #expect(last.earlier.map(\.revision.text) == ["3-cc", "2-x\"'@;é"])
                let versions = try ["40", "30", "20", "2"].map { try #require(Version("\($0)@AAAAAAAAAAAAAAAAAAAAAA")) }
                #expect(versions.map { last.revision(of: $0)?.text } == ["4-dd", "3-cc", "2-x\"'@;é", nil])
                try transaction.setLegacyRevision(revision("1-aa"), of: key, client: "c")
                #expect(try transaction.legacyRevision(of: key, client: "c") == revision("1-aa"))
                try transaction.setLegacyRevision(nil, of: key, client: "c")
                #expect(try transaction.legacyRevision(of: key, client: "c") == nil)
            }
        }
    }

    @Test("Settings are set, changed and removed, and the store's own cannot be reached", arguments: StorageEngine.all)
    func settings(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                try transaction.set("1", forSetting: "a")
                try transaction.set("2", forSetting: "a")
                #expect(try transaction.setting("a") == "2")
                try transaction.set(nil, forSetting: "a")
                #expect(try transaction.setting("a") == nil)
                #expect(try transaction.setting("store.counter") == nil)
            }
            await expectError(.invalidArgument) { try await store.write { try $0.set("0", forSetting: "store.counter") } }
        }
    }

    @Test("No change gets the sequence 2147483647", arguments: StorageEngine.all)
    func saturated(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            let end = Int64(Int32.max)
            try await store.write { transaction in
                try transaction.raiseCounter(to: SequenceNumber(end - 2))
                #expect(try [transaction.nextSequence().value, transaction.nextSequence().value] == [end - 1, end + 1])
            }
        }
    }

    @Test("A fence fits into 32 bits as long as there is room, and then exceeds them", arguments: StorageEngine.all)
    func fences(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            var counts: [Int64] = []
            // The width of a gap depends on the time.
            let time = Date(timeIntervalSince1970: 1_750_050_000)
            for _ in 0..<13 { counts.append(try await store.raiseFence(at: time).value) }
            #expect(counts == (1...11).map { 1_000_000_000 + $0 * 100_000_000 } + [2_650_000_000, 3_200_000_000])
            let inside = SequenceNumber(3_000_000_000)
            #expect(try await store.read { try $0.fence(around: inside) } == SequenceNumber(2_650_000_000))
        }
    }

    @Test("The counter can be raised and not lowered, and has a maximum", arguments: StorageEngine.all)
    func counter(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            let fence = SequenceNumber(SequenceNumber.newOrigin.value + 1_000_000)
            try await store.write { transaction in
                try transaction.raiseCounter(to: fence)
                try transaction.raiseCounter(to: .newOrigin)
                #expect(try transaction.lastSequence == fence)
            }
            #expect(try await store.read { try $0.lastSequence } == fence)
            await expectError(.invalidArgument) { try await store.write { try $0.raiseCounter(to: SequenceNumber(1 << 53)) } }
        }
    }

    @Test("Runs of moves and their journal are stored", arguments: StorageEngine.all)
    func moveRuns(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                var run = try transaction.beginMoveRun(routes: "routes")
                for key in 1...5 {
                    try transaction.recordMove(
                        MoveRecord(document: DocumentKey(Int64(key)), fromCollection: .default, fromUnifiedID: "u\(key)", fromLocalID: nil),
                        in: run.key)
                }
                var moves: [MovedDocumentRecord] = []
                try transaction.movedDocuments(in: run.key, after: DocumentKey(1), limit: 2) {
                    moves.append($0)
                    return true
                }
                #expect(moves.map(\.move.document.value) == [2, 3])
                #expect(moves.first?.move.fromUnifiedID == "u2")
                #expect(moves.allSatisfy { $0.document == nil }, "there are no such documents")
                try transaction.forgetMoves(in: run.key, after: DocumentKey(1), upTo: DocumentKey(4), but: [DocumentKey(3)])
                var left: [Int64] = []
                try transaction.movedDocuments(in: run.key, after: DocumentKey(0), limit: 9) {
                    left.append($0.move.document.value)
                    return left.count < 2
                }
                #expect(left == [1, 3], "until the search has found enough")
                run.state = .done
                run.finished = 9
                run.cursor = DocumentKey(5)
                try transaction.updateMoveRun(run)
                #expect(try transaction.moveRuns() == [run])
            }
        }
    }

    @Test("A collection keeps its key when it is hidden", arguments: StorageEngine.all)
    func collections(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                let first = try transaction.putCollection(scope: "a", name: "b", isHidden: false)
                let second = try transaction.putCollection(scope: "a", name: "b", isHidden: true)
                #expect(first.key == second.key)
                #expect(try transaction.collections().map(\.isHidden) == [false, true])
                // The change is applied to the documents afterwards; the same setting again is no change.
                #expect(first.pending == nil)
                #expect(second.pending == DocumentKey(0))
                try transaction.setPending(DocumentKey(5), in: second.key)
                #expect(try transaction.putCollection(scope: "a", name: "b", isHidden: true).pending == DocumentKey(5))
                try transaction.setPending(nil, in: second.key)
                #expect(try transaction.collection(second.key) == CollectionRecord(key: second.key, scope: "a", name: "b", isHidden: true))
            }
        }
    }
}
