import Documents
import Gateway

/// The attachments of one batch. Attachments that the store lacks are read concurrently, which hides the latency of a remote source.
struct BatchAttachments: Sendable {
    /// Position of an attachment entry in the batch.
    struct Place: Hashable {
        let document: Int
        let revision: Int
        let entry: Int
    }

    /// An attachment's bytes, or the fault of its document.
    private typealias Outcome = Result<AttachmentLoader.Loaded, AttachmentFault>

    /// Number of concurrent reads.
    private static let width = 8

    /// Largest attachment, in bytes, that is written in the documents' transaction. A larger one is streamed into the store before.
    private static let heldSize = 128 << 10

    /// Largest total of buffered attachments for one batch, in bytes.
    private static let heldTotal = 8 << 20

    private let source: any MigrationSource
    private let database: Database
    private let documents: [SourceDocument]

    /// Digests that the store lacks and that have not been read yet.
    private var missing: Set<AttachmentDigest>

    /// Results of the reads so far.
    private var outcomes: [Place: Outcome] = [:]

    /// Remaining bytes of the buffer budget.
    private var budget = Self.heldTotal

    /// Reads the attachments that the store lacks, each digest at its first position in the batch.
    ///
    /// - Throws: An error that concerns the source as a whole.
    init(of documents: [SourceDocument], source: any MigrationSource, database: Database) async throws {
        self.documents = documents
        self.source = source
        self.database = database
        missing = try await database.missingAttachments(Self.digests(of: documents))
        try await read(wanted)
    }

    /// Digests of the attachments of some documents.
    static func digests(of documents: [SourceDocument]) -> Set<AttachmentDigest> {
        var digests: Set<AttachmentDigest> = []
        for document in documents {
            for revision in document.revisions {
                for entry in revision.attachments?.entries ?? [] { if let digest = entry.digest { digests.insert(digest) } }
            }
        }
        return digests
    }

    /// Turns an entry into a reference to bytes that are in the store or are written with the batch.
    ///
    /// - Returns: The bytes that have to be written with the batch.
    /// - Throws: ``AttachmentFault``, or an error that concerns the source as a whole.
    mutating func resolve(_ entry: inout AttachmentMetadata, at place: Place) async throws -> ImportedAttachment? {
        if let digest = entry.digest, !missing.contains(digest) {
            if entry.source != .stub { entry = entry.stored(digest: digest, length: entry.storedLength ?? 0) }
            return nil
        }
        // A read that failed at the digest's first position may succeed at this one.
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
        var (budget, outcomes) = (budget, outcomes)
        try await withThrowingTaskGroup(of: (place: Place, reserved: Int, outcome: Outcome).self) { group in
            var reading = 0
            while reading > 0 || !rest.isEmpty {
                while reading < Self.width, let place = rest.popFirst() {
                    let reserved = budget >= Self.heldSize ? Self.heldSize : 0
                    budget -= reserved
                    reading += 1
                    group.addTask { [source, database, document = documents[place.document]] in
                        (place, reserved, try await Self.load(place, of: document, source, database, holds: reserved))
                    }
                }
                guard let next = try await group.next() else { break }
                reading -= 1
                outcomes[next.place] = next.outcome
                budget += next.reserved - ((try? next.outcome.get())?.held?.bytes.count ?? 0)
            }
        }
        (self.budget, self.outcomes) = (budget, outcomes)
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
