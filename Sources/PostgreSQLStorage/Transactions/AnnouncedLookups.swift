import Documents
import Storage

/// The records that an announcement has read from the store, until a write of the transaction may change them.
///
/// The keys are bytes, because texts that differ in their composition alone are equal in Swift.
struct AnnouncedLookups {
    /// An ID in a collection, or in the unified keyspace.
    struct Place: Hashable {
        let collection: CollectionKey
        let id: [UInt8]
    }

    /// The documents by legacy ID; `nil` for an ID without a document.
    private var documents: [[UInt8]: DocumentRecord?] = [:]

    /// The documents by their own ID in a collection.
    private var locals: [Place: DocumentRecord?] = [:]
    private var departures: [Place: DepartureRecord?] = [:]

    /// The legacy IDs without places of a purged document.
    private var unpurged: Set<[UInt8]> = []
    private var collections: [CollectionKey: CollectionRecord]?

    /// The IDs under which a document is known here.
    private var ids: [DocumentKey: (unified: [UInt8]?, local: Place?)] = [:]

    /// The parts of documents that were read besides their records.
    var details = KnownDetails()

    /// Above it, an announcement begins anew.
    private static let most = 10_000

    mutating func makeRoom(for count: Int) {
        if documents.count + locals.count + departures.count + count > Self.most { self = AnnouncedLookups() }
    }

    // MARK: Known values. `nil` if the store has to be asked.

    func document(unifiedID: String) -> DocumentRecord?? { documents.isEmpty ? nil : documents[Array(unifiedID.utf8)] }

    func document(localID: String, in collection: CollectionKey) -> DocumentRecord?? {
        locals.isEmpty ? nil : locals[Place(collection: collection, id: Array(localID.utf8))]
    }

    func document(_ key: DocumentKey) -> DocumentRecord? {
        guard let names = ids[key] else { return nil }
        let known = (names.unified.flatMap { documents[$0] } ?? names.local.flatMap { locals[$0] }) ?? nil
        return known?.key == key ? known : nil
    }

    func departure(from collection: CollectionKey, id: String) -> DepartureRecord?? {
        departures.isEmpty ? nil : departures[Place(collection: collection, id: Array(id.utf8))]
    }

    func isUnpurged(_ unifiedID: String) -> Bool { !unpurged.isEmpty && unpurged.contains(Array(unifiedID.utf8)) }

    func collection(_ key: CollectionKey) -> CollectionRecord?? { collections.map { $0[key] } }

    // MARK: Adding

    mutating func add(unifiedIDs: Set<[UInt8]>, _ found: [DocumentRecord]) {
        for id in unifiedIDs { documents[id] = .some(nil) }
        for document in found {
            guard let id = document.unifiedID.map({ Array($0.utf8) }) else { continue }
            documents[id] = document
            note(document)
        }
    }

    mutating func add(localIDs: Set<[UInt8]>, in collection: CollectionKey, _ found: [DocumentRecord]) {
        for id in localIDs { locals[Place(collection: collection, id: id)] = .some(nil) }
        for document in found {
            guard let id = document.localID else { continue }
            locals[Place(collection: collection, id: Array(id.utf8))] = document
            note(document)
        }
    }

    mutating func add(departuresOf ids: Set<[UInt8]>, from places: [CollectionKey], _ found: [DepartureRecord]) {
        for collection in places {
            for id in ids { departures[Place(collection: collection, id: id)] = .some(nil) }
        }
        for departure in found { departures[Place(collection: departure.collection, id: Array(departure.id.utf8))] = departure }
    }

    mutating func add(unpurged ids: Set<[UInt8]>) { unpurged.formUnion(ids) }

    mutating func add(_ found: [CollectionRecord]) { collections = Dictionary(found.map { ($0.key, $0) }) { $1 } }

    private mutating func note(_ document: DocumentRecord) {
        guard let key = document.key else { return }
        ids[key] = Self.names(of: document)
    }

    private static func names(of document: DocumentRecord) -> (unified: [UInt8]?, local: Place?) {
        let local = document.localID.map { Place(collection: document.collection, id: Array($0.utf8)) }
        return (document.unifiedID.map { Array($0.utf8) }, local)
    }

    // MARK: Forgetting

    /// Forgets a document under its known IDs and, if it changes, under its new ones.
    mutating func forget(_ key: DocumentKey, becoming document: DocumentRecord? = nil) {
        details.forget(key)
        guard !documents.isEmpty || !locals.isEmpty else { return }
        for names in [ids.removeValue(forKey: key), document.map(Self.names)].compactMap({ $0 }) {
            if let id = names.unified { documents[id] = nil }
            if let place = names.local { locals[place] = nil }
        }
    }

    mutating func forgetDepartures() { departures = [:] }

    mutating func forgetPurged() { unpurged = [] }

    mutating func forgetCollections() { collections = nil }
}

extension PostgreSQLSnapshot {
    func announceLookups(of ids: [String], legacyIDs: [String], in scope: FeedScope, with details: AnnouncedDetails) throws {
        guard ids.count > 1 else { return }
        let own = Set(ids.map { Array($0.utf8) })
        let unified = own.union(legacyIDs.map { Array($0.utf8) })
        lookups.makeRoom(for: unified.count * 4)
        var found = try connection.all(
            """
            SELECT key, collection, unified_id, local_id, sequence, collection_sequence, revision, flags, modified, tree
            FROM documents WHERE unified_id = ANY($1)
            """, TextArray(unified), row: record)
        lookups.add(unifiedIDs: unified, found)
        var places = [CollectionKey(FeedScope.unified.number)]
        if case .collection(let collection) = scope {
            places.append(collection)
            let more = try connection.all(
                """
                SELECT key, collection, unified_id, local_id, sequence, collection_sequence, revision, flags, modified, tree
                FROM documents WHERE collection = $1 AND local_id = ANY($2)
                """, collection, TextArray(own), row: record)
            lookups.add(localIDs: own, in: collection, more)
            found += more
            lookups.add(try collections())
        }
        lookups.add(
            departuresOf: unified, from: places,
            try connection.all(
                "SELECT collection, id, document, sequence FROM departures WHERE id = ANY($1)", TextArray(unified), row: departure))
        let purged = try connection.all("SELECT unified_id FROM purged_places WHERE unified_id = ANY($1)", TextArray(unified)) {
            $0.bytes(0)
        }
        lookups.add(unpurged: unified.subtracting(purged))
        try read(details, of: Set(found.compactMap(\.key)))
    }
}
