/// The changes of a commit, as far as followers of feeds need them.
public struct Commit: Sendable {
    /// The database's counter after the commit.
    public let sequence: SequenceNumber

    /// Whether documents of the unified keyspace changed.
    public let touchesUnified: Bool

    /// The collections whose documents changed.
    public let collections: Set<CollectionKey>

    /// The users and roles whose access changed. Their feeds may gain or lose rows.
    public let access: AccessChange

    public var touchesAccess: Bool { !access.isEmpty }

    /// The channels whose feeds changed; `nil` if they are unknown or too many to list.
    ///
    /// A follower with access to a collection by channels only has nothing new if this set contains none of its channels.
    public let channels: Set<ChannelPlace>?

    public init(
        sequence: SequenceNumber, touchesUnified: Bool, collections: Set<CollectionKey>, access: AccessChange = .none,
        channels: Set<ChannelPlace>? = nil
    ) {
        self.sequence = sequence
        self.touchesUnified = touchesUnified
        self.collections = collections
        self.access = access
        self.channels = channels
    }

    public func touches(_ scope: FeedScope) -> Bool {
        switch scope {
        case .unified: touchesUnified
        case .collection(let key): collections.contains(key)
        }
    }
}

/// The users and roles whose properties or grants changed.
public enum AccessChange: Hashable, Sendable {
    /// The access of these users and roles.
    case of(Set<Grantee>)

    /// The access of everyone, or of unknown users and roles.
    case everyone

    /// The limit of listed users and roles. A larger change becomes ``everyone``.
    private static let named = 1_000

    public static let none = AccessChange.of([])

    public var isEmpty: Bool { self == .none }

    /// Whether the change concerns one of these grantees; for `nil`, whether it concerns any.
    public func concerns(_ grantees: Set<Grantee>?) -> Bool {
        switch self {
        case .everyone: grantees?.isEmpty != true
        case .of(let changed): grantees.map { !changed.isDisjoint(with: $0) } ?? !changed.isEmpty
        }
    }

    package mutating func insert(_ grantee: Grantee) {
        guard case .of(var changed) = self else { return }
        self = .none
        changed.insert(grantee)
        self = changed.count > Self.named ? .everyone : .of(changed)
    }
}
