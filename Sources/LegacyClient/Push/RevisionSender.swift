import Documents
import Gateway
import HTTP
import LegacyProtocol
import NIOHTTP1

/// Sends revisions to the server, those that it lacks: small ones together, those with large attachments one by one.
struct RevisionSender: Sendable {
    let keyspace: Keyspace
    let remote: RemoteDatabase
    let limits: ReplicationLimits

    typealias Report = @Sendable (ReplicationEvent) -> Void

    private var reader: LocalRevisionReader { LocalRevisionReader(keyspace: keyspace, size: limits.writeSize) }

    /// Sends what the server lacks of some changes.
    ///
    /// - Throws: ``ReplicationError`` if the replication cannot go on.
    func send(_ rows: [ChangeRow], filter: PushFilter?, report: @escaping Report) async throws -> PushOutcomes {
        var leaves = LocalRevisionReader.leaves(of: rows)
        if let filter { leaves = try await filtered(leaves, by: filter) }
        return try await send(leaves, report: report)
    }

    /// Sends what the server lacks of some leaves.
    ///
    /// - Throws: ``ReplicationError`` if the replication cannot go on.
    func send(_ leaves: [LocalRevisionReader.Leaf], report: @escaping Report) async throws -> PushOutcomes {
        var outcomes = PushOutcomes(report: report)
        guard !leaves.isEmpty else { return outcomes }
        let differences = try await RevsDiffQuery.missing(leaves, of: remote)
        report(.progress(checked: leaves.count))
        var lacking: [LocalRevisionReader.Leaf] = []
        for leaf in leaves {
            if differences[ExactString(leaf.id)]?.missing.contains(leaf.revision) ?? false {
                lacking.append(leaf)
            } else {
                outcomes.noteKnown(leaf)
            }
        }
        if remote.features.refusesBranches, !lacking.isEmpty {
            lacking = Array(try await onLine(lacking, &outcomes))
        }
        try await transmit(lacking, differences, &outcomes)
        return outcomes
    }

    /// Sends leaves that the server lacks.
    ///
    /// - Parameter differences: What the server has of their documents.
    func transmit(
        _ lacking: [LocalRevisionReader.Leaf], _ differences: [ExactString: RevisionsDifference], _ outcomes: inout PushOutcomes
    ) async throws {
        guard !lacking.isEmpty else { return }
        let report = outcomes.report
        report(.progress(total: lacking.count))
        var rest = lacking[...]
        while !rest.isEmpty {
            let contents = try await reader.read(rest)
            let gone = contents.count { $0 == nil }
            if gone > 0 { report(.progress(completed: gone)) }
            rest = rest.dropFirst(contents.count)
            let wanted = contents.compactMap { content in
                content.map { ($0, differences[ExactString($0.id)]?.possibleAncestors ?? []) }
            }
            try await send(wanted, &outcomes)
            try await resolveDoubtful(&outcomes)
            report(.progress(bytes: remote.takeBytes()))
        }
    }

    private func filtered(_ leaves: [LocalRevisionReader.Leaf], by filter: PushFilter) async throws -> [LocalRevisionReader.Leaf] {
        var rest = leaves[...]
        var passed: [LocalRevisionReader.Leaf] = []
        while !rest.isEmpty {
            let contents = try await reader.read(rest)
            rest = rest.dropFirst(contents.count)
            let revisions = contents.compactMap { $0 }.map { PushedRevision($0) }
            do {
                let verdicts = try await filter.allows(revisions, remote.settings.filterParams)
                for (revision, verdict) in zip(revisions, verdicts) where verdict {
                    passed.append(LocalRevisionReader.Leaf(id: revision.id, revision: revision.revision))
                }
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                throw ReplicationError(.callback, "The push filter \(remote.settings.filter ?? "") failed", cause: error)
            }
        }
        return passed
    }

    private func send(_ wanted: [(RevisionContent, [RevisionID])], _ outcomes: inout PushOutcomes) async throws {
        var bulk = BulkDocsBatch()
        for (content, ancestors) in wanted {
            do {
                let document = try await outgoing(content, ancestors)
                if document.hasParts {
                    outcomes.take(content, try await put(document))
                } else {
                    bulk.add(document)
                }
            } catch let error as ReplicationError where Self.isUnsendable(error) {
                outcomes.note(content, error)
            }
            if bulk.size >= limits.bulkSize { try await send(&bulk, &outcomes) }
        }
        try await send(&bulk, &outcomes)
    }

