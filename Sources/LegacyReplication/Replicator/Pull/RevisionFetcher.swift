import AsyncHTTPClient
import Documents
import Gateway
import HTTP
import NIOCore
import Storage

/// Fetches revisions from the server and writes them here, many at a time where the server has `_bulk_get`.
struct RevisionFetcher: Sendable {
    let keyspace: Keyspace
    let remote: RemoteDatabase
    let limits: ReplicationLimits

    /// What became of a revision: `nil` if it is here now, else why not.
    typealias Outcome = (wanted: WantedRevision, error: ReplicationError?)
    typealias Report = @Sendable ([Outcome]) async -> Void

    /// What outcomes mean to the list of parked revisions.
    static func notes(_ outcomes: [Outcome]) -> [ParkingNote] {
        outcomes.compactMap { wanted, error in
            if let error, error.isTransient { return nil }
            var note = ParkingNote(
                .pull, id: wanted.id, revision: wanted.revision.text, refusal: error.map { ParkingNote.Refusal($0) })
            note.ancestors = Array(wanted.history.dropFirst())
            return note
        }
    }

    /// Fetches and writes revisions.
    ///
    /// - Parameter report: Called with what has been dealt with, once it is durable; exactly once for each revision.
    /// - Throws: ``ReplicationError`` if the replication cannot go on; what has not been reported then is still missing.
    func fetch(_ wanted: [WantedRevision], report: @escaping Report) async throws {
        var rest = wanted[...]
        while !rest.isEmpty {
            let features = remote.features
            guard rest.count > 1, features.hasBulkGet else { return try await fetchSingly(Array(rest), report) }
            let batch = Array(features.answersInParts ? rest : rest.prefix(limits.jsonBatch))
            rest = rest.dropFirst(batch.count)
            do {
                try await fetchSingly(try await fetchTogether(batch, report), report)
            } catch is BulkGetRefusal {
                remote.note { $0.refusesBulkGet = true }
                try await fetchSingly(batch, report)
            }
        }
    }

    /// The server has no `_bulk_get`: CouchDB 1.x takes the path for a document's.
    private struct BulkGetRefusal: Error {}

    /// - Returns: Those that have to be asked for alone: they did not come, or could not be used.
    private func fetchTogether(_ wanted: [WantedRevision], _ report: @escaping Report) async throws -> [WantedRevision] {
        let response: RemoteResponse
        do {
            var request = BulkGetQuery.bulk(wanted[...])
            request.isConfirmed = true
            response = try await remote.confirmingRefusals { [request] in try await remote.send(request) }
        } catch let error as ReplicationError
            where error.origin != .intermediary && [400, 404, 405, 406, 409, 415, 501].contains(error.code.rawValue)
        {
            throw BulkGetRefusal()
        }
        if response.contentType?.isMultipart == true { remote.note { $0.answersInParts = true } }
        var rest = Dictionary(wanted.map { (Key($0.id, $0.revision.text), $0) }) { first, _ in first }
        var gathered = Gathered()
        var again: [WantedRevision] = []
        let writeSize = limits.writeSize
        var reader = BulkAnswerReader(keyspace: keyspace, limits: limits.reading) { revision in
            guard let wanted = rest.removeValue(forKey: Key(revision.id, revision.revision.text)) else { return }
            gathered.add(revision, wanted)
            if gathered.size >= writeSize { again += try await write(&gathered, report) }
        }
        do {
            try await reader.read(response)
        } catch let error as ReplicationError where error.code == .tooLarge {
            // A JSON answer, which has to be read whole: each alone may be small enough.
            return wanted
        } catch {
            // What came before the break is good.
            _ = try await write(&gathered, report)
            throw error
        }
        again += try await write(&gathered, report)
        var outcomes: [Outcome] = []
        for refusal in reader.refusals {
            if let wanted = rest.removeValue(forKey: Key(refusal.id, refusal.revision)) { outcomes.append((wanted, refusal.error)) }
        }
        if !outcomes.isEmpty { await report(outcomes) }
        return again + rest.values.sorted { $0.ticket < $1.ticket }
    }

    private func fetchSingly(_ wanted: [WantedRevision], _ report: @escaping Report) async throws {
        for wanted in wanted {
            var gathered = Gathered()
            do {
                gathered.add(try await fetch(wanted, hasAncestors: true), wanted)
                let again = try await write(&gathered, report)
                guard !again.isEmpty else { continue }
                // An attachment that the server thinks is here is not. What does not come now is not there either.
                gathered.add(try await fetch(wanted, hasAncestors: false).keepingMissingAttachments, wanted)
                _ = try await write(&gathered, report)
            } catch let error as ReplicationError where Self.isOfDocument(error) {
                await report([(wanted, error)])
            }
        }
    }

