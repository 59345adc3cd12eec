import Documents
import Storage

/// Parts of announced documents, until a write of the transaction may change them.
struct KnownDetails {
    private var bodies: [DocumentKey: StoredBody?] = [:]
    private var channels: [DocumentKey: [StoredChannelEntry]] = [:]
    private var versions: [DocumentKey: VersionRecord?] = [:]

    /// Larger bodies are read one by one. A hundred bodies of this size are as much as a read of the 2.x+ side takes at a time, so that no body is
    /// read in vain.
    static let largestBody = 10 << 10

    // MARK: Known values. `nil` if the store has to be asked.

    func body(of document: DocumentKey) -> StoredBody?? { bodies.isEmpty ? nil : bodies[document] }

    func channels(of document: DocumentKey) -> [StoredChannelEntry]? { channels.isEmpty ? nil : channels[document] }

    func version(of document: DocumentKey) -> VersionRecord?? { versions.isEmpty ? nil : versions[document] }

    // MARK: Adding and forgetting

    /// Records the bodies of an announcement, and forgets those of earlier ones, so that memory is bounded.
    mutating func set(_ found: [DocumentKey: StoredBody?]) { bodies = found }

    mutating func add(_ found: [StoredChannelEntry], of documents: Set<DocumentKey>) {
        for document in documents { channels[document] = [] }
        for entry in found { channels[entry.document]?.append(entry) }
    }

    mutating func add(_ found: [(DocumentKey, VersionRecord)], of documents: Set<DocumentKey>) {
        for document in documents { versions[document] = .some(nil) }
        for (document, version) in found { versions[document] = version }
    }

    mutating func forget(_ document: DocumentKey) {
        if !bodies.isEmpty { bodies[document] = nil }
        if !channels.isEmpty { channels[document] = nil }
        if !versions.isEmpty { versions[document] = nil }
    }
}

/// A row of `channel_entries`.
struct StoredChannelEntry {
    let document: DocumentKey

    /// The channel's key.
    let channel: Int64
    let entry: ChannelEntry

    /// The entry of a row of `document, name, sequence, collection_sequence, since, left_with, channel, left_upstream`.
    init(_ row: PostgreSQLRow) {
        document = DocumentKey(row.integer(0))
        channel = row.integer(6)
        entry = ChannelEntry(
            channel: row.text(1), sequence: row.optionalInteger(2).map { SequenceNumber($0) },
            collectionSequence: SequenceNumber(row.integer(3)), since: SequenceNumber(row.integer(4)), leftWith: row.optionalText(5),
            leftUpstream: row.optionalInteger(7))
    }
}

extension PostgreSQLSnapshot {
    /// Reads details of documents.
    final func read(_ details: AnnouncedDetails, of documents: Set<DocumentKey>) throws {
        guard !documents.isEmpty else { return }
        if details.contains(.bodies) {
            let rows = try connection.all(
                "SELECT key, attachments, body FROM documents WHERE key = ANY($1) AND body_size <= $2", KeyArray(documents),
                KnownDetails.largestBody
            ) { (DocumentKey($0.integer(0)), body($0, at: 1)) }
            lookups.details.set(Dictionary(rows) { $1 })
        }
        if details.contains(.channels) {
            let entries = try connection.all(
                """
                SELECT document, name, sequence, collection_sequence, since, left_with, channel, left_upstream
                FROM channel_entries JOIN channels ON channels.key = channel WHERE document = ANY($1) ORDER BY document, channel
                """, KeyArray(documents), row: StoredChannelEntry.init)
            lookups.details.add(entries, of: documents)
        }
        if details.contains(.versions) {
            let versions = try connection.all(
                "SELECT document, revision, vector, earlier FROM versions WHERE document = ANY($1)", KeyArray(documents)
            ) { (DocumentKey($0.integer(0)), try versionRecord($0)) }
            lookups.details.add(versions, of: documents)
        }
    }
}
