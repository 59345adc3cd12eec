import Access
import Documents
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import Logging

/// One request on its way through a handler.
struct LegacyCall: Sendable {
    let request: Request
    let query: Query
    let path: LegacyPath
    let keyspace: Keyspace
    let caller: LegacyCaller
    let limits: LegacyLimits

    /// For whom feeds are counted; `nil` if they are not.
    let identity: ClientIdentity?
    let openFeeds: OpenFeeds

    /// Who is noted to use the database; `nil` for administrators.
    let visitor: Visitor?
    let shutdown: ShutdownSignal

    /// What the request's body takes of the process's memory.
    let memory: MemoryShare
    let logger: Logger

    /// The checkpoints of the server that clients come from; `nil` if there is none.
    var upstream: UpstreamCheckpoints?

    /// Counts a feed that stays open; `nil` if nobody counts this client's.
    func openFeed() throws -> OpenFeed? {
        guard let identity else { return nil }
        return try openFeeds.open(for: identity, visit: visitor.map { keyspace.database.visits.open($0) })
    }

    /// The document that the path names, or the local document's ID without its prefix.
    var documentID: String {
        switch path {
        case .document(let id), .attachment(let id, _), .local(let id): id
        case .design(let name): DocumentID.designPrefix + name
        case .keyspace, .endpoint: ""
        }
    }

    var attachmentName: String {
        if case .attachment(_, let name) = path { name } else { "" }
    }

    var accept: AcceptHeader { AcceptHeader(request.headers[.accept]) }

    var contentType: MediaType? { request.headers[.contentType].flatMap { MediaType($0) } }
}
