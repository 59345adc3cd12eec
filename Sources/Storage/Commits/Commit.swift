/// What a commit changed, for those who follow feeds.
public struct Commit: Sendable {
    /// The database's counter after the commit.
    public let sequence: SequenceNumber

    /// Whether documents of the unified keyspace changed.
    public let touchesUnified: Bool

    /// The collections whose documents changed.
    public let collections: Set<CollectionKey>

    /// Whose access changed. A feed may have more to send to them, or less.
    public let access: AccessChange

    public var touchesAccess: Bool { !access.isEmpty }

    /// The channels whose feeds changed. Who sees a collection by its channels alone has nothing new if none of theirs is among them.
    /// `nil` if they are not known, or too many to be named.
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

/// Whose access was changed: what users and roles are, and what they were given.
public enum AccessChange: Hashable, Sendable {
    /// That of these users and roles.
    case of(Set<Grantee>)

    /// That of everybody, or it is not known whose.
    case everyone

    /// More are not named.
    private static let named = 1_000

    public static let none = AccessChange.of([])

    public var isEmpty: Bool { self == .none }

    /// Whether it is about one of these; by `nil` about anybody.
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
