import Access
import Documents

/// A user's changes feed on upstream, read page by page.
struct UpstreamFeed {
    /// A row of the feed, without its revisions.
    struct Row {
        let id: String

        /// The sequence of the document's change, also in rows that repeat older changes after a grant; `nil` if it has none.
        let number: Int64?
        /// The sequence up to which upstream's feed is complete, if the row reports a lag.
        let complete: Int64?
        let isDeleted: Bool

        /// The user's channels that the document has left.
        let removed: Set<String>

        init(_ row: JSONValue) {
            id = row["id"]?.string ?? ""
            // The forms are `S`, `T:S`, and `L:T:S` while upstream's cache lags.
            let place = row["seq"]
            let parts = place?.string?.split(separator: ":", omittingEmptySubsequences: false) ?? []
            number = place?.int.map { Int64($0) } ?? parts.last.flatMap { Int64($0) }
            complete = parts.count == 3 ? parts.first.flatMap { Int64($0) } : nil
            isDeleted = row["deleted"]?.bool ?? false
            removed = Set((row["removed"]?.array ?? []).compactMap(\.string).filter { 1...UpstreamFeed.nameLength ~= $0.utf8.count })
        }

        /// Whether the row is for a document that is not a user, role or design document.
        var isOfDocument: Bool { !id.isEmpty && !id.hasPrefix("_") }
    }

    /// The maximum number of rows per reply, of replies, of sampled documents, and of bytes in a channel's name.
    private static let page = 1_000
    private static let pages = 200
    private static let sample = 100
    private static let nameLength = 250

    let database: VerificationEndpoint

    /// The user's login; `nil` for the guest.
    let header: VerificationRequest.Header?
    let client: VerificationClient

    /// Sends requests whose replies are the same for all clients of the user.
    let recent: any VerificationSender

    /// Reads the rows after a position.
    ///
    /// - Parameters:
    ///   - channel: The only channel to read; `nil` for all of the user's channels.
    ///   - isWanted: Called with each page. If it returns `false`, the read ends.
    /// - Returns: Whether the read was complete or ended by `isWanted`.
    func read(
        from place: String, of channel: String? = nil, _ isWanted: ([Row]) -> Bool
    ) async throws(LoginError) -> Bool {
        var since = place
        for _ in 0..<Self.pages {
            let (rows, last) = try await ask(Self.filter(channel) + [("since", since), ("limit", String(Self.page))], by: client)
            guard isWanted(rows), rows.count >= Self.page else { return true }
            guard let last, last != since else { return false }
            since = last
        }
        return false
    }

    /// The highest sequence of a document's row after `start` and up to `end`; `nil` if there is none. If the rows do not fit into one reply,
    /// `end`.
    func last(behind start: Int64, upTo end: Int64) async throws(LoginError) -> Int64? {
        guard start < end else { return nil }
        let rows = try await ask([("since", String(start)), ("limit", String(Self.page))], by: client).rows
        guard rows.count < Self.page else { return end }
        return rows.filter(\.isOfDocument).compactMap(\.number).filter { $0 <= end }.max()
    }

    /// The oldest documents of a channel, at most a hundred; none if the channel is not accessible to the user.
    func first(of channel: String) async throws(LoginError) -> [Row] {
        try await ask(Self.filter(channel) + [("active_only", "true"), ("limit", String(Self.sample))], by: recent).rows.filter(
            \.isOfDocument)
    }

    private static func filter(_ channel: String?) -> [(name: String, value: String)] {
        channel.map { [("filter", "sync_gateway/bychannel"), ("channels", $0)] } ?? []
    }

    private func ask(
        _ query: [(name: String, value: String)], by client: any VerificationSender
    ) async throws(LoginError) -> (rows: [Row], last: String?) {
        let endpoint = database.appending("/_changes").appending(query: query)
        let response = try await client.send(.get(endpoint, headers: header.map { [$0] } ?? []))
        guard !response.isFailure else { throw LoginError(.unavailable, "The legacy upstream cannot be read, status \(response.status)") }
        guard response.status == 200 else { return ([], nil) }
        let answer = try response.object(of: "The legacy upstream")
        let last = answer["last_seq"]
        return ((answer["results"]?.array ?? []).map(Row.init), last?.string ?? last?.int.map(String.init))
    }
}
