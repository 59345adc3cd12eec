import Access
package import Authentication
import Coordination
import Documents
package import Gateway
import HTTP
package import HTTPTypes
import HummingbirdCore
package import LegacyProtocol
package import Logging
package import Storage

/// A client's document that may exist on the server from which the client was repointed (docs/protocol/model.md#inherited-checkpoints): a
/// `_local/` document of 1.x, or a 2.x checkpoint.
package struct InheritedDocument: Sendable {
    private let kind: LocalDocumentKind
    private let id: String
    private let keyspace: Keyspace
    private let upstream: UpstreamCheckpoints
    private let credentials: UpstreamLogin.Credentials?
    private let limits: LegacyLimits
    private let logger: Logger

    /// - Parameters:
    ///   - credentials: The client's own, for upstream; `nil` if it has sent none.
    ///   - keyspace: The unified keyspace, as the client sees it. No other one was on the old server.
    package init(
        _ kind: LocalDocumentKind, id: String, in keyspace: Keyspace, from upstream: UpstreamCheckpoints,
        with credentials: UpstreamLogin.Credentials?, limits: LegacyLimits, logger: Logger
    ) {
        self.kind = kind
        self.id = id
        self.keyspace = keyspace
        self.upstream = upstream
        self.credentials = credentials
        self.limits = limits
        self.logger = logger
    }

    /// - Returns: `nil` without an old server, or where it cannot have the document.
    init?(_ id: String, _ call: LegacyCall) {
        guard let upstream = call.upstream, call.keyspace.scope == .unified, DocumentID.maximumLength >= id.utf8.count else { return nil }
        self.init(
            .local, id: id, in: call.keyspace, from: upstream, with: Self.credentials(in: call.request.headers, upstream),
            limits: call.limits, logger: call.logger)
    }

    /// The effective document: the local one, or upstream's.
    ///
    /// - Parameter current: The local document.
    /// - Throws: `GatewayError` with code `unavailable`, which is 503, if there is no local document and upstream cannot be reached at the moment.
    ///   All 1.x clients retry after 503, but would begin at zero after 404. 2.x clients, whose checkpoints may never have been on upstream, do
    ///   begin at zero. For all of them the error is thrown while the pull lacks documents that the client has.
    package func resolved(_ current: LocalDocument?) async throws -> LocalDocument? {
        let found: LocalDocument?
        switch await upstream.fetch(path, with: credentials, mayRest: current.map { Self.keepsHistory($0) } ?? false) {
        case .found(let json):
            found = try await keyspace.inherit(document(json), kind, id: id, replacing: current)
        case .missing:
            found = current == nil ? nil : try await keyspace.inherit(nil, kind, id: id, replacing: current)
        case .known:
            found = current
        case .unavailable where current == nil && kind == .local:
            throw InheritedPlace.unavailable
        case .loop where kind == .local && ViaHeader.current.ids.count > 1:
            // The client is another bridge, whose replication stops with this error.
            throw LegacyError(.loop, "The old servers of several bridges form a loop; correct the `remote` of one bridge")
        case .lost, .unavailable, .loop:
            return current
        }
        if let found { try await prepare(found) }
        return found
    }

    /// Whether upstream's document has this revision. Then it is stored, because the client has read it there.
    func isInherited(_ revision: String) async throws -> Bool {
        let current = try await keyspace.localDocument(kind, id: id)
        guard case .found(let json) = await upstream.fetch(path, with: credentials, mayRest: false),
            let found = document(json), found.upstreamRevision == revision
        else { return false }
        return try await keyspace.inherit(found, kind, id: id, replacing: current)?.upstreamRevision == revision
    }

    /// The document's path on upstream, within the database.
    ///
    /// A 2.x client's checkpoint `ID` is `_local/checkpoint/ID` there. Sync Gateway decodes this path twice, and has no route for a slash that is
    /// encoded only once (2.8.4, `PathVar`).
    private var path: String {
        let name = kind == .checkpoint ? PercentEncoding.encodePathSegment("checkpoint/" + id) : id
        return LocalDocumentInput.prefix + PercentEncoding.encodePathSegment(name)
    }

    /// Before the client reads its feed from the position of an inherited checkpoint, determines the channels that it had read on upstream.
    private func prepare(_ checkpoint: LocalDocument) async throws {
        // After a write by the client, the checkpoint contains a sequence of this server, or of the client's own database.
        guard let inherited = checkpoint.upstreamRevision, Self.number(inherited) == checkpoint.revision,
            let text = Keyspace.place(in: checkpoint, kind)
        else { return }
        try await InheritedPlace(in: keyspace, from: upstream, with: credentials).prepare(text)
    }

    /// Whether a checkpoint contains the history of earlier ones, as CouchDB's and PouchDB's do. These clients find the common position by
    /// themselves, and read the checkpoint before each write.
    private static func keepsHistory(_ document: LocalDocument) -> Bool {
        (try? JSONValue(document.body))?["history"]?.array != nil
    }

    /// The credentials in a client's request; `nil` if it has none.
    package static func credentials(in headers: HTTPFields, _ upstream: UpstreamCheckpoints) -> UpstreamLogin.Credentials? {
        if let header = headers[.authorization] {
            return BasicCredentials(authorization: header).map { .basic(user: $0.user, password: Secret($0.password)) }
        }
        return CookieHeader(headers[values: .cookie])[upstream.cookieName].map { .cookie(Secret($0)) }
    }

    /// Parses upstream's response; `nil` if it cannot be used.
    private func document(_ json: [UInt8]) -> LocalDocument? {
        guard json.count <= limits.localDocumentSize,
            let input = try? LocalDocumentInput(json[...], depth: limits.depth), let revision = input.revision
        else {
            logger.warning("the legacy upstream has a checkpoint that cannot be used", metadata: ["keyspace": "\(keyspace.name)"])
            return nil
        }
        return LocalDocument(revision: Self.number(revision), body: input.body, modified: 0, upstreamRevision: revision)
    }

    /// The number in a revision `0-5`, or `5-local` of Couchbase Lite's listener.
    static func number(_ revision: String) -> Int64 {
        let parts = revision.split(separator: "-", maxSplits: 1)
        let digits = parts.first == "0" ? parts.last : parts.first
        return digits.flatMap { Int64($0) }.map { max(1, min($0, 1 << 52)) } ?? 1
    }
}
