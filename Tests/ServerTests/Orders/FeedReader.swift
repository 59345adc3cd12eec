import Access
import Documents
import Gateway
import Storage
import Testing

@testable import Server

/// A client that goes on: it keeps its place in each feed, and which revisions it has.
struct FeedReader {
    let user: String

    /// By the keyspace: empty for the unified one.
    var places: [String: FeedPosition] = [:]
    var held: [String: [String: String]] = [:]

    /// Pulls until it is caught up.
    mutating func pull(_ keyspace: Keyspace, as name: String, limit: Int) async throws {
        var query = ChangesQuery()
        query.since = places[name] ?? .zero
        query.limit = limit
        query.includesRevocations = true
        var documents = held[name] ?? [:]
        while true {
            let batch = try await keyspace.changes(query)
            for row in batch.rows {
                documents[row.id] = row.isRemoval || row.isDeleted ? nil : row.revision
            }
            query.since = batch.position
            if batch.isCaughtUp { break }
        }
        places[name] = query.since
        held[name] = documents
    }

    /// What a client has that begins now.
    static func fresh(_ keyspace: Keyspace) async throws -> [String: String] {
        var reader = FeedReader(user: "")
        try await reader.pull(keyspace, as: "", limit: 100)
        return reader.held[""] ?? [:]
    }
}

extension OrderedStore {
    func keyspaces(of user: String) async throws -> [(name: String, keyspace: Keyspace)] {
        let database = try database
        try await database.readCollections()
        var found = [("", database.unified.seen(by: .user(user)))]
        for record in database.collectionRecords {
            guard let keyspace = database.keyspace(record.collectionName) else { continue }
            found.append((record.collectionName.description, keyspace.seen(by: .user(user))))
        }
        return found
    }

    func pull(_ index: Int) async throws {
        for (name, keyspace) in try await keyspaces(of: readers[index].user) {
            try await readers[index].pull(keyspace, as: name, limit: pick([1, 3, 100]))
        }
    }

    /// Expects that every view tells each user of the documents of his channels, and that who went on holds what who begins gets.
    func expectAgreement() async throws {
        let story = log.joined(separator: "; ")
        let database = try database
        try await database.readCollections()
        let hidden = Set(database.collectionRecords.filter(\.isHidden).map(\.key))
        var places: [String: CollectionKey] = [:]
        for record in database.collectionRecords {
            let keyspace = try #require(database.keyspace(record.collectionName))
            for (id, name) in try await Self.legacyNames(keyspace, record.key) {
                #expect(places[name] == nil, "\(name) stands in two collections, \(id): \(story)")
                places[name] = record.key
            }
        }
        for (id, _) in documents where places[id] == nil { Issue.record("\(id) is in no collection: \(story)") }
        for index in readers.indices {
            let user = readers[index].user
            let channels = grants[user] ?? []
            let expected = Set(
                documents.filter { channels.contains("*") || !$0.value.channels.isDisjoint(with: channels.union(["!"])) }.keys)
            let unified = database.unified.seen(by: .user(user))
            let feed = try await FeedReader.fresh(unified)
            let shown = expected.filter { places[$0].map { !hidden.contains($0) } ?? false }
            #expect(Set(feed.keys) == shown, "the unified feed of \(user): \(story)")
            #expect(Set(try await Self.list(unified)) == shown, "the list of \(user): \(story)")
            for id in documents.keys {
                let isThere = (try? await unified.revision(.current, of: id)) != nil
                #expect(isThere == shown.contains(id), "GET of \(id) by \(user): \(story)")
            }
            var union: Set<String> = []
            for record in database.collectionRecords {
                let keyspace = try #require(database.keyspace(record.collectionName)).seen(by: .user(user))
                let names = try await Self.legacyNames(keyspace, record.key)
                let fresh = try await FeedReader.fresh(keyspace)
                #expect(Set(fresh.keys) == Set(names.map(\.id)), "feed and list of \(record.collectionName) for \(user): \(story)")
                union.formUnion(names.map(\.name))
                try await expectHeld(fresh, index, record.collectionName.description, keyspace, story)
            }
            #expect(union == expected, "the collections' feeds of \(user): \(story)")
            try await expectHeld(feed, index, "", unified, story)
        }
    }

    /// A collection says nothing of documents that were moved away or hidden: who has them keeps them. All else is what a new client gets.
    private func expectHeld(_ fresh: [String: String], _ index: Int, _ name: String, _ keyspace: Keyspace, _ story: String) async throws {
        try await readers[index].pull(keyspace, as: name, limit: 100)
        let held = readers[index].held[name] ?? [:]
        for (id, revision) in fresh {
            #expect(held[id] == revision, "\(readers[index].user) has not \(id) in '\(name)': \(story)")
        }
        for id in held.keys where fresh[id] == nil {
            let isHere = try await keyspace.seen(by: .administrator).read { try $0.document(id).map { !$0.isDeleted } ?? false }
            #expect(!isHere, "\(readers[index].user) still has \(id) in '\(name)': \(story)")
        }
    }

    private static func list(_ keyspace: Keyspace) async throws -> [String] {
        try await keyspace.read { snapshot in
            var ids: [String] = []
            try snapshot.list(ListRange(), limit: 10_000) { row in
                if !row.flags.contains(.deleted) { ids.append(row.id) }
                return true
            }
            return ids
        }
    }

    /// The documents of a collection's list with the names that they had, or have, in the unified keyspace.
    private static func legacyNames(_ keyspace: Keyspace, _ key: CollectionKey) async throws -> [(id: String, name: String)] {
        let ids = try await list(keyspace)
        return try await keyspace.seen(by: .administrator).read { snapshot in
            try ids.compactMap { id in
                guard let body = try snapshot.document(id).flatMap({ try $0.content(of: $0.winner) })?.body.properties,
                    let name = try JSONValue(body)["name"]?.string
                else { return nil }
                return (id, name)
            }
        }
    }
}