    private func outgoing(_ content: RevisionContent, _ ancestors: [RevisionID]) async throws -> OutgoingDocument {
        try await OutgoingDocument(
            content, ancestors: ancestors, form: remote.features.refusesMultipart ? .inline : .parts, keyspace: keyspace,
            limits: limits.reading)
    }

    private func send(_ bulk: inout BulkDocsBatch, _ outcomes: inout PushOutcomes) async throws {
        guard !bulk.isEmpty else { return }
        let batch = bulk
        bulk = BulkDocsBatch()
        let answer: [UInt8]
        do {
            var request = batch.request
            // Of each document by itself that is seen.
            request.isConfirmed = true
            answer = try await remote.json(request)
        } catch let error as ReplicationError where Self.isOfBatch(error) {
            // Each is sent alone, and stands for itself.
            for content in batch.contents { outcomes.take(content, try await sendWhole(content)) }
            return
        }
        let errors = try BulkDocsBatch.errors(in: answer)
        let counts = batch.contents.reduce(into: [:]) { $0[ExactString($1.id), default: 0] += 1 }
        for content in batch.contents {
            let error = errors[ExactString(content.id)]
            if error?.code == .preconditionFailed {
                outcomes.take(content, try await sendWhole(content))
            } else {
                // Rows name the document alone.
                outcomes.take(content, error, isSure: counts[ExactString(content.id)] == 1)
            }
        }
    }

    /// Whether a batch is refused as a whole for what one of its documents may be at fault: CouchDB does so, also for a stub that names an attachment
    /// otherwise than CouchDB has it (412), and a proxy for their size together.
    private static func isOfBatch(_ error: ReplicationError) -> Bool {
        [.badRequest, .tooLarge, .preconditionFailed].contains(error.code) || error.isIntermediarysRefusal
    }

    /// Sends one revision with its attachments behind it.
    ///
    /// - Returns: Why the server does not take it.
    private func put(_ document: OutgoingDocument) async throws -> ReplicationError? {
        let body = document.related(keyspace: keyspace, chunkSize: limits.reading.chunkSize)
        guard let error = try await put(document.content, body) else { return nil }
        switch error.code {
        case .preconditionFailed: return try await sendWhole(document.content)
        case .unsupportedType, .badRequest:
            // No multipart here; a document that is bad in itself is refused in this form, too.
            guard try await sendInline(document.content) == nil else { return error }
            remote.note { $0.refusesMultipart = true }
            return nil
        default: return error
        }
    }

    private func put(_ content: RevisionContent, _ body: RemoteRequest.Body) async throws -> ReplicationError? {
        var request = RemoteRequest("\(PercentEncoding.encodeDocumentID(content.id))?new_edits=false", method: .PUT, body: body)
        request.accept = "*/*"
        request.isConfirmed = true
        do {
            let answer = try await remote.confirmingRefusals { [request] in try await remote.json(request) }
            guard (try? JSONValue(answer))?.members != nil else {
                throw ReplicationError(
                    .upstream, "\(remote.url.base) took a document with an answer that is no object", from: .intermediary)
            }
            return nil
        } catch let error as ReplicationError where PushOutcomes.isOfDocument(error) {
            return error
        }
    }

    /// Sends one revision with all its attachments: the server lacks one that it was thought to have, or has refused a whole batch.
    private func sendWhole(_ content: RevisionContent) async throws -> ReplicationError? {
        do {
            let document = try await outgoing(content, [])
            guard document.hasParts else { return try await sendInline(content) }
            return try await put(content, document.related(keyspace: keyspace, chunkSize: limits.reading.chunkSize))
        } catch let error as ReplicationError where Self.isUnsendable(error) {
            return error
        }
    }

    /// Whether a document cannot be sent as it is here: that is its own fault alone.
    private static func isUnsendable(_ error: ReplicationError) -> Bool {
        error.origin == nil && (error.code == .badAttachment || error.code == .tooLarge)
    }

    private func sendInline(_ content: RevisionContent) async throws -> ReplicationError? {
        do {
            let document = try await OutgoingDocument(
                content, ancestors: [], form: .inline, keyspace: keyspace, limits: limits.reading)
            var bytes: [UInt8] = []
            document.append(to: &bytes)
            return try await put(content, .json(bytes))
        } catch let error as ReplicationError where Self.isUnsendable(error) {
            return error
        }
    }
}
