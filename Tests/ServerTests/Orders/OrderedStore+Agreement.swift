import Access
import Documents
import Gateway
import Storage
import TestSupport
import Testing

@testable import BridgeConfiguration
@testable import Server

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

    func pull(_ index: Int, limit: Int? = nil) async throws {
        let keyspaces = try await keyspaces(of: readers[index].user)
        guard !readers[index].isModern else {
            return try await readers[index].pull(try database, collections: keyspaces.map(\.name).filter { !$0.isEmpty })
        }
        for (name, keyspace) in keyspaces { try await readers[index].pull(keyspace, as: name, limit: limit ?? pick([1, 3, 100])) }
    }

    /// Expects that every view has the documents of each user's channels, and that a client that goes on has the documents of a new client.
    func expectAgreement() async throws {
        let story = log.joined(separator: "; ")
        let database = try database
        let places = try await expectPlaces(story)
        let hidden = Set(database.collectionRecords.filter(\.isHidden).map(\.collectionName.description))
        for index in readers.indices { try await pull(index, limit: 100) }
        for user in AccessModel.orderedUsers {
            let expected = Set(
                documents.filter { rules.sees(user, $0.value, in: places[$0.key] ?? "", grants, documents, places) }.keys)
            let unified = database.unified.seen(by: .user(user))
            let shown = expected.filter { places[$0].map { !hidden.contains($0) } ?? false }
            let feed = try await FeedReader.fresh(unified)
            #expect(Set(feed.keys) == shown, "the unified feed of \(user): \(story)")
            #expect(Set(try await Self.list(unified)) == shown, "the list of \(user): \(story)")
            for id in documents.keys {
                let isThere = (try? await unified.revision(.current, of: id)) != nil
                #expect(isThere == shown.contains(id), "GET of \(id) by \(user): \(story)")
            }
            var modern = FeedReader(user: user, isModern: true)
            try await modern.pull(database, collections: database.collectionRecords.map(\.collectionName.description))
            #expect(modern.held["", default: [:]] == feed, "BLIP of \(user): \(story)")
            var union: Set<String> = []
            for record in database.collectionRecords {
                let name = record.collectionName.description
                let keyspace = try #require(database.keyspace(record.collectionName)).seen(by: .user(user))
                let names = try await Self.legacyNames(keyspace)
                let fresh = try await FeedReader.fresh(keyspace)
                #expect(Set(fresh.keys) == Set(names.map(\.id)), "feed and list of \(name) for \(user): \(story)")
                #expect(modern.held[name, default: [:]] == fresh, "BLIP of \(name) for \(user): \(story)")
                union.formUnion(names.map(\.name))
                try await expectHeld(fresh, by: user, name, keyspace, story)
            }
            #expect(union == expected, "the collections' feeds of \(user): \(story)")
            try await expectHeld(feed, by: user, "", unified, story)
        }
    }

    /// The collection of each document.
    private func expectPlaces(_ story: String) async throws -> [String: String] {
        let database = try database
        try await database.readCollections()
        var places: [String: String] = [:]
        for record in database.collectionRecords {
            let keyspace = try #require(database.keyspace(record.collectionName))
            for (id, name) in try await Self.legacyNames(keyspace) {
                #expect(places[name] == nil, "\(name) stands in two collections, \(id): \(story)")
                places[name] = record.collectionName.description
            }
        }
        for (id, _) in documents where places[id] == nil { Issue.record("\(id) is in no collection: \(story)") }
        return places
    }

    /// A client that goes on has only documents of a new client. The exceptions are documents whose loss has no row:
    /// - hidden documents, in the unified keyspace: legacy clients would push a removal back;
    /// - documents that were moved out of a collection with `departures: silent`;
    /// - purged documents.
    private func expectHeld(_ fresh: [String: String], by user: String, _ name: String, _ keyspace: Keyspace, _ story: String) async throws
    {
        for reader in readers where reader.user == user {
            let held = reader.held[name] ?? [:]
            for (id, revision) in fresh { #expect(held[id] == revision, "\(reader.name) has not \(id) in '\(name)': \(story)") }
            for (id, revision) in held where fresh[id] == nil && !purged.contains(revision) {
                let isHere = try await keyspace.seen(by: .administrator).read {
                    try $0.document(id).map { !$0.isWithheld } ?? false
                }
                let isTold = isHere || departures == .notify && !name.isEmpty
                #expect(!isTold, "\(reader.name) still has \(id) in '\(name)': \(story)")
            }
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

    /// The documents of a collection's list by their former or present names in the unified keyspace.
    private static func legacyNames(_ keyspace: Keyspace) async throws -> [(id: String, name: String)] {
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
