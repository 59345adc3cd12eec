import Documents
import Gateway
import LegacyProtocol

/// Writes documents as JSON, with the additional members that a client requests.
struct DocumentWriter: Sendable {
    let keyspace: Keyspace
    let options: ReadOptions
    let limits: LegacyLimits

    /// Whether requested attachments must be in memory, for a caller that sends bytes only.
    var atHand = false

    /// Appends the document's JSON, with inline attachments if they were requested.
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

/// The leaves of a document other than the sent one: `_conflicts` and `_deleted_conflicts`.
struct ConflictLeaves: Sendable {
    private(set) var live: [RevisionID] = []
    private(set) var deleted: [RevisionID] = []

    /// Finds the leaves that the client may read.
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

/// CouchDB's `_revs_info`: a revision and its ancestors, and which of them can still be read.
struct RevisionInfo: Sendable {
    /// The maximum number of revisions that are looked up; more than the store retains.
    private static let reach = 20

    let json: [UInt8]

    /// - Throws: The store's errors.
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
    /// Whether the options require more than the revision itself.
    var needsLookups: Bool {
        includesAttachments || leavesOutMissing || includesConflicts || includesDeletedConflicts || includesRevisionInfo
    }
}
