import Documents
import Gateway
import HTTP
import LegacyProtocol
import NIOHTTP1

/// Sends revisions that the server lacks: small ones in batches, those with large attachments one by one.
struct RevisionSender: Sendable {
    let keyspace: Keyspace
    let remote: RemoteDatabase
    let limits: ReplicationLimits

    typealias Report = @Sendable (ReplicationEvent) -> Void

    private var reader: LocalRevisionReader { LocalRevisionReader(keyspace: keyspace, size: limits.writeSize) }

    /// Sends the revisions of some changes that the server lacks.
    ///
    /// - Throws: ``ReplicationError`` if the replication cannot continue.
    func send(_ rows: [ChangeRow], filter: PushFilter?, report: @escaping Report) async throws -> PushOutcomes {
        var leaves = LocalRevisionReader.leaves(of: rows)
        if let filter { leaves = try await filtered(leaves, by: filter) }
        return try await send(leaves, report: report)
    }

    /// Sends the leaves that the server lacks.
    ///
    /// - Throws: ``ReplicationError`` if the replication cannot continue.
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
                outcomes.recordKnown(leaf)
            }
        }
        if remote.features.refusesBranches, !lacking.isEmpty {
            lacking = Array(try await selectForSingleBranch(lacking, &outcomes))
        }
        try await transmit(lacking, differences, &outcomes)
        return outcomes
    }

    /// Sends leaves that the server is known to lack.
    ///
    /// - Parameter differences: The `_revs_diff` results of their documents.
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
                let results = try await filter.allows(revisions, remote.settings.filterParams)
                for (revision, isAllowed) in zip(revisions, results) where isAllowed {
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
                    outcomes.handle(content, try await put(document))
                } else {
                    bulk.add(document)
                }
            } catch let error as ReplicationError where Self.isUnsendable(error) {
                outcomes.record(content, error)
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
            // A refusal of the batch by an intermediary is resolved per document.
            request.isConfirmed = true
            answer = try await remote.json(request)
        } catch let error as ReplicationError where Self.isOfBatch(error) {
            // Send each document alone, so that it gets its own result.
            for content in batch.contents { outcomes.handle(content, try await sendWhole(content)) }
            return
        }
        let errors = try BulkDocsBatch.errors(in: answer)
        let counts = batch.contents.reduce(into: [:]) { $0[ExactString($1.id), default: 0] += 1 }
        for content in batch.contents {
            let error = errors[ExactString(content.id)]
            if error?.code == .preconditionFailed {
                outcomes.handle(content, try await sendWhole(content))
            } else {
                // Rows name the document only, not the revision.
                outcomes.handle(content, error, isSure: counts[ExactString(content.id)] == 1)
            }
        }
    }

    /// Whether a batch is refused as a whole because of possibly one document. CouchDB does so, also for a stub whose description of an
    /// attachment differs from CouchDB's (412); a proxy does so for the batch's size.
    private static func isOfBatch(_ error: ReplicationError) -> Bool {
        [.badRequest, .tooLarge, .preconditionFailed].contains(error.code) || error.isIntermediarysRefusal
    }

    /// Sends one revision followed by its attachments.
    ///
    /// - Returns: The error if the server refuses the revision.
    private func put(_ document: OutgoingDocument) async throws -> ReplicationError? {
        let body = document.related(keyspace: keyspace, chunkSize: limits.reading.chunkSize)
        guard let error = try await put(document.content, body) else { return nil }
        switch error.code.known {
        case .preconditionFailed: return try await sendWhole(document.content)
        case .unsupportedType, .badRequest:
            // The server may not accept multipart. A document that is itself invalid is refused inline, too.
            guard try await sendInline(document.content) == nil else { return error }
            remote.record { $0.refusesMultipart = true }
            return nil
        case .unauthorized, .forbidden, .notFound, .methodNotAllowed, .notAcceptable, .timeout, .conflict, .tooLarge, .unavailable,
            .badAttachment, .upstream, .serverRestored, .database, .callback, .badURL, .timedOut, .cannotConnect, .connectionLost,
            .untrusted, nil:
            return error
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
                    .upstream, "\(remote.url.base) accepted a document, but its answer is not an object", from: .intermediary)
            }
            return nil
        } catch let error as ReplicationError where PushOutcomes.isOfDocument(error) {
            return error
        }
    }

    /// Sends one revision with all its attachments: the server lacks one that it was assumed to have, or has refused a whole batch.
    private func sendWhole(_ content: RevisionContent) async throws -> ReplicationError? {
        do {
            let document = try await outgoing(content, [])
            guard document.hasParts else { return try await sendInline(content) }
            return try await put(content, document.related(keyspace: keyspace, chunkSize: limits.reading.chunkSize))
        } catch let error as ReplicationError where Self.isUnsendable(error) {
            return error
        }
    }

    /// Whether the document itself is the reason that it cannot be sent.
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
