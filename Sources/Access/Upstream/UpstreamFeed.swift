import Documents

/// Upstream's changes feed as one user sees it, read page by page.
struct UpstreamFeed {
    /// One row of it, without its revisions.
    struct Row {
        let id: String

        /// The number of the change that it tells, whatever makes the feed go back to it; `nil` if it has none.
        let number: Int64?
        /// Up to which number upstream's feed is complete, where it says that it lags behind.
        let complete: Int64?
        let isDeleted: Bool

        /// The user's channels that the document has left; empty where it has left none.
        let removed: Set<String>

        init(_ row: JSONValue) {
            id = row["id"]?.string ?? ""
            // `S`, `T:S`, and `L:T:S` while upstream's cache lags behind.
            let place = row["seq"]
            let parts = place?.string?.split(separator: ":", omittingEmptySubsequences: false) ?? []
            number = place?.int.map { Int64($0) } ?? parts.last.flatMap { Int64($0) }
            complete = parts.count == 3 ? parts.first.flatMap { Int64($0) } : nil
            isDeleted = row["deleted"]?.bool ?? false
            removed = Set((row["removed"]?.array ?? []).compactMap(\.string).filter { 1...UpstreamFeed.nameLength ~= $0.utf8.count })
        }

        /// Whether it tells of a document that is no user, role or design document.
        var isOfDocument: Bool { !id.isEmpty && !id.hasPrefix("_") }
    }

    /// Rows of one answer, and answers that are read at most.
    private static let page = 1_000
    private static let pages = 200
    private static let sample = 100
    private static let nameLength = 250

    let database: VerificationEndpoint

    /// The user's login; `nil` for the guest.
    let header: VerificationRequest.Header?
    let client: VerificationClient

    /// For what is the same for all devices of the user.
    let recent: any VerificationSender

    /// The rows behind a place.
    ///
    /// - Parameters:
    ///   - channel: The only channel whose rows are wanted; `nil` for all that the user has.
    ///   - isWanted: Called with each page; returning false ends the reading.
    /// - Returns: Whether all was read that was wanted.
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

    /// The highest number of a document's row behind one number and up to another; `nil` for none. Where there is more than one answer, the latter number.
    func last(behind start: Int64, upTo end: Int64) async throws(LoginError) -> Int64? {
        guard start < end else { return nil }
        let rows = try await ask([("since", String(start)), ("limit", String(Self.page))], by: client).rows
        guard rows.count < Self.page else { return end }
        return rows.filter(\.isOfDocument).compactMap(\.number).filter { $0 <= end }.max()
    }

    /// The documents that have stood in a channel for longest, up to a hundred; none if the user may not see it.
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
