import Documents
import HTTPTypes

/// The continuous pull of Couchbase Lite 1.4 for iOS, by its source (CBLRestPuller.m, CBLSocketChangeTracker.m).
extension SimulatedLegacyClient {
    /// Reads the feed until it is caught up. The first time it uses HTTP, because it has no reply yet that identifies the server; later a WebSocket.
    func follow(_ since: String?, _ revision: inout String?, _ wire: LegacyWire) async throws {
        let rows = if let since { try await follow(since, wire) } else { try await readAll(wire) }
        var last: String?
        for row in rows {
            guard let sequence = row["seq"].flatMap({ $0.string ?? $0.text }) else { throw UnexpectedMessage("a row without a sequence") }
            last = sequence
            wire.line.traffic.rows += 1
            try await handle(row, wire)
        }
        if let last, last != since { try await saveCheckpoint(.pull, last, &revision, wire) }
    }

    private func readAll(_ wire: LegacyWire) async throws -> [JSONValue] {
        let options = #"{"feed":"normal","heartbeat":300000,"style":"all_docs","accept_encoding":"gzip"}"#
        let (status, json) = try await wire.send(
            .post, "_changes?feed=normal&heartbeat=300000&style=all_docs", Array(options.utf8))
        guard status == 200, let rows = json["results"]?.array else { throw UnexpectedMessage("_changes: \(status)") }
        return rows
    }

    private func follow(_ since: String, _ wire: LegacyWire) async throws -> [JSONValue] {
        try await wire.follow(
            "{\"feed\":\"websocket\",\"heartbeat\":300000,\"style\":\"all_docs\",\"since\":\(software.since(since))}")
    }
}
