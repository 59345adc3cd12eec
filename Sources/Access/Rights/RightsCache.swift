import Coordination
package import Storage

/// A cache of rights, whose entries are valid until the access that defines them changes.
///
/// Each database has one.
package final class RightsCache: Sendable {
    private struct Entry {
        let version: Int64
        let rights: Rights
    }

    private let entries: Lock<BoundedCache<Principal, Entry>>

    /// - Parameter capacity: The maximum number of principals.
    package init(capacity: Int = 10_000) {
        entries = Lock(BoundedCache(capacity: capacity))
    }

    /// The rights of a principal; see ``RightsReader/rights(of:in:)``.
    package func rights(of principal: Principal, in snapshot: any StoreSnapshot) throws -> Rights {
        guard !principal.isAdministrator else { return .administrator }
        guard let version = try snapshot.accessVersion else { return try uncached(principal, in: snapshot) }
        let entry = entries.withLock { $0[principal] }
        if let entry, entry.version == version { return entry.rights }
        let reusable = try entry.flatMap {
            try $0.version < version && snapshot.isAccessUnchanged(of: $0.rights.grantees, since: $0.version) ? $0 : nil
        }
        let rights = try reusable?.rights ?? RightsReader.rights(of: principal, in: snapshot)
        entries.withLock { $0.insert(Entry(version: version, rights: rights), for: principal) }
        return rights
    }

    /// The rights within a transaction that has changed access. They are not cached, because the transaction may be rolled back.
    private func uncached(_ principal: Principal, in snapshot: any StoreSnapshot) throws -> Rights {
        if let entry = entries.withLock({ $0[principal] }),
            try snapshot.isAccessUnchanged(of: entry.rights.grantees, since: entry.version)
        {
            return entry.rights
        }
        return try RightsReader.rights(of: principal, in: snapshot)
    }
}
