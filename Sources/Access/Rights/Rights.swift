package import Storage

/// The rights of a principal in a database. Both listeners, both keyspaces and the sync functions use them.
///
/// A snapshot. Long-lived users of the value (a continuous feed, a WebSocket) read it again after a commit that changed access.
package struct Rights: Sendable {
    package let principal: Principal

    /// The user's roles, for `requireRole`.
    package let roles: Set<String>

    /// The user and the roles that define the access, whether the roles exist or not; empty for an administrator.
    package let grantees: Set<Grantee>

    private let collections: [CollectionKey: ChannelAccess]

    /// The user's ``User/sessionGeneration``: logins of other generations have ended. `nil` for principals without a login.
    let sessionGeneration: Int64?

    /// Whether the access to all collections is identical, including its history, so that a move that changes no channel does not change access.
    package let isUniform: Bool

    /// - Parameter collections: The access to each collection of the database. For a missing collection, only public documents are accessible.
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

    /// An administrator's rights: everything.
    package static let administrator = Rights(principal: .administrator, roles: [], collections: [:])

    /// The collections of the database, including hidden ones; empty for an administrator.
    package var collectionKeys: some Collection<CollectionKey> { collections.keys }

    package var isAdministrator: Bool { principal.isAdministrator }

    /// Whether a login is still valid as far as the user is concerned: no new password, and no end of all sessions.
    package func areHeld(by login: LoginProof) -> Bool { sessionGeneration == login.generation }

    /// The access to a collection.
    package func access(to collection: CollectionKey) -> ChannelAccess {
        isAdministrator ? .full : collections[collection] ?? .publicOnly
    }

    /// Whether other rights have the same roles, and the same channels of each collection, whenever they were granted.
    package func hold(theSameAs other: Rights) -> Bool {
        roles == other.roles && isAdministrator == other.isAdministrator
            && collections.mapValues { Set($0.channels.keys) } == other.collections.mapValues { Set($0.channels.keys) }
    }
}

extension ChannelAccess {
    /// Whether the access is identical, including its history. With access to everything, lost channels do not matter.
    fileprivate func shows(theSameAs other: ChannelAccess) -> Bool {
        channels == other.channels && (seesEverything || lost == other.lost)
    }
}

/// The originator of a request.
package enum Principal: Hashable, Sendable {
    /// A client of the admin port, with all rights.
    case administrator

    /// A client without a login, if the database has the guest enabled.
    case guest

    /// A logged-in user.
    case user(String)

    package var isAdministrator: Bool { self == .administrator }

    /// The user's name in sync functions and sessions; `nil` for an administrator and the guest.
    package var userName: String? {
        if case .user(let name) = self { name } else { nil }
    }

    /// The owner of the grants; `nil` for an administrator, who needs none.
    package var grantee: Grantee? {
        switch self {
        case .administrator: nil
        case .guest: .user(User.guestName)
        case .user(let name): .user(name)
        }
    }
}
