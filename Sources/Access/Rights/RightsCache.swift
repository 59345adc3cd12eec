public import Storage
import Synchronization

/// Rights that were worked out, kept until the access changes on which they stand.
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
        guard let version = try snapshot.accessVersion else { return try unkept(principal, in: snapshot) }
        let entry = entries.withLock { $0[principal] }
        if let entry, entry.version == version { return entry.rights }
        let kept = try entry.flatMap {
            try $0.version < version && snapshot.isAccessUnchanged(of: $0.rights.grantees, since: $0.version) ? $0 : nil
        }
        let rights = try kept?.rights ?? RightsReader.rights(of: principal, in: snapshot)
        entries.withLock { $0.insert(Entry(version: version, rights: rights), for: principal) }
        return rights
    }

    /// In a transaction that has changed somebody's access: it may yet be undone, so nothing is kept.
    private func unkept(_ principal: Principal, in snapshot: any StoreSnapshot) throws -> Rights {
        if let entry = entries.withLock({ $0[principal] }),
            try snapshot.isAccessUnchanged(of: entry.rights.grantees, since: entry.version)
        {
            return entry.rights
        }
        return try RightsReader.rights(of: principal, in: snapshot)
    }
}
