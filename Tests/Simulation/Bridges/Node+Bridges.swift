import Storage
import TestSupport

/// The life of several bridges with one store.
extension Node {
    /// The bridge that does the work which must run once. Another one takes it over if the last one is dead or paused.
    ///
    /// - Throws: ``Violation`` if no bridge takes it over in its time.
    @discardableResult
    func worker() async throws -> Site {
        guard isShared else { return sites[0] }
        if !sites.contains(where: \.isUp) { try await recover() }
        if workDatabase != nil, sites[working].isUp, sites[working].lease?.isHeld == true { return sites[working] }
        let end = time + BridgeMember.deathTime + BridgeMember.interval * 2
        while time < end {
            time += BridgeMember.interval
            for site in sites where site.isUp { try await site.lease?.beat(site.store.engine, at: time) }
            let holders = sites.filter { $0.isUp && $0.lease?.isHeld == true }
            guard holders.count < 2 else { throw Violation(invariant: .fencing, detail: "two bridges have the lease") }
            guard let holder = holders.first else { continue }
            setWorker(holder)
            return holder
        }
        throw Violation(invariant: .fencing, detail: "no bridge takes the work over")
    }

    /// Waits until the bridges reach the engine again, if it was away.
    ///
    /// - Returns: Whether it was away.
    func reconnect() async throws -> Bool {
        let wasAway = sites.contains(where: \.store.isCutOff)
        place.reconnect()
        guard wasAway else { return false }
        for site in sites where site.isUp && isShared {
            // The bridge does not connect for a moment after it has failed to.
            await eventually {
                let isRead = (try? await site.store.engine.read { try $0.lastSequence }) != nil
                return (try? await site.store.engine.write { _ in }) != nil && isRead
            }
        }
        return true
    }

    /// The bridge for an administrator's request: not the one that does the work, if there is another one.
    var administered: Site { site(working + 1) }
}
