public import Documents
public import Gateway
public import HTTP

/// How a ``Replication`` is to be done. The names are Couchbase Lite 1.x's; each is reached as a property of the replication itself.
public struct ReplicationSettings: Sendable {
    /// Whether the replication goes on when it has caught up.
    public var continuous = false

    /// How many times in all the server is tried until something is replicated. 0 for Couchbase Lite's rules: a request that fails is sent three times,
    /// and a continuous replication begins anew without end.
    public var maxAttempts = 0

    /// The most seconds between two attempts; 0 for ten minutes.
    public var maxAttemptWait = 0

    /// Whether a continuous replication goes on trying whatever the server refuses: a password, or a database that is not there. Couchbase Lite stops
    /// it. Somebody may mend that on the other side. Between two attempts there is a minute at most, unless ``maxAttemptWait`` says otherwise;
    /// ``maxAttempts`` goes before it.
    public var goesOnAfterRefusals = false

    /// Push: whether the database is made on the server if it is not there.
    public var createTarget = false

    /// The name of a filter: for a push one of ``pushFilters``, which is called here; for a pull one of the server's, such as `app/byYear`.
    public var filter: String?

    /// What the filter is given.
    public var filterParams: [String: JSONValue] = [:]

    /// Pull: documents in these of Sync Gateway's channels only; empty for all that the user may see.
    public var channels: [String] = []

    /// These documents only; `nil` for all.
    public var documentIDs: [String]?

    /// How the replication says who it is. Credentials in the URL are sent with each request instead.
    public var authenticator: ReplicationAuthenticator?

    /// The server has to have exactly this certificate, in PEM or DER; nothing else matters then. `nil`: an authority that the system knows
    /// has to have signed the server's for its name.
    public var pinnedServerCertificate: [UInt8]?

    /// Whether the server has to have signed its certificate itself, as between peers. That proves nothing about who it is.
    public var selfSignedServersOnly = false

    /// A certificate that is shown to the server.
    public var clientIdentity: ReplicationIdentity?

    /// The HTTP proxy through which the server is reached; `nil` for the straight way.
    public var proxy: OutboundProxy?

    /// Further headers of every request.
    public var headers: [String: String] = [:]

    /// What Couchbase Lite 1.x leaves to options by name: `heartbeat` (milliseconds), `websocket` (whether a continuous pull may use one),
    /// `remoteUUID` (names the server in checkpoints in place of its URL). Others are kept and have no effect.
    public var customProperties: [String: JSONValue] = [:]

    /// Whether the server is the one that the fleet comes from. A pull then notes its feed, so that clients that come over from there go on
    /// where they were; a push offers it nothing that the feed has shown. It counts for the unified keyspace.
    public var isUpstream = false

    /// Where revisions are put that one side refuses; `nil` if they are told and no more.
    public var parking: Parking?

    /// The filters that a push can name.
    public var pushFilters: [String: PushFilter] = [:]

    /// The name of the local database in checkpoint IDs: the `privateUUID` of a Couchbase Lite 1.x database whose place this one has taken.
    /// `nil` for the store's own.
    public var localUUID: String?

    /// Whose checkpoint IDs are computed.
    public var checkpointStyle = CheckpointStyle.iOS

    /// How far the replicator had come in whose place this one is put: the value of `checkpoint/…` in the `info` table of its database. It counts
    /// as long as nothing was kept here, and only if the server's checkpoint agrees.
    public var initialSequence: String?

    /// Cookies set by hand.
    var cookies: [StoredCookie] = []

    public init() {}

    /// Sets a cookie; see ``Replication/setCookie(name:value:path:expires:secure:httpOnly:)``.
    public mutating func setCookie(
        name: String, value: String, path: String? = nil, expires: Int64? = nil, secure: Bool = false, httpOnly: Bool = false
    ) {
        cookies.removeAll { $0.name == name && $0.path == path }
        cookies.append(
            StoredCookie(name: name, value: value, path: path, expires: expires, isSecure: secure, isHTTPOnly: httpOnly))
    }

    /// The filter's name as it enters requests and the checkpoint ID.
    var effectiveFilter: String? {
        channels.isEmpty ? filter : "sync_gateway/bychannel"
    }

    var effectiveFilterParams: [String: JSONValue] {
        channels.isEmpty ? filterParams : ["channels": .string(channels.joined(separator: ","))]
    }

    /// Milliseconds between signs of life of a waiting feed. Couchbase Lite for Java's default: its connections are given up after 40 s of
    /// silence, as ours are.
    var heartbeat: Int {
        max(1_000, min(customProperties["heartbeat"]?.int ?? 30_000, 30_000))
    }

    var attempts: ReplicationAttempts {
        ReplicationAttempts(maximum: maxAttempts, longestWait: maxAttemptWait, goesOnAfterRefusals: goesOnAfterRefusals)
    }

    /// Between attempts to open a feed.
    var backoff: ReplicationBackoff { ReplicationBackoff(longestWait: attempts.longestPersistentWait) }

    var allowsWebSocket: Bool { customProperties["websocket"]?.bool ?? true }
}

/// A certificate that is shown to a server over TLS, and its key.
public struct ReplicationIdentity: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The certificate and those that lead to its authority, in PEM; or one in DER.
    public let certificateChain: [UInt8]

    /// Its key, in PEM.
    public let privateKey: [UInt8]

    public init(certificateChain: [UInt8], privateKey: [UInt8]) {
        self.certificateChain = certificateChain
        self.privateKey = privateKey
    }

    /// Never shows the key, so that no log can.
    public var description: String { "ReplicationIdentity(privateKey: hidden)" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ReplicationSettings {
    /// What the settings say of TLS.
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
