import Documents
import SQLiteStorage
import Storage
import TestSupport
import Testing

@Suite("Feeds and listings")
struct FeedTests {
    @Test(
        "Feeds have the order of the latest changes, in both directions, from any position, and with a limit", arguments: StorageEngine.all)
    func order(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                for id in ["a", "b", "c", "d"] { try transaction.add(id) }
                try transaction.edit("b", ["2-bb", "1-aa"])
            }
            try await store.read { snapshot in
                for scope in [FeedScope.unified, .collection(.default)] {
                    let start = SequenceNumber.newOrigin.value
                    #expect(try snapshot.feedIDs(scope) == ["a", "c", "d", "b"])
                    #expect(try snapshot.feedIDs(scope, descending: true) == ["b", "d", "c", "a"])
                    #expect(try snapshot.feedIDs(scope, after: SequenceNumber(start + 1)) == ["c", "d", "b"])
                    #expect(try snapshot.feedIDs(scope, after: SequenceNumber(start + 1), limit: 1) == ["c"])
                    #expect(try snapshot.feedIDs(scope, after: SequenceNumber(start + 5)).isEmpty)
                    #expect(try snapshot.feedIDs(scope, limit: 0).isEmpty)
                }
                var rows: [FeedRow] = []
                try snapshot.feed(.unified, FeedStretch(limit: 10, isDescending: true)) { row in
                    rows.append(row)
                    return false
                }
                #expect(rows.count == 1)
                #expect(rows.first?.revision == "2-bb")
                #expect(rows.first?.bodySize == 14)
            }
        }
    }

    @Test("A move changes the collections' feeds and not the unified one", arguments: StorageEngine.all)
    func moves(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            let orders = try await store.write { transaction in
                for id in ["a", "b"] { try transaction.add(id) }
                return try transaction.putCollection(scope: "sales", name: "orders", isHidden: false).key
            }
            let before = try await store.read { try $0.counts(.unified) }
            var subscription = store.commits(for: .unified).makeAsyncIterator()
            var moved = store.commits(for: .collection(orders)).makeAsyncIterator()
            try await store.write { transaction in
                var document = try #require(try transaction.document(unifiedID: "a"))
                document.collection = orders
                document.collectionSequence = try transaction.nextSequence()
                try transaction.update(document)
            }
            let commit = await moved.next()
            #expect(commit?.touchesUnified == false)
            #expect(commit?.collections == [orders, .default])
            #expect(try await store.read { try $0.counts(.unified) } == before)
            #expect(try await store.read { try $0.counts(.collection(orders)).live } == 1)
            #expect(try await store.read { try $0.feedIDs(.unified) } == ["a", "b"])
            #expect(try await store.read { try $0.feedIDs(.collection(orders)) } == ["a"])
            #expect(try await store.read { try $0.feedIDs(.collection(.default)) } == ["b"])
            try await store.write { try $0.edit("b", ["2-bb", "1-aa"]) }
            // The edit is the first change in the unified keyspace.
            #expect(await subscription.next()?.touchesUnified == true)
        }
    }

    @Test("Counts follow every kind of change", arguments: StorageEngine.all)
    func counts(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                for id in ["a", "b", "c"] { try transaction.add(id) }
                try transaction.edit("a", ["2-bb", "1-aa"], isDeleted: true)
                try transaction.edit("b", ["1-bb"])
                let expected = DocumentCounts(live: 2, tombstones: 1, conflicted: 1, misplaced: 0)
                #expect(try transaction.counts(.unified) == expected)
            }
            let expected = DocumentCounts(live: 2, tombstones: 1, conflicted: 1, misplaced: 0)
            #expect(try await store.read { try $0.counts(.collection(.default)) } == expected)
            try await store.expectSound()
        }
    }

    @Test("Listings agree with sorting, for all ranges", arguments: StorageEngine.all)
    func listings(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            let orders = try await store.write { try $0.putCollection(scope: "sales", name: "orders", isHidden: false).key }
            var generator = SeededGenerator(seed: 7)
            let alphabet = ["a", "b", "é", "e\u{301}", "z", "🚂", "/", "A"]
            // Arrays, because a dictionary would treat differently composed texts as one.
            var unified: [(key: String, value: Bool)] = []
            var local: [(key: String, value: Bool)] = []
            for index in 0..<120 {
                let id = (0..<Int.random(in: 1...4, using: &generator)).map { _ in alphabet.randomElement(using: &generator) ?? "" }
                    .joined()
                let isDeleted = Bool.random(using: &generator)
                let strips = index % 3 == 0
                let legacy = strips ? "o::" + id : id
                guard unified.allSatisfy({ Array($0.key.utf8) != Array(legacy.utf8) }),
                    local.allSatisfy({ Array($0.key.utf8) != Array(id.utf8) })
                else { continue }
                try await store.write { transaction in
                    let sequence = try transaction.nextSequence()
                    let document = try DocumentRecord.new(
                        legacy, tree([isDeleted ? "!1-aa" : "1-aa"]), in: orders, localID: strips ? id : nil, sequence: sequence)
                    _ = try transaction.insert(document, winnerBody: content("{}"))
                }
                unified.append((legacy, isDeleted))
                local.append((id, isDeleted))
            }
            for (scope, ids) in [(FeedScope.unified, unified), (.collection(orders), local)] {
                let sorted = ids.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                for _ in 0..<100 {
                    var range = ListRange()
                    if Bool.random(using: &generator) { range.from = sorted.randomElement(using: &generator)?.key }
                    if Bool.random(using: &generator) { range.to = sorted.randomElement(using: &generator)?.key }
                    range.includesTo = Bool.random(using: &generator)
                    range.descending = Bool.random(using: &generator)
                    range.includesDeleted = Bool.random(using: &generator)
                    let limit = [1, 5, 1000].randomElement(using: &generator) ?? 1
                    let expected = Self.model(sorted, range).prefix(limit).map { Array($0.utf8) }
                    let found = try await store.read { [range] in try $0.listIDs(scope, range, limit: limit) }
                    #expect(found.map { Array($0.utf8) } == expected, "\(range)")
                }
            }
        }
    }

    private static func model(_ sorted: [(key: String, value: Bool)], _ range: ListRange) -> [String] {
        func precedes(_ a: String, _ b: String) -> Bool {
            range.descending ? b.utf8.lexicographicallyPrecedes(a.utf8) : a.utf8.lexicographicallyPrecedes(b.utf8)
        }
        return (range.descending ? sorted.reversed() : sorted).filter { id, isDeleted in
            if isDeleted, !range.includesDeleted { return false }
            if let from = range.from, precedes(id, from) { return false }
            guard let to = range.to else { return true }
            return precedes(id, to) || (range.includesTo && !precedes(to, id))
        }.map(\.key)
    }

    @Test("Departures are found by ID and listed in order", arguments: StorageEngine.all)
    func departures(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                let key = try transaction.add("a")
                for id in ["x", "y", "z"] {
                    try transaction.setDeparture(
                        DepartureRecord(collection: .default, id: id, document: key, sequence: transaction.nextSequence()))
                }
                try transaction.setDeparture(
                    DepartureRecord(collection: .default, id: "x", document: key, sequence: transaction.nextSequence()))
                try transaction.endDeparture(of: key, as: "y", from: .default, at: transaction.nextSequence())
                var ids: [String] = []
                try transaction.departures(from: .default, FeedStretch(limit: 10)) { ids.append($0.id) }
                #expect(ids == ["z", "x"])
                #expect(try transaction.departure(from: .default, id: "x")?.document == key)
                #expect(try transaction.departure(from: .default, id: "y") == nil)
            }
        }
    }

    @Test("A departure replaces another one, or none, or one that is at its own position", arguments: StorageEngine.all)
    func departureInPlace(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                let (key, other) = (try transaction.add("a"), CollectionKey(7))
                func depart(from collection: CollectionKey, _ id: String, inPlaceOf former: String, from place: CollectionKey) throws {
                    let departure = DepartureRecord(
                        collection: collection, id: id, document: key, sequence: try transaction.nextSequence())
                    try transaction.setDeparture(departure, inPlaceOf: former, from: place)
                }
                func all() throws -> [String] {
                    var all: [String] = []
                    for collection in [CollectionKey.default, other] {
                        try transaction.departures(from: collection, FeedStretch(limit: 10)) { all.append("\(collection.value):\($0.id)") }
                    }
                    return all
                }
                let first = CollectionKey.default.value
                try depart(from: .default, "x", inPlaceOf: "y", from: other)
                #expect(try all() == ["\(first):x"])
                try depart(from: other, "y", inPlaceOf: "x", from: .default)
                #expect(try all() == ["7:y"])
                try depart(from: .default, "x", inPlaceOf: "z", from: other)
                try depart(from: other, "y", inPlaceOf: "x", from: .default)
                #expect(try all() == ["7:y"], "of two equal ones, the later stays")
                #expect(try transaction.departure(from: other, id: "y")?.document == key)
            }
        }
    }

    @Test("A document that returns to a former collection is recorded there, with the sequence of its return", arguments: StorageEngine.all)
    func returns(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                let (key, other) = (try transaction.add("a"), CollectionKey(7))
                func returns(to collection: CollectionKey) throws -> [SequenceNumber] {
                    var found: [SequenceNumber] = []
                    try transaction.returns(to: collection, FeedStretch(limit: 10)) { document, sequence in
                        #expect(document == key)
                        found.append(sequence)
                    }
                    #expect(try transaction.returnSequence(of: key, to: collection) == found.last)
                    return found
                }
                var sequence = SequenceNumber.zero
                func depart(from collection: CollectionKey, to place: CollectionKey) throws {
                    sequence = try transaction.nextSequence()
                    let departure = DepartureRecord(collection: collection, id: "x", document: key, sequence: sequence)
                    try transaction.setDeparture(departure, inPlaceOf: "x", from: place)
                }
                try depart(from: .default, to: other)
                #expect(try returns(to: .default) == [] && returns(to: other) == [])
                #expect(try transaction.departures(of: key).map(\.collection) == [.default])
                try depart(from: other, to: .default)
                #expect(try returns(to: .default) == [sequence] && returns(to: other) == [])
                try depart(from: .default, to: other)
                #expect(try returns(to: .default).count == 1 && returns(to: other) == [sequence])
                try transaction.endDeparture(of: key, as: "x", from: .default, at: transaction.nextSequence())
                #expect(try returns(to: .default) == [transaction.lastSequence])
                try transaction.purge(key)
                #expect(try returns(to: .default) == [] && returns(to: other) == [])
            }
        }
    }
}
