import Coordination
import Documents
import HTTP
import NIOHTTP1

/// The final documents of the database, as read by an administrator.
struct Truth {
    struct Document {
        let revision: String

        /// Number of the edit.
        let number: Int
        let type: String
        let channels: Set<String>
    }

    private(set) var documents: [String: Document] = [:]

    /// The IDs of documents with more than one row.
    private(set) var repeated: Set<String> = []

    init(_ documents: [String: Document]) {
        self.documents = documents
    }

    /// Reads all documents.
    init(of server: some SoakServer) async throws {
        var since = "0"
        while true {
            let query = "include_docs=true&limit=500&since=\(PercentEncoding.encodeQueryComponent(since))"
            let answer = try await server.admin.send(.GET, "\(SoakDatabase.name)/_changes?\(query)")
            let rows = answer["results"]?.array ?? []
            for row in rows {
                guard let id = row["id"]?.string, let document = row["doc"], let number = document["n"]?.int else { continue }
                if documents[id] != nil { repeated.insert(id) }
                documents[id] = Document(
                    revision: document["_rev"]?.string ?? "", number: number, type: document["type"]?.string ?? "",
                    channels: Set(document["channels"]?.array?.compactMap(\.string) ?? []))
            }
            guard !rows.isEmpty, let last = answer["last_seq"] else { return }
            since = last.string ?? last.int.map { "\($0)" } ?? since
        }
    }

    /// Acknowledged edits that are missing, and documents with edits that no writer sent.
    func losses(of ledger: WriteLedger) -> [String] {
        ledger.entries.compactMap { id, entry in
            let number = documents[id]?.number ?? 0
            if number < entry.acknowledged { return "\(id): edit \(entry.acknowledged) was acknowledged, \(number) is there" }
            return number > entry.sent ? "\(id): edit \(number) is there, \(entry.sent) was the last that was sent" : nil
        }
    }

    /// Documents that a client lacks, or has in an outdated state.
    func gaps(of holding: Holding) -> [String] {
        let held = holding.documents
        return documents.compactMap { id, document in
            if let channel = holding.account.channel, !document.channels.contains(channel) { return nil }
            guard holding.scope.types.contains(document.type) else { return nil }
            let wanted = holding.mark == .revision ? document.revision : "\(document.number)"
            return held[id] == wanted ? nil : "\(id): \(held[id] ?? "nothing") in place of \(wanted)"
        }
    }
}

/// The edits of all writers: the numbers of the last sent and the last acknowledged edit of each document.
final class WriteLedger: Sendable {
    struct Entry {
        /// The last edit that the bridge acknowledged; 0 for none.
        var acknowledged = 0

        /// The last edit that was sent.
        var sent = 0
    }

    private let state = Lock<[String: Entry]>([:])
    private let total = Lock(0)

    var entries: [String: Entry] { state.withLock { $0 } }

    /// Number of acknowledged edits.
    var acknowledged: Int { total.withLock { $0 } }

    func send(_ id: String, _ number: Int) {
        state.withLock { $0[id, default: Entry()].sent = number }
    }

    func acknowledge(_ id: String, _ number: Int) {
        state.withLock { $0[id, default: Entry()].acknowledged = number }
        total.withLock { $0 += 1 }
    }
}