    /// Whether an error is one revision's alone: the replication goes on without it.
    private static func isOfDocument(_ error: ReplicationError) -> Bool {
        guard error.origin != .intermediary else { return false }
        return error.origin == .filter || [400, 403, 404, 406, 409, 410, 412, 413, 415, 491, 589].contains(error.code.rawValue)
    }

    private func fetch(_ wanted: WantedRevision, hasAncestors: Bool) async throws -> PulledRevision {
        var request = BulkGetQuery.single(wanted, hasAncestors: hasAncestors)
        request.isConfirmed = true
        let response = try await remote.confirmingRefusals { [request] in try await remote.send(request) }
        let intake = AttachmentIntake(keyspace: keyspace, limits: limits.reading)
        do {
            let (document, parts) = try await read(response)
            let revision = try await PulledRevision(document, parts: parts, intake: intake)
            guard revision.id.utf8.elementsEqual(wanted.id.utf8), revision.revision == wanted.revision else {
                throw ReplicationError(
                    .upstream, "The server sent \(revision.id) \(revision.revision), and was asked for \(wanted.id) \(wanted.revision)")
            }
            return revision
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw ReplicationError(local: error)
        }
    }

    private func read(_ response: RemoteResponse) async throws -> (ParsedDocument, [ReceivedAttachment]) {
        let reading = limits.reading
        guard let type = response.contentType, type.isMultipart else {
            let sizes = DocumentLimits(maximumSize: keyspace.database.configuration.limits.documentSize, maximumDepth: reading.depth)
            return (try ParsedDocument(try await response.bytes(upTo: limits.answerSize), policy: .legacyUpstream, limits: sizes), [])
        }
        var reader = try RelatedDocumentReader(contentType: type, keyspace: keyspace, limits: reading, policy: .legacyUpstream)
        do {
            for try await buffer in response.body { try await reader.consume(Array(buffer.readableBytesView)[...]) }
            return try reader.finish()
        } catch let error as MultipartError where error.code == .truncated {
            await reader.abandon()
            throw ReplicationError(.connectionLost, "\(response.url): the answer was cut off", cause: error)
        } catch  where error is GatewayError || error is DocumentError || error is LegacyError || error is MultipartError {
            await reader.abandon()
            throw error
        } catch is CancellationError {
            await reader.abandon()
            throw CancellationError()
        } catch {
            await reader.abandon()
            throw ReplicationError(exchange: error, with: response.url)
        }
    }

    // MARK: Writing

    private struct Key: Hashable {
        let id: ExactString
        let revision: String

        init(_ id: String, _ revision: String) {
            self.id = ExactString(id)
            self.revision = revision
        }
    }

    /// Revisions that wait to be written together.
    private struct Gathered {
        var writes: [RevisionWrite] = []
        var wanted: [WantedRevision] = []
        var removed: [WantedRevision] = []
        var size = 0

        mutating func add(_ revision: PulledRevision, _ wanted: WantedRevision) {
            guard let write = revision.write else { return removed.append(wanted) }
            writes.append(write)
            var wanted = wanted
            if case .replicated(let history, _) = write.kind { wanted.history = history }
            self.wanted.append(wanted)
            size += revision.size
        }
    }

    /// - Returns: Those that lack an attachment.
    private func write(_ gathered: inout Gathered, _ report: @escaping Report) async throws -> [WantedRevision] {
        let batch = gathered
        gathered = Gathered()
        var again: [WantedRevision] = []
        var outcomes: [Outcome] = batch.removed.map { ($0, nil) }
        // What the fleet's server has is taken whatever the database's policy: where both refuse branches, neither would ever have the other's.
        let writes = remote.settings.isUpstream ? batch.writes.map(\.takenAsBranch) : batch.writes
        do {
            for (result, wanted) in zip(try await keyspace.write(writes), batch.wanted) {
                switch result {
                case .success: outcomes.append((wanted, nil))
                case .failure(let error) where error.code == .missingAttachment: again.append(wanted)
                case .failure(let error): outcomes.append((wanted, ReplicationError(local: error)))
                }
            }
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw ReplicationError(local: error)
        }
        if !outcomes.isEmpty { await report(outcomes) }
        return again
    }
}

extension RevisionWrite {
    fileprivate var takenAsBranch: RevisionWrite {
        guard case .replicated(let history, .branch) = kind else { return self }
        var write = self
        write.kind = .replicated(history: history, conflicts: .accept)
        return write
    }
}
