package import HTTP
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

    package let methods: [HTTPRequest.Method]
    package let pattern: Pattern
    package let audience: Audience
    let handler: @Sendable (LegacyCall) async throws -> Response

    init(
        _ methods: [HTTPRequest.Method], _ pattern: Pattern, for audience: Audience = .everyone,
        _ handler: @escaping @Sendable (LegacyCall) async throws -> Response
    ) {
        self.methods = methods
        self.pattern = pattern
        self.audience = audience
        self.handler = handler
    }

    /// The pattern of a target's path below the keyspace; `nil` if it names no resource.
    ///
    /// - Parameter index: The index of the first path segment after the keyspace.
    package static func pattern(of target: RequestTarget, from index: Int) -> Pattern? {
        LegacyPath(target, from: index)?.pattern
    }
}

extension LegacyRoute {
    /// All routes of the listener below a keyspace.
    package static let table: [LegacyRoute] = [
        LegacyRoute([.get, .head], .keyspace, KeyspaceEndpoint.describe),
        LegacyRoute([.put], .keyspace, KeyspaceEndpoint.create),
        LegacyRoute([.post], .keyspace, DocumentEndpoint.post),
        LegacyRoute([.post], .endpoint("_ensure_full_commit"), KeyspaceEndpoint.ensureFullCommit),
        LegacyRoute([.get, .head, .post], .endpoint("_changes"), ChangesEndpoint.changes),
        LegacyRoute([.post], .endpoint("_revs_diff"), RevsDiffEndpoint.difference),
        LegacyRoute([.post], .endpoint("_bulk_docs"), BulkDocsEndpoint.write),
        LegacyRoute([.post], .endpoint("_bulk_get"), BulkGetEndpoint.read),
        LegacyRoute([.get, .head, .post], .endpoint("_all_docs"), AllDocsEndpoint.list),
        LegacyRoute([.get, .head], .local, LocalEndpoint.get),
        LegacyRoute([.put], .local, LocalEndpoint.put),
        LegacyRoute([.delete], .local, LocalEndpoint.delete),
        LegacyRoute([.get, .head], .design, DocumentEndpoint.get),
        LegacyRoute([.put], .design, for: .administrators, DocumentEndpoint.put),
        LegacyRoute([.delete], .design, for: .administrators, DocumentEndpoint.delete),
        LegacyRoute([.get, .head], .document, DocumentEndpoint.get),
        LegacyRoute([.put], .document, DocumentEndpoint.put),
        LegacyRoute([.delete], .document, DocumentEndpoint.delete),
        LegacyRoute([.get, .head], .attachment, AttachmentEndpoint.get),
        LegacyRoute([.put], .attachment, AttachmentEndpoint.put),
        LegacyRoute([.delete], .attachment, AttachmentEndpoint.delete),
    ]
}
