import Documents
import Gateway

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
        let leaves = try await LostLeaves(besides: content, in: keyspace)
        if options.includesConflicts { renderer.conflicts = leaves.live }
        if options.includesDeletedConflicts { renderer.deletedConflicts = leaves.deleted }
    }
}
