public import Storage

/// What someone may do in a database: the one answer that both listeners, both keyspaces and the sync functions go by.
///
/// A value of one moment. Whoever keeps it (a continuous feed, a WebSocket) asks for it anew after a commit that changed somebody's access.
public struct Rights: Sendable {
    public let principal: Principal

    /// The roles that the user has, for `requireRole`.
    public let roles: Set<String>

    /// The user and the roles, whether they are there or not, on whose access it stands; none for an administrator.
    public let grantees: Set<Grantee>

    private let collections: [CollectionKey: ChannelAccess]

    /// The user's ``User/sessionGeneration``: logins of another have ended. `nil` for those who do not log in.
    let sessionGeneration: Int64?

    /// Whether the same can be seen, since when and until when, of every collection, so that a move that changes no channel changes nothing of it.
    public let isUniform: Bool

    /// - Parameter collections: the access to each collection of the database; one that is not named has no documents for this principal but
    ///   the public ones.
    init(
        principal: Principal, roles: Set<String>, grantees: Set<Grantee> = [], collections: [CollectionKey: ChannelAccess],
        sessionGeneration: Int64? = nil
    ) {
        self.principal = principal
        self.roles = roles
        self.grantees = grantees
        self.sessionGeneration = sessionGeneration
        self.collections = collections
        isUniform = collections.values.first.map { first in collections.values.allSatisfy { $0.shows(theSameAs: first) } } ?? true
    }

    /// An administrator's: everything.
    public static let administrator = Rights(principal: .administrator, roles: [], collections: [:])

    /// The collections of the database, hidden ones too; none for an administrator.
    public var collectionKeys: some Collection<CollectionKey> { collections.keys }

    public var isAdministrator: Bool { principal.isAdministrator }

    /// Whether a login still stands as far as the user goes: neither a new password nor the end of all sessions has come since.
    public func areHeld(by login: LoginProof) -> Bool { sessionGeneration == login.generation }

    /// What can be seen of a collection.
    public func access(to collection: CollectionKey) -> ChannelAccess {
        isAdministrator ? .full : collections[collection] ?? .publicOnly
    }

    /// Whether the same is held by others: the same roles, and the same channels of each collection, whenever they were given.
    public func hold(theSameAs other: Rights) -> Bool {
        roles == other.roles && isAdministrator == other.isAdministrator
            && collections.mapValues { Set($0.channels.keys) } == other.collections.mapValues { Set($0.channels.keys) }
    }
}

extension ChannelAccess {
    /// Whether the same can be seen, since when and until when. Who sees everything has lost nothing.
    fileprivate func shows(theSameAs other: ChannelAccess) -> Bool {
        channels == other.channels && (seesEverything || lost == other.lost)
    }
}

/// Who is asking.
public enum Principal: Hashable, Sendable {
    /// Came in by the admin port: may do everything.
    case administrator

    /// Did not log in, and the database lets such people in.
    case guest

    /// Logged in under this name.
    case user(String)

    public var isAdministrator: Bool { self == .administrator }

    /// The name by which sync functions and sessions know the user; `nil` for an administrator and the guest.
    public var userName: String? {
        if case .user(let name) = self { name } else { nil }
    }

    /// Under which name grants are kept; `nil` for an administrator, who needs none.
    public var grantee: Grantee? {
        switch self {
        case .administrator: nil
        case .guest: .user(User.guestName)
        case .user(let name): .user(name)
        }
    }
}
