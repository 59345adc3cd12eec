import Coordination
import Logging
import Storage

/// The state of databases whose stores other bridges may have.
extension DatabaseRegistry {
    /// The databases whose store's server cannot be reached, with the reasons.
    var unreachable: [String: String] { state.withLock { $0.unreachable } }

    /// Records that a database's store cannot be reached; `nil` that it is no longer to be opened.
    func setUnreachable(_ name: String, _ error: StorageError?) {
        let isNew = state.withLock { state in
            defer { state.unreachable[name] = error?.message }
            return state.unreachable[name] == nil
        }
        guard let error, isNew else { return }
        logger.error(
            "the store of a database cannot be reached; its requests are answered with 503, and it is tried again",
            metadata: ["database": "\(name)", "error": "\(error)"])
    }

    /// Gives up the leases of the work that must run once, in the background: other bridges take them at once, and this one takes none.
    func resign() {
        stopping.raise()
        handOver.start { [self] in
            await opener.stop()
            await withTaskGroup(of: Void.self) { group in
                for lease in names.compactMap({ self[$0]?.lease }) {
                    group.addTask { await lease.resign() }
                }
            }
        }
    }

    /// Warns that a change on the admin port of a database of the file does not hold at other bridges.
    ///
    /// - Returns: The warning for the administrator; `nil` if no other bridge serves the database, or if all bridges follow the change.
    func warnOfOtherBridges(_ name: String) -> String? {
        guard let running = self[name], running.origin == .file, let others = running.lease?.otherNames, !others.isEmpty else { return nil }
        logger.warning(
            "a configuration was changed at this bridge alone; change the file at all bridges, and reload it (SIGHUP)",
            metadata: ["database": "\(name)", "others": "\(others.joined(separator: ", "))"])
        return "The change holds at this bridge until its next start, and not at the other bridges of this database "
            + "(\(others.joined(separator: ", "))). Change the configuration file of all bridges, and reload it (SIGHUP)"
    }

    /// The stores in a home that bridges share, as last read.
    var sharedNames: [String] {
        get { state.withLock { $0.sharedNames } }
        set { state.withLock { $0.sharedNames = newValue } }
    }

    /// The stored configuration of a database created on the admin port, as last written or followed here.
    func followed(_ name: String) -> String? { state.withLock { $0.followed[name] } }

    func setFollowed(_ name: String, _ text: String?) { state.withLock { $0.followed[name] = text } }
}
