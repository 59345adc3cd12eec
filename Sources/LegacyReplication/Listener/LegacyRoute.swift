public import HTTP
public import HTTPTypes
import HummingbirdCore

/// One entry of the table of routes: what is served where, and to whom.
public struct LegacyRoute: Sendable {
    /// Which paths behind the keyspace it serves.
    public enum Pattern: Hashable, Sendable {
        case keyspace
        /// A name that begins with an underscore.
        case endpoint(String)
        case local
        case design
        case document
        case attachment
    }

    /// Who may use it.
    public enum Audience: Hashable, Sendable {
        case everyone
        case administrators
    }

    public let methods: [HTTPRequest.Method]
    public let pattern: Pattern
    public let audience: Audience
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

    /// What a target names behind the keyspace; `nil` if it can name nothing.
    ///
    /// - Parameter index: the first segment of the path behind the keyspace.
    public static func pattern(of target: RequestTarget, from index: Int) -> Pattern? {
        LegacyPath(target, from: index)?.pattern
    }
}

extension LegacyPath {
    var pattern: LegacyRoute.Pattern {
        switch self {
        case .keyspace: .keyspace
        case .endpoint(let name): .endpoint(name)
        case .local: .local
        case .design: .design
        case .document: .document
        case .attachment: .attachment
        }
    }
}
