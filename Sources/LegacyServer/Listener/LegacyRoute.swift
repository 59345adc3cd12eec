package import HTTP
import HTTPListener
package import HTTPTypes
import HummingbirdCore

/// A route of the listener: its methods, its paths and its audience.
package struct LegacyRoute: Sendable {
    /// The paths below the keyspace that the route serves.
    package enum Pattern: Hashable, Sendable {
        case keyspace
        /// A name that begins with an underscore.
        case endpoint(String)
        case local
        case design
        case document
        case attachment
    }

    /// The clients that may use the route.
    package enum Audience: Hashable, Sendable {
        case everyone
        case administrators
    }

    typealias Handler = @Sendable (LegacyCall) async throws -> Response

    package let methods: [HTTPRequest.Method]
    package let pattern: Pattern
    package let audience: Audience

    /// Whether the route only reads. The body of a reading `POST` selects the documents.
    package let isReading: Bool
    let handler: Handler

    private init(reading methods: [HTTPRequest.Method], _ pattern: Pattern, _ handler: @escaping Handler) {
        self.methods = methods
        self.pattern = pattern
        self.handler = handler
        audience = .everyone
        isReading = true
    }

    private init(
        writing methods: [HTTPRequest.Method], _ pattern: Pattern, for audience: Audience = .everyone, _ handler: @escaping Handler
    ) {
        self.methods = methods
        self.pattern = pattern
        self.audience = audience
        self.handler = handler
        isReading = false
    }
}

/// The resource that a target names below a keyspace, and the routes of its path.
package struct LegacyMatch: Sendable {
    let path: LegacyPath?
    let query: Query

    /// `nil` if the path has no routes.
    let routes: MethodTable<LegacyRoute>?

    /// - Parameter index: The index of the first path segment after the keyspace.
    package init(_ target: RequestTarget, from index: Int = 1) {
        path = LegacyPath(target, from: index)
        query = target.query
        routes = path.flatMap { LegacyRoute.byPattern[$0.pattern] }
    }

    /// The pattern of the path; `nil` if the path names no resource.
    package var pattern: LegacyRoute.Pattern? { path?.pattern }
}

extension LegacyRoute {
    /// All routes of the listener below a keyspace.
    package static let table: [LegacyRoute] = [
        LegacyRoute(reading: [.get, .head], .keyspace, KeyspaceEndpoint.describe),
        LegacyRoute(writing: [.put], .keyspace, KeyspaceEndpoint.create),
        LegacyRoute(writing: [.post], .keyspace, DocumentEndpoint.post),
        LegacyRoute(writing: [.post], .endpoint("_ensure_full_commit"), KeyspaceEndpoint.ensureFullCommit),
        LegacyRoute(reading: [.get, .head, .post], .endpoint("_changes"), ChangesEndpoint.changes),
        LegacyRoute(reading: [.post], .endpoint("_revs_diff"), RevsDiffEndpoint.difference),
        LegacyRoute(writing: [.post], .endpoint("_bulk_docs"), BulkDocsEndpoint.write),
        LegacyRoute(reading: [.post], .endpoint("_bulk_get"), BulkGetEndpoint.read),
        LegacyRoute(reading: [.get, .head, .post], .endpoint("_all_docs"), AllDocsEndpoint.list),
        LegacyRoute(reading: [.get, .head], .local, LocalEndpoint.get),
        LegacyRoute(writing: [.put], .local, LocalEndpoint.put),
        LegacyRoute(writing: [.delete], .local, LocalEndpoint.delete),
        LegacyRoute(reading: [.get, .head], .design, DocumentEndpoint.get),
        LegacyRoute(writing: [.put], .design, for: .administrators, DocumentEndpoint.put),
        LegacyRoute(writing: [.delete], .design, for: .administrators, DocumentEndpoint.delete),
        LegacyRoute(reading: [.get, .head], .document, DocumentEndpoint.get),
        LegacyRoute(writing: [.put], .document, DocumentEndpoint.put),
        LegacyRoute(writing: [.delete], .document, DocumentEndpoint.delete),
        LegacyRoute(reading: [.get, .head], .attachment, AttachmentEndpoint.get),
        LegacyRoute(writing: [.put], .attachment, AttachmentEndpoint.put),
        LegacyRoute(writing: [.delete], .attachment, AttachmentEndpoint.delete),
    ]

    fileprivate static let byPattern = Dictionary(grouping: table, by: \.pattern).mapValues { MethodTable($0.map { ($0.methods, $0) }) }
}
