import Documents
import Gateway

/// The attachments of one batch. Those that the store lacks are read several at a time: a server far away gives all of them in the time of
/// one.
struct BatchAttachments: Sendable {
    /// Where in the batch an attachment is named.
    struct Place: Hashable {
        let document: Int
        let revision: Int
        let entry: Int
    }

    /// An attachment's bytes, or why its document has to do without.
    private typealias Outcome = Result<AttachmentLoader.Loaded, AttachmentFault>

    /// How many are read at a time.
    private static let width = 8

    /// An attachment up to this size is written with the documents; a larger one part by part before them.
    private static let heldSize = 128 << 10

    /// Bytes of attachments that are held for one batch.
    private static let heldTotal = 8 << 20

    private let source: any MigrationSource
    private let database: Database
    private let documents: [SourceDocument]

    /// What neither the store has, nor has been read since.
    private var missing: Set<AttachmentDigest>

    /// What has been read.
    private var outcomes: [Place: Outcome] = [:]

    /// How many bytes may still be held.
    private var room = Self.heldTotal

    /// Reads what the store lacks, each digest where it is named first.
    ///
    /// - Throws: what is wrong with the source as a whole.
    init(of documents: [SourceDocument], source: any MigrationSource, database: Database) async throws {
        self.documents = documents
        self.source = source
        self.database = database
        missing = try await database.missingAttachments(Self.digests(of: documents))
        try await read(wanted)
    }

    /// What the attachments of some documents are named by.
    static func digests(of documents: [SourceDocument]) -> Set<AttachmentDigest> {
        var digests: Set<AttachmentDigest> = []
        for document in documents {
            for revision in document.revisions {
                for entry in revision.attachments?.entries ?? [] { if let digest = entry.digest { digests.insert(digest) } }
            }
        }
        return digests
    }

    /// Makes an entry one whose bytes are in the store, or go there with the batch.
    ///
    /// - Returns: the bytes that go there with the batch.
    /// - Throws: ``AttachmentFault``, or what is wrong with the source as a whole.
    mutating func settle(_ entry: inout AttachmentMetadata, at place: Place) async throws -> ImportedAttachment? {
        if let digest = entry.digest, !missing.contains(digest) {
            if entry.source != .stub { entry = entry.stored(digest: digest, length: entry.storedLength ?? 0) }
            return nil
        }
        // One that could not be had where it was named first may be here.
        if outcomes[place] == nil { try await read([place]) }
        guard let loaded = try outcomes[place]?.get() else { return nil }
        if let digest = entry.digest { missing.remove(digest) }
        entry = entry.stored(digest: entry.digest ?? loaded.digest, length: loaded.length)
        return loaded.held
    }

    private var wanted: [Place] {
        var missing = missing
        var places: [Place] = []
        for (document, found) in documents.enumerated() {
            for (revision, found) in found.revisions.enumerated() {
                for (entry, found) in (found.attachments?.entries ?? []).enumerated() {
                    if let digest = found.digest, missing.remove(digest) == nil { continue }
                    places.append(Place(document: document, revision: revision, entry: entry))
                }
            }
        }
        return places
    }

    private mutating func read(_ places: [Place]) async throws {
        guard !places.isEmpty else { return }
        var rest = places[...]
        var (room, outcomes) = (room, outcomes)
        try await withThrowingTaskGroup(of: (place: Place, reserved: Int, outcome: Outcome).self) { group in
            var reading = 0
            while reading > 0 || !rest.isEmpty {
                while reading < Self.width, let place = rest.popFirst() {
                    let reserved = room >= Self.heldSize ? Self.heldSize : 0
                    room -= reserved
                    reading += 1
                    group.addTask { [source, database, document = documents[place.document]] in
                        (place, reserved, try await Self.load(place, of: document, source, database, holds: reserved))
                    }
                }
                guard let next = try await group.next() else { break }
                reading -= 1
                outcomes[next.place] = next.outcome
                room += next.reserved - ((try? next.outcome.get())?.held?.bytes.count ?? 0)
            }
        }
        (self.room, self.outcomes) = (room, outcomes)
    }

    private static func load(
        _ place: Place, of document: SourceDocument, _ source: any MigrationSource, _ database: Database, holds: Int
    ) async throws -> Outcome {
        let revision = document.revisions[place.revision]
        guard let entry = revision.attachments?.entries[place.entry], let id = revision.history.first else {
            return .failure(AttachmentFault(reason: "\(document.id) has a revision without a history"))
        }
        let loader = AttachmentLoader(database: database, expected: entry.digest, holds: holds)
        do {
            if let bytes = try entry.inlineData() {
                try await loader.append(bytes[...])
            } else {
                let attachment = SourceAttachment(
                    collection: document.collection, document: document.id, revision: id, name: entry.name, digest: entry.digest)
                try await source.readAttachment(attachment) { try await loader.append($0) }
            }
            return .success(try await loader.finish())
        } catch {
            try await loader.abandon()
            return .failure(try AttachmentFault(error, entry, document))
        }
    }
}
