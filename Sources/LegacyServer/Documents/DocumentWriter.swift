import Documents
import Gateway
import LegacyProtocol

/// Writes documents as JSON, with what a client asks for besides their own members.
struct DocumentWriter: Sendable {
    let keyspace: Keyspace
    let options: ReadOptions
    let limits: LegacyLimits

    /// Whether attachments that are asked for have to be at hand, for a caller that sends bytes alone.
    var atHand = false

    /// Appends the document's JSON, its attachments within if they are asked for.
    func append(_ content: RevisionContent, to body: inout SegmentedBody) async throws {
        var renderer = content.renderer(options)
        guard options.needsLookups else { return body.append { renderer.append(to: &$0) } }
        let attachments = try await OutgoingAttachments(
            of: content, options, form: .inline, atHand: atHand, in: keyspace, limits: limits)
        try await complete(&renderer, of: content)
        guard let attachments else { return body.append { renderer.append(to: &$0) } }
        attachments.append(renderer, to: &body)
    }

    private func complete(_ renderer: inout DocumentRenderer, of content: RevisionContent) async throws {
        if options.includesRevisionInfo { renderer.revisionInfo = try await RevisionInfo(of: content, in: keyspace).json }
        guard options.includesConflicts || options.includesDeletedConflicts else { return }
        let leaves = try await ConflictLeaves(besides: content, in: keyspace)
        if options.includesConflicts { renderer.conflicts = leaves.live }
        if options.includesDeletedConflicts { renderer.deletedConflicts = leaves.deleted }
    }
}

/// The leaves of a document besides the one that is sent: `_conflicts` and `_deleted_conflicts`.
struct ConflictLeaves: Sendable {
    private(set) var live: [RevisionID] = []
    private(set) var deleted: [RevisionID] = []

    /// Those that the reader may see.
    init(besides content: RevisionContent, in keyspace: Keyspace) async throws {
        (live, deleted) = try await keyspace.read { snapshot in
            var found: (live: [RevisionID], deleted: [RevisionID]) = ([], [])
            guard let document = try snapshot.document(content.id), !document.isWithheld else { return found }
            for leaf in document.tree.leaves where leaf.id != content.revision {
                guard try document.content(of: leaf.id) != nil else { continue }
                if leaf.isDeleted { found.deleted.append(leaf.id) } else { found.live.append(leaf.id) }
            }
            return found
        }
    }
}

/// `_revs_info`, CouchDB's: a revision and its ancestors, and which of them can still be read.
struct RevisionInfo: Sendable {
    /// How many ancestors are looked for: more than are kept.
    private static let reach = 20

    let json: [UInt8]

    /// - Throws: What reading the store throws.
    init(of content: RevisionContent, in keyspace: Keyspace) async throws {
        json = try await keyspace.read { snapshot in
            let document = try snapshot.document(content.id)
            var bytes = Array("[".utf8)
            for (index, revision) in content.history.enumerated() {
                let found = index < Self.reach ? try document?.content(of: revision) : nil
                if index > 0 { JSONWriter.append(raw: ",", to: &bytes) }
                JSONWriter.append(raw: "{\"rev\":", to: &bytes)
                JSONWriter.append(revision, to: &bytes)
                JSONWriter.append(raw: ",\"status\":", to: &bytes)
                JSONWriter.append(found.map { $0.isDeleted ? "deleted" : "available" } ?? "missing", to: &bytes)
                JSONWriter.append(raw: "}", to: &bytes)
            }
            JSONWriter.append(raw: "]", to: &bytes)
            return bytes
        }
    }
}

extension ReadOptions {
    /// Whether more than the revision itself has to be looked up for it.
    var needsLookups: Bool {
        includesAttachments || leavesOutMissing || includesConflicts || includesDeletedConflicts || includesRevisionInfo
    }
}
