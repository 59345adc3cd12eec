import Documents
import HTTPTypes

extension Player {
    func pull(_ client: Client, once: Bool) async throws -> Observation {
        var observation = Observation()
        if client.feed == .blip {
            try await awaitStableFeed(client)
            try await pullModern(client, &observation)
        } else {
            var isFirst = true
            repeat {
                let expected = try await awaitStableFeed(client)
                guard isFirst || expected?.isEmpty != true else { break }
                guard try await pullOnce(client, expecting: expected, &observation) > 0 else { break }
                isFirst = false
            } while client.limit != nil && !once
        }
        observation.held = devices[client.name]?.held ?? [:]
        return observation
    }

    /// A Sync Gateway's feeds are behind its writes. So the client's feed is read in advance, without an effect, until two readings are equal.
    ///
    /// - Returns: the expected rows; `nil` where the server does not need this.
    @discardableResult
    private func awaitStableFeed(_ client: Client) async throws -> [JSONValue]? {
        guard exchange.server.kind == .gateway else { return nil }
        // A feed of active documents has no deletions, so that it would seem complete too early.
        var whole = client
        whole.activeOnly = false
        let query = query(whole, feed: .normal)
        var answer = try await exchange.ask(.get, query, as: client.user)
        while true {
            try await Task.sleep(for: .milliseconds(8))
            let next = try await exchange.ask(.get, query, as: client.user)
            if next.body == answer.body { break }
            answer = next
        }
        if client.activeOnly { answer = try await exchange.ask(.get, self.query(client, feed: .normal), as: client.user) }
        return answer.json["results"]?.array ?? []
    }

    func query(_ client: Client, feed: Client.Feed, limit: Int? = nil, timeout: Int? = nil) -> String {
        var query = "\(path(client.keyspace))/_changes?feed=\(feed.rawValue)"
        if client.allLeaves { query += "&style=all_docs" }
        if let channels = client.channels { query += "&filter=sync_gateway/bychannel&channels=\(channels.joined(separator: ","))" }
        if client.activeOnly { query += "&active_only=true" }
        if client.revocations { query += "&revocations=true" }
        if let limit = limit ?? client.limit { query += "&limit=\(limit)" }
        if let timeout { query += "&timeout=\(timeout)" }
        if let since = devices[client.name]?.since { query += "&since=\(since)" }
        return query
    }

    /// One feed request of a 1.x client, and the requests for the revisions of its rows.
    ///
    /// - Returns: the number of rows.
    private func pullOnce(_ client: Client, expecting expected: [JSONValue]?, _ observation: inout Observation) async throws -> Int {
        if client.feed == .continuous, let last = expected?.last?["seq"].flatMap(Self.text) {
            let rows = await LiveLines(query(client, feed: .continuous), of: exchange.server, login: exchange.login(client.user))
                .rows(upTo: last)
            if let place = rows.last?["seq"].flatMap(Self.text) { devices[client.name, default: Device()].since = place }
            for row in rows { try await handle(row, client, &observation) }
            return rows.count
        }
        let timeout = client.feed == .normal ? nil : exchange.server.kind.timeout(expectsRows: expected?.isEmpty == false)
        var rows: [JSONValue] = []
        var missing = client.limit
        repeat {
            let answer = try await exchange.ask(.get, query(client, feed: client.feed, limit: missing, timeout: timeout), as: client.user)
            guard answer.status == 200 else {
                observation.statuses.append(answer.status)
                return 0
            }
            let (found, last) =
                client.feed == .continuous ? Self.lines(answer.body) : (answer.json["results"]?.array ?? [], answer.json["last_seq"])
            if let place = last.flatMap(Self.text) { devices[client.name, default: Device()].since = place }
            let documents = found.filter { $0["id"]?.string.map(Self.isDocument) == true }
            rows += documents
            // The rows of the user and of the marker count towards the limit.
            missing = client.limit == nil || documents.count == found.count ? 0 : found.count - documents.count
        } while missing != 0
        for row in rows { try await handle(row, client, &observation) }
        return rows.count
    }

    /// The rows of a continuous feed, and the position of the last row.
    private static func lines(_ body: [UInt8]) -> (rows: [JSONValue], last: JSONValue?) {
        let rows = body.split(separator: UInt8(ascii: "\n")).compactMap { try? JSONValue(Array($0)) }.filter { $0["id"] != nil }
        return (rows, rows.last?["seq"])
    }

    static func text(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text), .number(let text): text
        default: nil
        }
    }

    /// Handles a row as a 1.x client: it requests the missing revisions, and discards removed ones.
    func handle(_ row: JSONValue, _ client: Client, _ observation: inout Observation) async throws {
        guard let id = row["id"]?.string, Self.isDocument(id) else { return }
        let revisions = row["changes"]?.array?.compactMap { $0["rev"]?.string } ?? []
        var observed = Observation.Row(id: id, revisions: Set(revisions.map { names.name(of: $0, of: id, in: client.keyspace) }))
        if row["deleted"]?.bool == true { observed.marks.insert("deleted") }
        if row["revoked"]?.bool == true { observed.marks.insert("revoked") }
        for channel in row["removed"]?.array?.compactMap(\.string) ?? [] { observed.marks.insert("removed-\(channel)") }
        let had = devices[client.name]?.held[id] ?? []
        let isNews = had.isEmpty || observed.marks.contains { $0 != "deleted" }
        var has: Set<String> = []
        var replaced: Set<String> = []
        for revision in revisions {
            let name = names.name(of: revision, of: id, in: client.keyspace)
            if had.contains(name), !isNews {
                has.insert(name)
                continue
            }
            let found = try await fetch(id, revision, name, client, &observed)
            if found == "200" { has.insert(name) }
            if ["200", "deleted"].contains(found) {
                replaced.formUnion(names.history(of: revision, of: id, in: client.keyspace).dropFirst())
            }
        }
        // A revision includes its ancestors.
        has.subtract(replaced.map { names.name(of: $0, of: id, in: client.keyspace) })
        // Couchbase Lite 1.x skips revisions that it is refused.
        if has.isEmpty, observed.answers.isSubset(of: ["403", "404"]) { has = had }
        observation.rows[id] = observed.after(observation.rows[id])
        devices[client.name, default: Device()].held[id] = has.isEmpty ? nil : has
    }

    /// The result of a client's request for a revision.
    private func fetch(
        _ id: String, _ revision: String, _ name: String, _ client: Client, _ observed: inout Observation.Row
    ) async throws -> String {
        let found = try await document(id, revision, name, client)
        observed.answers.insert(found.answer)
        if found.answer == "200", let file = try await answer(to: found.document, of: id, revision, client) {
            observed.answers.insert(file)
        }
        return found.answer
    }

    private func document(
        _ id: String, _ revision: String, _ name: String, _ client: Client
    ) async throws -> (answer: String, document: JSONValue) {
        let answer = try await exchange.ask(.get, "\(path(client.keyspace))/\(id)?rev=\(revision)&revs=true", as: client.user)
        guard answer.status == 200 else { return (String(answer.status), .null) }
        let document = answer.json
        if document["_deleted"]?.bool == true { return ("deleted", document) }
        if document["_removed"]?.bool == true { return ("removed", document) }
        return (document["step"].flatMap(Self.text).map { "s\($0)" } == name ? "200" : "other", document)
    }
}
