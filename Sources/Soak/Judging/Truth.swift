import Documents
import HTTP
import NIOHTTP1

/// The documents of the database in the end, as an administrator reads them.
struct Truth {
    struct Document {
        let revision: String

        /// Of the edit.
        let number: Int
        let type: String
        let channels: Set<String>
    }

    private(set) var documents: [String: Document] = [:]

    init(_ documents: [String: Document]) {
        self.documents = documents
    }

    /// Reads all of it.
    init(of bridge: SoakBridge) async throws {
        var since = "0"
        while true {
            let query = "include_docs=true&limit=500&since=\(PercentEncoding.encodeQueryComponent(since))"
            let answer = try await bridge.admin.send(.GET, "\(SoakBridge.database)/_changes?\(query)")
            let rows = answer["results"]?.array ?? []
            for row in rows {
                guard let id = row["id"]?.string, let document = row["doc"], let number = document["n"]?.int else { continue }
                documents[id] = Document(
                    revision: document["_rev"]?.string ?? "", number: number, type: document["type"]?.string ?? "",
                    channels: Set(document["channels"]?.array?.compactMap(\.string) ?? []))
            }
            guard !rows.isEmpty, let last = answer["last_seq"] else { return }
            since = last.string ?? last.int.map { "\($0)" } ?? since
        }
    }

    /// Acknowledged edits that are not there, and documents that nobody has written so.
    func losses(of ledger: WriteLedger) -> [String] {
        ledger.entries.compactMap { id, entry in
            let number = documents[id]?.number ?? 0
            if number < entry.acknowledged { return "\(id): edit \(entry.acknowledged) was acknowledged, \(number) is there" }
            return number > entry.sent ? "\(id): edit \(number) is there, \(entry.sent) was the last that was sent" : nil
        }
    }

    /// Documents that a client lacks, or has as they are no more.
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
