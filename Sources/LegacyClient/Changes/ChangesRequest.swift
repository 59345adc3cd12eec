import Documents
import HTTP

/// A request for `_changes` as Couchbase Lite 1.4 for iOS and Java sends it (docs/protocol/legacy-1x.md#feed-requests).
struct ChangesRequest: Sendable {
    /// The feed types of `_changes`.
    enum Feed: String, Sendable, Hashable {
        case normal, longpoll, continuous, websocket
    }

    var feed: Feed
    var since: OpaqueSequence?
    var heartbeat: Int
    var filter: String?
    var filterParams: [String: JSONValue]
    var documentIDs: [String]?

    /// The maximum number of rows; `nil` for all.
    var limit: Int?

    init(_ feed: Feed, since: OpaqueSequence?, settings: ReplicationSettings) {
        self.feed = feed
        self.since = since
        heartbeat = settings.heartbeat
        documentIDs = settings.documentIDs
        filter = settings.effectiveFilter ?? (settings.documentIDs == nil ? nil : "_doc_ids")
        filterParams = settings.effectiveFilterParams
    }

    /// The path, with the parameters that every server reads from the query.
    ///
    /// - Parameters:
    ///   - isPosted: Whether the request has a body, which then contains the document IDs.
    ///   - namesParameters: Whether the query contains the filter's parameters. CouchDB reads them only from the query; Sync Gateway accepts them
    ///     in a body, where their length is not limited.
    func path(isPosted: Bool, namesParameters: Bool) -> String {
        var items = [("feed", feed.rawValue), ("heartbeat", String(heartbeat)), ("style", "all_docs")]
        if let since { items.append(("since", since.text)) }
        if let limit { items.append(("limit", String(limit))) }
        if let filter { items.append(("filter", filter)) }
        if !isPosted, let documentIDs { items.append(("doc_ids", Self.text(.array(documentIDs.map { .string($0) })))) }
        if namesParameters {
            let taken = Set(items.map(\.0))
            items += filterParams.filter { !taken.contains($0.key) }.sorted { $0.key < $1.key }.map { ($0.key, Self.text($0.value)) }
        }
        return "_changes?" + items.map { "\($0.0)=\(PercentEncoding.encodeQueryComponent($0.1))" }.joined(separator: "&")
    }

    /// The body of a POST, and the first message on a WebSocket.
    func json(compressed: Bool = false) -> [UInt8] {
        var members = [
            JSONMember("feed", .string(feed.rawValue)), JSONMember("heartbeat", .number(String(heartbeat))),
            JSONMember("style", .string("all_docs")),
        ]
        if let since { members.append(JSONMember("since", since.json)) }
        if let limit { members.append(JSONMember("limit", .number(String(limit)))) }
        if let filter { members.append(JSONMember("filter", .string(filter))) }
        if compressed { members.append(JSONMember("accept_encoding", .string("gzip"))) }
        if let documentIDs { members.append(JSONMember("doc_ids", .array(documentIDs.map { .string($0) }))) }
        let taken = Set(members.map(\.key))
        members += filterParams.filter { !taken.contains($0.key) }.sorted { $0.key < $1.key }.map { JSONMember($0.key, $0.value) }
        var bytes: [UInt8] = []
        JSONValue.object(members).append(to: &bytes)
        return bytes
    }

    private static func text(_ value: JSONValue) -> String {
        if let text = value.string { return text }
        var bytes: [UInt8] = []
        value.append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
