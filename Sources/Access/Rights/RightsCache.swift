public import Storage
import Synchronization

/// Rights that were worked out, kept until the next change of anybody's access.
///
/// One for each database.
public final class RightsCache: Sendable {
    private struct Entry {
        let version: Int64
        let rights: Rights
    }

    private let entries: Mutex<BoundedCache<Principal, Entry>>

    /// - Parameter capacity: for how many principals rights are kept.
    public init(capacity: Int = 10_000) {
        entries = Mutex(BoundedCache(capacity: capacity))
    }

    /// What a principal may do; see ``RightsReader/rights(of:in:)``.
    public func rights(of principal: Principal, in snapshot: any StoreSnapshot) throws -> Rights {
        guard !principal.isAdministrator else { return .administrator }
        guard let version = try snapshot.accessVersion else { return try RightsReader.rights(of: principal, in: snapshot) }
        if let entry = entries.withLock({ $0[principal] }), entry.version == version { return entry.rights }
        let rights = try RightsReader.rights(of: principal, in: snapshot)
        entries.withLock { $0.insert(Entry(version: version, rights: rights), for: principal) }
        return rights
    }
}
