import AsyncHTTPClient
import Documents
import Gateway
import HTTP
import LegacyProtocol
import NIOCore
import Storage

/// Fetches revisions from the server and writes them here, many at a time where the server has `_bulk_get`.
struct RevisionFetcher: Sendable {
    let keyspace: Keyspace
    let remote: RemoteDatabase
    let limits: ReplicationLimits
    private let writer: PulledRevisionWriter

    /// What became of a revision: `nil` if it is here now, else why not.
    typealias Outcome = (wanted: WantedRevision, error: ReplicationError?)
    typealias Report = @Sendable ([Outcome]) async -> Void

    /// What outcomes mean to the list of parked revisions.
    static func notes(_ outcomes: [Outcome]) -> [ParkingOutcome] {
        outcomes.compactMap { wanted, error in
            if let error, error.isTransient { return nil }
            var note = ParkingOutcome(
                .pull, id: wanted.id, revision: wanted.revision.text, refusal: error.map { ParkingOutcome.Refusal($0) })
            note.ancestors = Array(wanted.history.dropFirst())
            return note
        }
    }

    init(keyspace: Keyspace, remote: RemoteDatabase, limits: ReplicationLimits) {
        self.keyspace = keyspace
        self.remote = remote
        self.limits = limits
        writer = PulledRevisionWriter(keyspace: keyspace, limits: limits, isUpstream: remote.settings.isUpstream)
    }

    /// How many revisions are asked for with one request: no more than the server gives together, and than find room here.
    var batch: Int {
        get async {
            let features = remote.features
            guard features.hasBulkGet else { return 1 }
            return min(features.answersInParts ? limits.batch : limits.jsonBatch, await writer.batch)
        }
    }

    /// Fetches and writes revisions, which are in the order of the feed.
    ///
    /// - Parameter report: Called with what has been dealt with, once it is durable; exactly once for each revision. What waits for revisions of
    ///   another call is reported by that one.
    /// - Throws: ``ReplicationError`` if the replication cannot go on; what has not been reported then is still missing.
    func fetch(_ wanted: [WantedRevision], report: @escaping Report) async throws {
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
                remote.note { $0.refusesBulkGet = true }
                try await fetchSingly(batch, places, report)
            }
        }
    }

    /// Writes what has come of a feed that has broken off.
    func flush(report: @escaping Report) async throws {
        _ = try await writer.flush(report)
    }

    /// The server has no `_bulk_get`: CouchDB 1.x takes the path for a document's.
    private struct BulkGetRefusal: Error {}

    /// - Returns: Those that have to be asked for alone: they did not come, or could not be used.
    private func fetchTogether(
        _ wanted: [WantedRevision], _ places: ClosedRange<Int>, _ report: @escaping Report
    ) async throws -> [WantedRevision] {
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
        var again: [WantedRevision] = []
        var failure: (any Error)?
        var reader = BulkAnswerReader(keyspace: keyspace, limits: limits.reading) { revision in
            guard let wanted = rest.removeValue(forKey: Key(revision.id, revision.revision.text)) else { return }
            do {
                again += try await writer.add(revision, for: wanted, in: places, report)
            } catch {
                // It is no fault of the part, which the reader would pass over.
                failure = error
                throw CancellationError()
            }
        }
        do {
            try await reader.read(response)
        } catch let error as ReplicationError where error.code == .tooLarge {
            // A JSON answer, which has to be read whole: each alone may be small enough.
            return again + rest.values.sorted { $0.place < $1.place }
        } catch {
            if let failure { throw failure }
            // What came before the break is good.
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

    private func fetchSingly(_ wanted: [WantedRevision], _ places: ClosedRange<Int>, _ report: @escaping Report) async throws {
        var lacking: [WantedRevision] = []
        for wanted in wanted {
            lacking += try await fetchAlone(wanted, hasAncestors: true, places, report)
            // An attachment that the server thinks is here is not. What does not come now is not there either.
            while let next = lacking.popLast() { lacking += try await fetchAlone(next, hasAncestors: false, places, report) }
        }
    }

    /// - Returns: Those that lack an attachment.
    private func fetchAlone(
        _ wanted: WantedRevision, hasAncestors: Bool, _ places: ClosedRange<Int>, _ report: @escaping Report
    ) async throws -> [WantedRevision] {
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

    /// Whether an error is one revision's alone: the replication goes on without it.
    private static func isOfDocument(_ error: ReplicationError) -> Bool {
        guard error.origin != .intermediary else { return false }
        return error.origin == .filter || [400, 403, 404, 406, 409, 410, 412, 413, 415, 491, 589].contains(error.code.rawValue)
    }

    private func fetch(_ wanted: WantedRevision, hasAncestors: Bool) async throws -> PulledRevision {
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
