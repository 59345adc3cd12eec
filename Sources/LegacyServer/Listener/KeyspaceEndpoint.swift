import Documents
import Gateway
import HTTPTypes
import HummingbirdCore
import LegacyProtocol
import Storage

/// `/{db}/` itself.
enum KeyspaceEndpoint {
    /// CouchDB's replicator compares this value with that of `_ensure_full_commit`. It must be a string: an integer, as in Sync Gateway, makes
    /// every checkpoint of CouchDB fail.
    private static let instanceStartTime = "\"instance_start_time\":\"0\""

    static func describe(_ call: LegacyCall) async throws -> Response {
        // The document count is sent only to clients that may read all documents. Sync Gateway never sends it, and no client needs it.
        let (counts, sequence) = try await call.keyspace.read { ($0.seesEverything ? try $0.counts() : nil, try $0.lastSequence) }
        var bytes: [UInt8] = []
        JSONWriter.append(raw: "{\"db_name\":", to: &bytes)
        JSONWriter.append(call.keyspace.name, to: &bytes)
        bytes.append(
            contentsOf: """
                ,"update_seq":\(sequence),"committed_update_seq":\(sequence),\(instanceStartTime),\
                "compact_running":false,"purge_seq":0,"disk_format_version":0,
                """.utf8)
        if let counts {
            bytes.append(contentsOf: "\"doc_count\":\(counts.live),\"doc_del_count\":\(counts.tombstones),".utf8)
        }
        JSONWriter.append(raw: "\"state\":\"Online\"}", to: &bytes)
        return .json(bytes)
    }

    /// A client that was configured to create its target treats 412 as success.
    static func create(_ call: LegacyCall) throws -> Response {
        throw LegacyError(.alreadyExists, "Database already exists")
    }

    /// All acknowledged writes are already durable.
    static func ensureFullCommit(_ call: LegacyCall) -> Response {
        .json(Array("{\(instanceStartTime),\"ok\":true}".utf8), status: .created)
    }
}
