import HTTP
import HTTPTypes
import HummingbirdCore

/// A Couchbase Lite 1.x client whose request is refused: what it makes of the answer. It gives up for good at 429, and comes back after 503.
struct RefusalReader {
    /// Whether the client reads the body of a feed's 5xx as if it were the feed, finds no rows, and takes a one-shot pull for done. It gets a feed
    /// that breaks off instead, which it tries again. Java does so; iOS and macOS read the status, and would come back at once after a broken feed
    /// (CBLSocketChangeTracker.m).
    let takesErrorForFeed: Bool

    /// - Returns: `nil` for other clients.
    init?(_ request: Request) {
        guard let agent = request.headers[.userAgent], agent.utf8.starts(with: "CouchbaseLite".utf8) else { return nil }
        let readsStatus = agent.contains("(iOS") || agent.contains("(Mac OS X")
        takesErrorForFeed = !readsStatus && !request.wantsWebSocket
    }
}
