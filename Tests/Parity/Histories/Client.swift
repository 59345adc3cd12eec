/// A client of a history: its user, and its way to pull.
struct Client: Hashable {
    enum Feed: String, CaseIterable {
        case normal, longpoll, continuous, blip
    }

    var name: String

    /// `GUEST` for a client without a login.
    var user: String
    var feed: Feed

    /// Empty for a database without collections.
    var keyspace = ""

    /// Whether rows name all leaves, as Couchbase Lite 1.x requests them, and not only the winner.
    var allLeaves = true
    var channels: [String]?
    var activeOnly = false
    var limit: Int?
    var revocations = false

    static let guest = "GUEST"
}

extension Client: CustomStringConvertible {
    var description: String {
        var text = "client \(name) user=\(user) feed=\(feed.rawValue)"
        if !keyspace.isEmpty { text += " in=\(keyspace)" }
        if allLeaves { text += " leaves" }
        if let channels { text += " channels=\(channels.joined(separator: ","))" }
        if activeOnly { text += " active" }
        if let limit { text += " limit=\(limit)" }
        if revocations { text += " revocations" }
        return text
    }

    init(parsing line: String) throws {
        let words = Words(line)
        guard words.plain.count > 1, let user = words.values["user"], let feed = words.values["feed"].flatMap(Feed.init) else {
            throw HistoryTextError(line: line)
        }
        self.init(
            name: words.plain[1], user: user, feed: feed, keyspace: words.values["in"] ?? "", allLeaves: words.has("leaves"),
            channels: words.list("channels"), activeOnly: words.has("active"), limit: words.values["limit"].flatMap { Int($0) },
            revocations: words.has("revocations"))
    }
}
