import Documents
import Storage
import Testing

@Suite("Reads of many rows")
struct LongReadTests {
    private static let count = 3_000

    @Test(
        "Feeds, listings and documents of any number are read completely, in both directions, and end where the reader wants",
        arguments: StorageEngine.all)
    func complete(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            let ids = (0..<Self.count).map { "d\(10_000 + $0)" }
            try await store.write { transaction in for id in ids { try transaction.add(id) } }
            try await store.read { snapshot throws in
                for scope in [FeedScope.unified, .collection(.default)] {
                    #expect(try snapshot.feedIDs(scope, limit: 10_000) == ids)
                    #expect(try snapshot.feedIDs(scope, limit: .max, descending: true) == ids.reversed())
                    #expect(try snapshot.feedIDs(scope, limit: Self.count - 1).count == Self.count - 1)
                    #expect(try snapshot.listIDs(scope, limit: 10_000) == ids)
                    #expect(try snapshot.listIDs(scope, ListRange(descending: true), limit: .max) == ids.reversed())
                }
                var seen: [String] = []
                try snapshot.documents(in: .default, after: DocumentKey(0), limit: .max) { document in
                    seen.append(document.id)
                    return seen.count < 2_000
                }
                #expect(seen == Array(ids.prefix(2_000)))
            }
        }
    }

    @Test("A channel's feed has every document, also those that entered at one sequence", arguments: StorageEngine.all)
    func ties(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                let keys = try (0..<500).map { try transaction.add("d\($0)") }
                let sequence = try transaction.nextSequence()
                for key in keys {
                    let document = try #require(try transaction.document(key))
                    try transaction.setChannels(["news"], of: document, at: sequence)
                }
            }
            try await store.read { snapshot throws in
                for scope in [FeedScope.unified, .collection(.default)] {
                    for isDescending in [false, true] {
                        var ids: Set<String> = []
                        try snapshot.channelFeed("news", of: .default, in: scope, FeedStretch(limit: 10_000, isDescending: isDescending)) {
                            row in
                            #expect(ids.insert(row.document.id).inserted)
                            return true
                        }
                        #expect(ids.count == 500)
                    }
                }
            }
        }
    }

    @Test("Texts may have any characters, and sort by their bytes", arguments: StorageEngine.all)
    func characters(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            let ids = ["a", "a\u{0}", "a\u{0}b", "a\u{1}", "ab", "e\u{301}", "é", "\u{ffff}", "🚂"]
            try await store.write { transaction in for id in ids.shuffled() { try transaction.add(id) } }
            try await store.read { snapshot throws in
                #expect(try snapshot.listIDs(.unified).map { Array($0.utf8) } == ids.map { Array($0.utf8) })
                #expect(try snapshot.document(unifiedID: "a\u{0}b")?.unifiedID == "a\u{0}b")
                #expect(try snapshot.document(unifiedID: "e\u{301}")?.key != snapshot.document(unifiedID: "é")?.key)
                #expect(try snapshot.listIDs(.unified, ListRange(from: "a\u{0}", to: "a\u{0}b", includesTo: false)) == ["a\u{0}"])
            }
        }
    }
}
