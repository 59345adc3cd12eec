/// The changes of a commit, as far as followers of feeds need them.
package struct Commit: Sendable {
    /// The database's counter after the commit.
    package let sequence: SequenceNumber

    /// Whether documents of the unified keyspace changed.
    package let touchesUnified: Bool

    /// The collections whose documents changed.
    package let collections: Set<CollectionKey>

    /// The users and roles whose access changed. Their feeds may gain or lose rows.
    package let access: AccessChange

    package var touchesAccess: Bool { !access.isEmpty }

    /// The channels whose feeds changed; `nil` if they are unknown or too many to list.
    ///
    /// A follower with access to a collection by channels only has nothing new if this set contains none of its channels.
    package let channels: Set<ChannelPlace>?

    package init(
        sequence: SequenceNumber, touchesUnified: Bool, collections: Set<CollectionKey>, access: AccessChange = .none,
        channels: Set<ChannelPlace>? = nil
    ) {
        self.sequence = sequence
        self.touchesUnified = touchesUnified
        self.collections = collections
        self.access = access
        self.channels = channels
    }

    package func touches(_ scope: FeedScope) -> Bool {
        switch scope {
        case .unified: touchesUnified
        case .collection(let key): collections.contains(key)
        }
    }
}

/// The users and roles whose properties or grants changed.
package enum AccessChange: Hashable, Sendable {
    /// The access of these users and roles.
    case of(Set<Grantee>)

    /// The access of everyone, or of unknown users and roles.
    case everyone

    /// The limit of listed users and roles. A larger change becomes ``everyone``.
    private static let maximumListed = 1_000

    package static let none = AccessChange.of([])

    package var isEmpty: Bool { self == .none }

    /// Whether the change concerns one of these grantees; for `nil`, whether it concerns any.
    package func concerns(_ grantees: Set<Grantee>?) -> Bool {
        switch self {
        case .everyone: grantees?.isEmpty != true
        case .of(let changed): grantees.map { !changed.isDisjoint(with: $0) } ?? !changed.isEmpty
        }
    }

    package mutating func insert(_ grantee: Grantee) {
        guard case .of(var changed) = self else { return }
        self = .none
        changed.insert(grantee)
        self = changed.count > Self.maximumListed ? .everyone : .of(changed)
    }
}
