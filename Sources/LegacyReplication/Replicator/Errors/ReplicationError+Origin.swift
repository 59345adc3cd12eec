import Documents
import HTTP

extension ReplicationError {
    /// Who has given an answer.
    public enum Origin: Sendable, Hashable {
        /// The server itself.
        case server
        /// Somebody on the way to it, such as a proxy or a load balancer. What it says of the database is no news of the database.
        case intermediary
        /// Somebody on the way to it who refuses this request and lets others through: by its size or its path.
        case filter
    }
}

extension ReplicationError.Origin {
    /// Finds out who has refused a request: the servers of this protocol say `error` and `reason` in JSON, or else their name in the header `Server`.
    init(server: String?, contentType: String?, body: [UInt8]) {
        let answer = try? JSONValue(body)
        let isPage = contentType.flatMap { MediaType($0) }?.isPage ?? false
        let isOwn = answer?["error"]?.string != nil && answer?["reason"]?.string != nil || ServerFeatures(server).isKnown && !isPage
        self = isOwn ? .server : .intermediary
    }
}

extension MediaType {
    /// Whether it is a page for people. No server of this protocol answers with one, but for attachments.
    var isPage: Bool { essence == "text/html" || essence == "application/xhtml+xml" }
}
