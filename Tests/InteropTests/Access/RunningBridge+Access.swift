import Documents
import Gateway
import SQLiteStorage
import Storage
import Testing

extension RunningBridge {
    /// A bridge without a guest, with the user anna. A document is in the channel `c`, and only users with this channel may write it; a tombstone is
    /// in no channel.
    static func runGuarded(
        _ configure: (inout DatabaseConfiguration) -> Void = { _ in }, _ body: @Sendable (RunningBridge) async throws -> Void
    ) async throws {
        try await run({ database in
            database.guest = GuestConfiguration()
            for index in database.collections.indices {
                database.collections[index].syncFunction =
                    "function (doc) { requireAccess('c'); if (!doc._deleted) channel(doc.elsewhere ? 'elsewhere' : 'c') }"
            }
            configure(&database)
        }) { bridge in
            let anna = try await bridge.admin("PUT", "/shop/_user/anna", #"{"password":"pw1","admin_channels":["c"]}"#)
            #expect(anna.status == 201)
            try await body(bridge)
        }
    }

    /// Replaces anna's channels.
    func give(_ channels: [String]) async throws {
        let list = channels.map { "\"\($0)\"" }.joined(separator: ",")
        let answer = try await admin("PUT", "/shop/_user/anna", #"{"admin_channels":[\#(list)]}"#)
        #expect(answer.status == 200)
    }

    /// Writes the revision `number-na` of a document, as the administrator.
    func write(_ id: String, _ number: Int = 1, _ properties: String = "", deleted: Bool = false) async throws {
        let ids = (1...number).reversed().map { "\"\($0)a\"" }.joined(separator: ",")
        let body =
            #"{"_id":"\#(id)","_rev":"\#(number)-\#(number)a","_revisions":{"start":\#(number),"ids":[\#(ids)]},"type":"order""#
            + (deleted ? #","_deleted":true"# : "") + (properties.isEmpty ? "}" : ",\(properties)}")
        let answer = try await admin("POST", "/shop/_bulk_docs", #"{"new_edits":false,"docs":[\#(body)]}"#)
        #expect(try answer.json.array?.first?["error"] == nil, "\(answer.text)")
    }

    /// All documents, for any user: `id@revision`.
    var all: Set<String> {
        get async throws {
            let rows = try await admin("GET", "/shop/_all_docs").json["rows"]?.array ?? []
            return Set(rows.map { "\($0["id"]?.string ?? "")@\($0["value"]?["rev"]?.string ?? "")" })
        }
    }

    /// Expects that the store is consistent.
    func expectStoreSound(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let report = try await store.check()
        #expect(report.isSound, "\(report.problems)", sourceLocation: sourceLocation)
    }
}
