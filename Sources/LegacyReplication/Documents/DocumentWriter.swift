import Documents
import Gateway

/// Writes documents as JSON, with what a client asks for besides their own members.
struct DocumentWriter: Sendable {
    let keyspace: Keyspace
    let options: ReadOptions
    let limits: LegacyLimits

    /// The document's JSON, its attachments within if they are asked for.
    func json(of content: RevisionContent) async throws -> [UInt8] {
        var renderer = content.renderer(options)
        if options.needsLookups { try await complete(&renderer, of: content) }
        var bytes: [UInt8] = []
        renderer.append(to: &bytes)
        return bytes
    }

    private func complete(_ renderer: inout DocumentRenderer, of content: RevisionContent) async throws {
        if let attachments = try await OutgoingAttachments(of: content, options, form: .inline, in: keyspace, limits: limits) {
            renderer.attachments = attachments.json
        }
        if options.includesRevisionInfo { renderer.revisionInfo = try await RevisionInfo(of: content, in: keyspace).json }
        guard options.includesConflicts || options.includesDeletedConflicts else { return }
        let leaves = try await LostLeaves(besides: content, in: keyspace)
        if options.includesConflicts { renderer.conflicts = leaves.live }
        if options.includesDeletedConflicts { renderer.deletedConflicts = leaves.deleted }
    }
}
