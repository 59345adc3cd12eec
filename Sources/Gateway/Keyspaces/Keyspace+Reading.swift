package import Documents
package import Storage

extension Keyspace {
    /// Reads one consistent state. Keep `work` short, and read in bounded batches.
    package func read<Value: Sendable>(_ work: @escaping @Sendable (KeyspaceSnapshot) throws -> Value) async throws -> Value {
        let keyspace = self
        return try await store.read(as: share) { try work(try KeyspaceSnapshot(keyspace: keyspace, store: $0)) }
    }

    /// Maps many elements in short reads. A request may list thousands of documents, and other requests wait for the connection.
    ///
    /// - Parameters:
    ///   - id: The ID of the element's document.
    ///   - details: What `answer` reads of it besides its record and its channels.
    ///   - time: The time limit of one read.
    ///   - answer: Maps one element; `nil` leaves it out.
    func readEach<Element: Sendable, Answer: Sendable>(
        _ elements: [Element], id: @escaping @Sendable (Element) -> String, with details: AnnouncedDetails = [],
        for time: Duration = .milliseconds(20), _ answer: @escaping @Sendable (Element, Visibility) throws -> Answer?
    ) async throws -> [Answer] {
        let keyspace = self
        var answers: [Answer] = []
        var rest = elements[...]
        while !rest.isEmpty {
            let (part, left) = try await store.read(as: share) { [rest] snapshot in
                let visibility = Visibility(rights: try keyspace.rights(in: snapshot), snapshot: snapshot)
                let deadline = ContinuousClock.now + time
                var (part, left) = ([Answer](), rest)
                var announced = 0
                repeat {
                    if announced == 0 {
                        let next = left.prefix(Self.announcedAtOnce)
                        announced = next.count
                        try keyspace.announceLookups(
                            of: next.map(id), to: snapshot, with: keyspace.details(details, for: visibility.rights))
                    }
                    let some = left.prefix(min(16, announced))
                    for element in some {
                        if let answer = try answer(element, visibility) { part.append(answer) }
                    }
                    left = left.dropFirst(some.count)
                    announced -= some.count
                } while !left.isEmpty && ContinuousClock.now < deadline
                return (part, left)
            }
            answers += part
            rest = left
        }
        return answers
    }

    /// The most documents that are announced together, so that the memory for their details is bounded.
    static var announcedAtOnce: Int { 128 }

    /// One revision of a document with its body.
    ///
    /// - Throws: ``GatewayError`` with code `notFound`, or `deleted` if the current revision was requested and is a tombstone.
    package func revision(_ request: RevisionRequest, of id: String) async throws -> RevisionContent {
        try await read { snapshot in
            guard let document = try snapshot.document(id) else { throw GatewayError(.notFound, "missing") }
            switch request {
            case .current:
                // A reader who has lost access must not learn the document's current state.
                guard !document.isWithheld else { throw GatewayError(.notFound, "missing") }
                guard !document.isDeleted else { throw GatewayError(.deleted, "deleted") }
                guard let content = try document.content(of: document.winner) else { throw GatewayError(.notFound, "missing") }
                return content
            case .revision(let revision):
                guard let content = try document.content(of: revision) else { throw GatewayError(.notFound, "missing") }
                return content
            }
        }
    }

    /// An attachment's metadata and record, if the revision references it.
    package func attachment(named name: String, of id: String, revision: RevisionRequest) async throws -> (
        AttachmentMetadata, AttachmentRecord
    ) {
        let content = try await self.revision(revision, of: id)
        guard let json = content.body.attachments, let entry = try AttachmentSet(json)[name], let digest = entry.digest else {
            throw GatewayError(.notFound, "missing attachment \(name)")
        }
        guard let record = try await store.read({ try $0.attachment(digest) }) else {
            throw GatewayError(.notFound, "missing attachment \(name)")
        }
        return (entry, record)
    }

    /// An attachment by its digest; `nil` if its bytes are not stored.
    package func attachment(_ digest: AttachmentDigest) async throws -> AttachmentRecord? {
        try await store.read(as: share) { try $0.attachment(digest) }
    }

    /// At most `count` bytes of an attachment from `offset`.
    package func bytes(of attachment: AttachmentRecord, from offset: Int64, count: Int) async throws -> [UInt8] {
        try await store.read(as: share) { try $0.attachmentBytes(attachment, offset: offset, count: count) }
    }
}

/// Selects a revision of a document.
package enum RevisionRequest: Sendable, Hashable {
    /// The winner, unless it is a tombstone.
    case current
    /// A certain revision, live or not. A 2.x+ client may use an alias.
    case revision(RevisionID)
}
