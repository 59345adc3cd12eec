import Documents
import HTTPTypes

/// The continuous pull of Couchbase Lite 1.4 for iOS, by its source (CBLRestPuller.m, CBLSocketChangeTracker.m).
extension LegacyClient {
    /// Follows the feed up to where it is caught up. The first time that is HTTP, since it has met no answer by which it would know the server; later a WebSocket.
    func follow(_ since: String?, _ revision: inout String?, _ wire: LegacyWire) async throws {
        let rows = if let since { try await follow(since, wire) } else { try await readAll(wire) }
        var last: String?
        for row in rows {
            guard let sequence = row["seq"].flatMap({ $0.string ?? $0.text }) else { throw Surprise("a row without a sequence") }
            last = sequence
            // A device that cannot say where it is reads all rows each time.
            if software == .smallIOS, try !isNews(row) { continue }
            wire.line.traffic.rows += 1
            try await take(row, wire)
        }
        if let last, last != since { try await saveCheckpoint(.pull, last, &revision, wire) }
    }

    private func readAll(_ wire: LegacyWire) async throws -> [JSONValue] {
        let options = #"{"feed":"normal","heartbeat":300000,"style":"all_docs","accept_encoding":"gzip"}"#
        let (status, json) = try await wire.send(
            .post, "_changes?feed=normal&heartbeat=300000&style=all_docs", Array(options.utf8))
        guard status == 200, let rows = json["results"]?.array else { throw Surprise("_changes: \(status)") }
        return rows
    }

    private func follow(_ since: String, _ wire: LegacyWire) async throws -> [JSONValue] {
        if software == .smallIOS, Int64(since).map({ $0 > Int32.max }) == true { wire.line.ledger.happen(.saturated) }
        return try await wire.follow(
            "{\"feed\":\"websocket\",\"heartbeat\":300000,\"style\":\"all_docs\",\"since\":\(software.since(since))}")
    }

    private func isNews(_ row: JSONValue) throws -> Bool {
        guard let id = row["id"]?.string, let changes = row["changes"]?.array else { throw Surprise("a row without an ID") }
        return changes.contains { change in
            change["rev"]?.string.flatMap { RevisionID($0) }.map { documents[id]?.tree.contains($0) != true } ?? true
        }
    }
}
