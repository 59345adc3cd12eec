import AsyncHTTPClient
import Documents
import Gateway
import HTTP
import LegacyProtocol
import NIOCore
import Storage

/// Fetches revisions from the server and writes them, in batches if the server has `_bulk_get`.
struct RevisionFetcher: Sendable {
    let keyspace: Keyspace
    let remote: RemoteDatabase
    let limits: ReplicationLimits
    private let writer: PulledRevisionWriter

    /// The result for a revision: `nil` if it is stored, otherwise the error.
    typealias Outcome = (wanted: MissingRevision, error: ReplicationError?)
    typealias Report = @Sendable ([Outcome]) async -> Void

    /// The updates of the list of parked revisions for some outcomes.
    static func parkingOutcomes(_ outcomes: [Outcome]) -> [ParkingOutcome] {
        outcomes.compactMap { wanted, error in
            if let error, error.isTransient { return nil }
            var outcome = ParkingOutcome(
                .pull, id: wanted.id, revision: wanted.revision.text, refusal: error.map { ParkingOutcome.Refusal($0) })
            outcome.ancestors = Array(wanted.history.dropFirst())
            return outcome
        }
    }

    init(keyspace: Keyspace, remote: RemoteDatabase, limits: ReplicationLimits) {
        self.keyspace = keyspace
        self.remote = remote
        self.limits = limits
        writer = PulledRevisionWriter(keyspace: keyspace, limits: limits, isUpstream: remote.settings.isUpstream)
    }

    /// How many revisions one request may ask for, limited by the server's responses and by the room in the writer.
    var batch: Int {
        get async {
            let features = remote.features
            guard features.hasBulkGet else { return 1 }
            return min(features.answersInParts ? limits.batch : limits.jsonBatch, await writer.batch)
        }
    }

    /// Fetches and writes revisions, which are in the order of the feed.
    ///
    /// - Parameter report: Called with completed revisions once they are durable, exactly once for each. Revisions that wait for those of another
    ///   call are reported by that call.
    /// - Throws: ``ReplicationError`` if the replication cannot continue. Revisions that were not reported are still missing.
    func fetch(_ wanted: [MissingRevision], report: @escaping Report) async throws {
        guard let first = wanted.first?.place, let last = wanted.last?.place else { return }
        let places = min(first, last)...max(first, last)
        var rest = wanted[...]
        while !rest.isEmpty {
            let batch = Array(remote.features.answersInParts ? rest : rest.prefix(limits.jsonBatch))
            rest = rest.dropFirst(batch.count)
            guard batch.count > 1, remote.features.hasBulkGet else {
                try await fetchSingly(batch, places, report)
                continue
            }
            do {
                try await fetchSingly(try await fetchTogether(batch, places, report), places, report)
            } catch is BulkGetRefusal {
                remote.record { $0.refusesBulkGet = true }
                try await fetchSingly(batch, places, report)
            }
        }
    }

    /// Writes the revisions that have arrived from a feed that broke off.
    func flush(report: @escaping Report) async throws {
        _ = try await writer.flush(report)
    }

    /// The server has no `_bulk_get`: CouchDB 1.x takes the path for a document's.
    private struct BulkGetRefusal: Error {}

    /// - Returns: Revisions that have to be requested singly: they were not received, or could not be used.
    private func fetchTogether(
        _ wanted: [MissingRevision], _ places: ClosedRange<Int>, _ report: @escaping Report
    ) async throws -> [MissingRevision] {
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
        if response.contentType?.isMultipart == true { remote.record { $0.answersInParts = true } }
        var rest = Dictionary(wanted.map { (Key($0.id, $0.revision.text), $0) }) { first, _ in first }
        var again: [MissingRevision] = []
        var failure: (any Error)?
        var reader = BulkAnswerReader(keyspace: keyspace, limits: limits.reading) { revision in
            guard let wanted = rest.removeValue(forKey: Key(revision.id, revision.revision.text)) else { return }
            do {
                again += try await writer.add(revision, for: wanted, in: places, report)
            } catch {
                // This is not an error of the part, which the reader would ignore.
                failure = error
                throw CancellationError()
            }
        }
        do {
            try await reader.read(response)
        } catch let error as ReplicationError where error.code == .tooLarge {
            // A JSON response, which has to be read as a whole, was too large; single responses may be small enough.
            return again + rest.values.sorted { $0.place < $1.place }
        } catch {
            if let failure { throw failure }
            // Revisions received before the connection broke are complete.
            _ = try await writer.flush(report)
            throw error
        }
        var outcomes: [Outcome] = []
        for refusal in reader.refusals {
            guard let wanted = rest.removeValue(forKey: Key(refusal.id, refusal.revision)) else { continue }
            outcomes.append((wanted, refusal.error))
            await writer.pass(wanted)
        }
        if !outcomes.isEmpty { await report(outcomes) }
        again += try await writer.flush(report)
        return again + rest.values.sorted { $0.place < $1.place }
    }

    private func fetchSingly(_ wanted: [MissingRevision], _ places: ClosedRange<Int>, _ report: @escaping Report) async throws {
        var lacking: [MissingRevision] = []
        for wanted in wanted {
            lacking += try await fetchAlone(wanted, hasAncestors: true, places, report)
            // The server omitted an attachment that is not stored here. An attachment still missing after the second request is missing on the
            // server, too.
            while let next = lacking.popLast() { lacking += try await fetchAlone(next, hasAncestors: false, places, report) }
        }
    }

    /// - Returns: Revisions that lack an attachment.
    private func fetchAlone(
        _ wanted: MissingRevision, hasAncestors: Bool, _ places: ClosedRange<Int>, _ report: @escaping Report
    ) async throws -> [MissingRevision] {
        let revision: PulledRevision
        do {
            revision = try await fetch(wanted, hasAncestors: hasAncestors)
        } catch let error as ReplicationError where Self.isOfDocument(error) {
            await writer.pass(wanted)
            await report([(wanted, error)])
            return try await writer.flush(report)
        }
        let whole = hasAncestors ? revision : revision.keepingMissingAttachments
        return try await writer.add(whole, for: wanted, in: places, report) + writer.flush(report)
    }

    /// Whether an error concerns one revision only, so that the replication continues without it.
    private static func isOfDocument(_ error: ReplicationError) -> Bool {
        guard error.origin != .intermediary else { return false }
        return error.origin == .filter || [400, 403, 404, 406, 409, 410, 412, 413, 415, 491, 589].contains(error.code.rawValue)
    }

    private func fetch(_ wanted: MissingRevision, hasAncestors: Bool) async throws -> PulledRevision {
        var request = BulkGetQuery.single(wanted, hasAncestors: hasAncestors)
        request.isConfirmed = true
        let response = try await remote.confirmingRefusals { [request] in try await remote.send(request) }
        let intake = AttachmentImporter(keyspace: keyspace, limits: limits.reading)
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

    private struct Key: Hashable {
        let id: ExactString
        let revision: String

        init(_ id: String, _ revision: String) {
            self.id = ExactString(id)
            self.revision = revision
        }
    }
}
