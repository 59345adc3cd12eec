import Documents
import SQLiteStorage
import Storage
import Testing

@Suite("Documents in a store")
struct DocumentTests {
    @Test("A document is read as it was written", arguments: StorageEngine.all)
    func roundTrip(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            let key = try await store.write { transaction in
                let sequence = try transaction.nextSequence()
                var document = try DocumentRecord.new("ünï/cöde 🚂", tree(["2-bb", "1-aa"]), sequence: sequence, hasAttachments: true)
                document.flags.insert(.misplaced)
                document.modified = 1_234_567_890_123
                return try transaction.insert(document, winnerBody: content("{\"x\":1.0}", attachments: "{}"))
            }
            try await store.read { snapshot in
                let document = try #require(try snapshot.document(unifiedID: "ünï/cöde 🚂"))
                #expect(document.key == key)
                #expect(document.collection == .default)
                #expect(document.localID == nil)
                #expect(try document.winner == revision("2-bb"))
                #expect(try document.tree == tree(["2-bb", "1-aa"]))
                #expect(document.flags == [.attachments, .misplaced])
                #expect(document.modified == 1_234_567_890_123)
                #expect(document.sequence == document.collectionSequence)
                #expect(try snapshot.body(of: document.winner, in: document) == content("{\"x\":1.0}", attachments: "{}"))
                #expect(try snapshot.body(of: revision("1-aa"), in: document) == nil)
                #expect(try snapshot.document(key)?.id == document.id)
                #expect(try snapshot.document(in: .default, id: document.id)?.key == key)
                #expect(try snapshot.document(unifiedID: "other") == nil)
            }
        }
    }

    @Test("A missing body and an empty body are distinguished", arguments: StorageEngine.all)
    func missingBody(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                let sequence = try transaction.nextSequence()
                _ = try transaction.insert(.new("none", tree(["1-aa"]), sequence: sequence), winnerBody: nil)
                let next = try transaction.nextSequence()
                _ = try transaction.insert(.new("empty", tree(["1-aa"]), sequence: next), winnerBody: content(""))
                let none = try #require(try transaction.document(unifiedID: "none"))
                #expect(try transaction.body(of: none.winner, in: none) == nil)
                let empty = try #require(try transaction.document(unifiedID: "empty"))
                #expect(try transaction.body(of: empty.winner, in: empty) == content(""))
            }
        }
    }

    @Test("One ID in two collections is found by legacy ID and by local ID", arguments: StorageEngine.all)
    func localIDs(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                let orders = try transaction.putCollection(scope: "sales", name: "orders", isHidden: false).key
                let hidden = try transaction.putCollection(scope: "catalog", name: "products", isHidden: true).key
                let plain = try transaction.add("17")
                let stripped = try transaction.add("order::17", in: orders, localID: "17")
                let secret = try transaction.add(nil, in: hidden, localID: "17", isVisible: false)
                #expect(try transaction.document(in: .default, id: "17")?.key == plain)
                #expect(try transaction.document(in: orders, id: "17")?.key == stripped)
                #expect(try transaction.document(in: hidden, id: "17")?.key == secret)
                #expect(try transaction.document(in: orders, id: "order::17") == nil)
                #expect(try transaction.document(unifiedID: "order::17")?.id == "17")
                #expect(try transaction.feedIDs(.unified) == ["17", "order::17"])
                #expect(try transaction.feedIDs(.collection(hidden)) == ["17"])
            }
        }
    }

    @Test("A taken ID is a conflict, and nothing is stored", arguments: StorageEngine.all)
    func takenID(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { _ = try $0.add("a") }
            await expectError(.conflict) { try await store.write { _ = try $0.add("a") } }
            #expect(try await store.read { try $0.lastSequence.value } == SequenceNumber.newOrigin.value + 1)
            #expect(try await store.read { try $0.counts(.unified).live } == 1)
        }
    }

    @Test("The winner's body moves between the document's row and the table of bodies", arguments: StorageEngine.all)
    func changingWinners(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                try transaction.add("a", "1-aa")
                try transaction.edit("a", ["2-bb", "1-aa"])
                try transaction.edit("a", ["2-cc", "1-aa"])
                try transaction.edit("a", ["2-ab", "1-aa"])
            }
            try await check(store, winner: "2-cc", bodies: ["1-aa", "2-bb", "2-ab", "2-cc"])
            // The winner is deleted, so the next leaf wins: its body was kept.
            try await store.write { try $0.edit("a", ["3-dd", "2-cc", "1-aa"], isDeleted: true) }
            try await check(store, winner: "2-bb", bodies: ["1-aa", "2-bb", "2-ab", "2-cc", "3-dd"])
            try await store.write { transaction in
                let key = try #require(try transaction.document(unifiedID: "a")?.key)
                try transaction.trimBodies(of: key, keeping: 1)
            }
        }
    }

    private func check(_ store: any MeasuredStore, winner: String, bodies: [String]) async throws {
        try await store.read { snapshot in
            let document = try #require(try snapshot.document(unifiedID: "a"))
            #expect(try document.winner == revision(winner))
            for id in bodies {
                let expected = id == "1-aa" ? content("{\"id\":1}") : content("{\"rev\":\"\(id)\"}")
                #expect(try snapshot.body(of: revision(id), in: document) == expected, "\(id)")
            }
        }
    }

    @Test("Trimming removes the bodies of the oldest ancestors and of no leaf", arguments: StorageEngine.all)
    func trimming(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                try transaction.add("a", "1-aa")
                try transaction.edit("a", ["2-aa", "1-aa"])
                try transaction.edit("a", ["3-aa", "2-aa"])
                try transaction.edit("a", ["4-aa", "3-aa"])
                try transaction.edit("a", ["2-00", "1-aa"])
                let document = try #require(try transaction.document(unifiedID: "a"))
                try transaction.trimBodies(of: try #require(document.key), keeping: 2)
                let kept = try ["1-aa", "2-aa", "3-aa", "4-aa", "2-00"].map { try transaction.body(of: revision($0), in: document) != nil }
                #expect(kept == [false, true, true, true, true])
                // A losing branch continues: its old leaf is an old ancestor afterwards.
                try transaction.setIsLeaf(false, of: revision("2-00"), in: document)
                try transaction.trimBodies(of: try #require(document.key), keeping: 0)
                let left = try ["2-aa", "3-aa", "4-aa", "2-00"].map { try transaction.body(of: revision($0), in: document) != nil }
                #expect(left == [false, false, true, false])
            }
        }
    }

    @Test("Bodies are set and removed in either table", arguments: StorageEngine.all)
    func settingBodies(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                try transaction.add("a", "1-aa")
                try transaction.edit("a", ["1-00"])
                let document = try #require(try transaction.document(unifiedID: "a"))
                for id in ["1-aa", "1-00"] {
                    try transaction.setBody(content("new"), of: revision(id), in: document, isLeaf: true)
                    #expect(try transaction.body(of: revision(id), in: document) == content("new"))
                    try transaction.removeBody(of: revision(id), in: document)
                    #expect(try transaction.body(of: revision(id), in: document) == nil)
                }
                try transaction.setBody(nil, of: revision("1-00"), in: document, isLeaf: true)
                #expect(try transaction.body(of: revision("1-00"), in: document) == nil)
            }
            try await store.expectSound()
        }
    }

    @Test("A missing document cannot be changed", arguments: StorageEngine.all)
    func missingDocument(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            var ghost = try DocumentRecord.new("a", tree(["1-aa"]), sequence: SequenceNumber(1))
            await expectError(.conflict) { [ghost] in try await store.write { try $0.update(ghost) } }
            ghost.key = DocumentKey(99)
            await expectError(.conflict) { [ghost] in try await store.write { try $0.update(ghost) } }
            await expectError(.invalidArgument) { [ghost] in try await store.write { _ = try $0.insert(ghost, winnerBody: nil) } }
        }
    }

    @Test("A purge removes a document and all rows that refer to it", arguments: StorageEngine.all)
    func purging(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                let key = try transaction.add("a")
                try transaction.edit("a", ["1-bb"])
                let vector = try VersionVector("1@AAAAAAAAAAAAAAAAAAAAAA")
                try transaction.setVersion(VersionRecord(revision: revision("1-aa"), vector: vector), of: key)
                try transaction.setLegacyRevision(revision("1-aa"), of: key, client: "c")
                let run = try transaction.beginMoveRun(routes: "{}")
                try transaction.recordMove(
                    MoveRecord(document: key, fromCollection: .default, fromUnifiedID: "a", fromLocalID: nil), in: run.key)
                try transaction.setDeparture(
                    DepartureRecord(collection: .default, id: "old", document: key, sequence: transaction.nextSequence()))
                let attachment = try transaction.insertAttachment([1], digest: .sha1(of: [1]))
                try transaction.setAttachments([attachment.key], usedBy: key)
                try transaction.purge(key)
                try transaction.purge(key)
                #expect(try transaction.document(unifiedID: "a") == nil)
                #expect(try transaction.departure(from: .default, id: "old") == nil)
                #expect(try transaction.counts(.unified) == DocumentCounts(live: 0, tombstones: 0, conflicted: 0, misplaced: 0))
                #expect(try !transaction.uses(key, attachment))
            }
            try await store.expectSound()
        }
    }

    @Test("Documents are read by key, all or those of a collection", arguments: StorageEngine.all)
    func goingThrough(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                let orders = try transaction.putCollection(scope: "sales", name: "orders", isHidden: false).key
                for index in 0..<10 { try transaction.add("d\(index)", in: index % 3 == 0 ? orders : .default) }
                var ids: [String] = []
                try transaction.documents(in: nil, after: DocumentKey(5), limit: 3) {
                    ids.append($0.id)
                    return true
                }
                #expect(ids == ["d5", "d6", "d7"])
                ids = []
                try transaction.documents(in: orders, after: DocumentKey(1), limit: 10) {
                    ids.append($0.id)
                    return ids.count < 2
                }
                #expect(ids == ["d3", "d6"])
            }
        }
    }
}
