public import Documents
package import Gateway
public import HTTP

/// The settings of a ``Replication``. The names are Couchbase Lite 1.x's; each setting is also a property of the replication.
public struct ReplicationSettings: Sendable {
    /// Whether the replication continues after it has caught up.
    public var continuous = false

    /// The maximum number of attempts until something is replicated. 0 for Couchbase Lite's rules: a failed request is sent three times, and a
    /// continuous replication begins new runs indefinitely.
    public var maxAttempts = 0

    /// The maximum delay between two attempts in seconds; 0 for ten minutes.
    public var maxAttemptWait = 0

    /// Whether a continuous replication continues after any refusal of the server, such as a wrong password or a missing database, because an
    /// operator may correct the server. Couchbase Lite stops the replication. The delay between two attempts is at most a minute unless
    /// ``maxAttemptWait`` is set. ``maxAttempts`` takes precedence.
    public var goesOnAfterRefusals = false

    /// Push: whether the server's database is created if it does not exist.
    public var createTarget = false

    /// The name of a filter: for a push one of ``pushFilters``, which runs locally; for a pull a filter of the server, such as `app/byYear`.
    public var filter: String?

    /// The filter's parameters.
    public var filterParams: [String: JSONValue] = [:]

    /// Pull: the Sync Gateway channels whose documents are replicated; empty for all that the user may read.
    public var channels: [String] = []

    /// The IDs of the documents that are replicated; `nil` for all.
    public var documentIDs: [String]?

    /// How the replication authenticates. Credentials in the URL take precedence, and are sent with each request.
    public var authenticator: ReplicationAuthenticator?

    /// The only certificate that is accepted from the server, in PEM or DER; it is not verified otherwise. `nil`: the certificate must match the
    /// host name and be signed by an authority that the system trusts.
    public var pinnedServerCertificate: [UInt8]?

    /// Whether the server's certificate must be self-signed, as between peers. This does not authenticate the server.
    public var selfSignedServersOnly = false

    /// The client certificate for TLS.
    public var clientIdentity: ReplicationIdentity?

    /// The HTTP proxy for connections to the server; `nil` for direct connections.
    public var proxy: OutboundProxy?

    /// Additional headers of every request.
    public var headers: [String: String] = [:]

    /// Options that Couchbase Lite 1.x identifies by name: `heartbeat` (milliseconds), `websocket` (whether a continuous pull may use a
    /// WebSocket), `remoteUUID` (replaces the server's URL in checkpoint IDs). Other options are stored and have no effect.
    public var customProperties: [String: JSONValue] = [:]

    /// Whether the server is the legacy upstream, from which clients are repointed. A pull then records the upstream's feed, so that repointed
    /// clients continue from their positions; a push does not offer revisions that the feed has shown. Applies to the unified keyspace.
    package var isUpstream = false

    /// The store of revisions that one side has refused; `nil` to report them only.
    package var parking: Parking?

    /// The filters that ``filter`` of a push can name.
    public var pushFilters: [String: PushFilter] = [:]

    /// The ID of the local database in checkpoint IDs: the `privateUUID` of a Couchbase Lite 1.x database that this one replaces. `nil` for the
    /// store's own ID.
    public var localUUID: String?

    /// The Couchbase Lite platform whose checkpoint IDs are computed.
    public var checkpointStyle = CheckpointStyle.iOS

    /// The position of a replicator that this one replaces: the value of `checkpoint/…` in the `info` table of its database. It is used as long
    /// as there is no local checkpoint, and only if the server's checkpoint agrees.
    public var initialSequence: String?

    /// Cookies set by hand.
    var cookies: [StoredCookie] = []

    /// Creates the default settings: a one-shot replication of all documents, without a login.
    public init() {}

    /// Sets a cookie; see ``Replication/setCookie(name:value:path:expires:secure:httpOnly:)``.
    public mutating func setCookie(
        name: String, value: String, path: String? = nil, expires: Int64? = nil, secure: Bool = false, httpOnly: Bool = false
    ) {
        cookies.removeAll { $0.name == name && $0.path == path }
        cookies.append(
            StoredCookie(name: name, value: value, path: path, expires: expires, isSecure: secure, isHTTPOnly: httpOnly))
    }

    /// The filter's name in requests and the checkpoint ID.
    var effectiveFilter: String? {
        channels.isEmpty ? filter : "sync_gateway/bychannel"
    }

    var effectiveFilterParams: [String: JSONValue] {
        channels.isEmpty ? filterParams : ["channels": .string(channels.joined(separator: ","))]
    }

    /// The interval of heartbeats of a waiting feed in milliseconds. The default is Couchbase Lite for Java's: its connections, like ours, time
    /// out after 40 s of silence.
    var heartbeat: Int {
        max(1_000, min(customProperties["heartbeat"]?.int ?? 30_000, 30_000))
    }

    var attempts: ReplicationAttempts {
        ReplicationAttempts(maximum: maxAttempts, longestWait: maxAttemptWait, goesOnAfterRefusals: goesOnAfterRefusals)
    }

    /// The delays between attempts to open a feed.
    var backoff: ReplicationBackoff { ReplicationBackoff(longestWait: attempts.longestPersistentWait) }

    var allowsWebSocket: Bool { customProperties["websocket"]?.bool ?? true }
}

/// A client certificate for TLS, and its key.
public struct ReplicationIdentity: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The certificate and its intermediate certificates in PEM, or one certificate in DER.
    public let certificateChain: [UInt8]

    /// The certificate's key, in PEM.
    public let privateKey: [UInt8]

    /// Creates an identity. A certificate or key that cannot be read fails the start of the replication with the code `untrusted`.
    public init(certificateChain: [UInt8], privateKey: [UInt8]) {
        self.certificateChain = certificateChain
        self.privateKey = privateKey
    }

    /// Hides the key, so that logs do not contain it.
    public var description: String { "ReplicationIdentity(privateKey: hidden)" }

    /// Hides the key, so that dumps do not contain it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ReplicationSettings {
    /// The TLS configuration.
    ///
    /// - Throws: ``ReplicationError`` with code `untrusted` if a certificate or a key cannot be read.
    var tls: ClientTLS {
        get throws(ReplicationError) {
            var tls = ClientTLS()
            do {
                if let pinnedServerCertificate {
                    tls.trust = .pinned(try ClientTLS.certificates(pinnedServerCertificate)[0])
                } else if selfSignedServersOnly {
                    tls.trust = .selfSignedOnly
                }
            } catch {
                throw ReplicationError(.untrusted, "The pinned certificate cannot be read; it has to be in PEM or DER", cause: error)
            }
            do {
                tls.identity = try clientIdentity.map { try ClientTLS.Identity(chain: $0.certificateChain, key: $0.privateKey) }
            } catch {
                throw ReplicationError(
                    .untrusted, "The client certificate cannot be read; it has to be in PEM or DER, and its key in PEM", cause: error)
            }
            return tls
        }
    }
}
