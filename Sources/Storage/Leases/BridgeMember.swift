/// A bridge's view of the other bridges with the same store, and of its own lease of the work that must run once. A value without I/O.
///
/// The clocks of two machines are never compared: a bridge counts as dead when its number of signs of life has not changed for ``deathTime`` of the
/// observer's clock. The holder gives up earlier, when its own sign of life was not written for ``patience``. A holder that was paused for longer
/// does not notice that in time; its writes are refused by the fence.
package struct BridgeMember: Hashable, Sendable {
    /// The interval of the signs of life.
    package static let interval = Duration.seconds(2)

    /// The time without a sign of life after which the holder stops its work.
    package static let patience = Duration.seconds(7)

    /// The time without a sign of life after which another bridge takes the work over.
    package static let deathTime = Duration.seconds(10)

    /// The time without a sign of life after which a bridge is removed from the roster.
    package static let removalTime = Duration.seconds(60)

    private struct Sighting: Hashable {
        let beat: Int64
        let time: Duration
    }

    package let id: String
    private let name: String
    private let started: Int64

    /// The fence under which this bridge does the work; `nil` if it does not.
    package private(set) var lease: Int64?

    /// Whether this bridge stops soon: it takes no lease.
    private var isStopping: Bool

    /// The other bridges as last seen, with the times of this bridge's clock.
    private var sightings: [String: Sighting] = [:]
    private var lastBeat: Duration?

    /// - Parameters:
    ///   - id: A unique ID of the process.
    ///   - name: Its name for operators.
    ///   - started: The time of its start, in milliseconds since 1970.
    ///   - isStopping: Whether it stops soon.
    package init(id: String, name: String, started: Int64, isStopping: Bool = false) {
        self.id = id
        self.name = name
        self.started = started
        self.isStopping = isStopping
    }

    /// Gives a sign of life. The result holds once the roster is durable.
    ///
    /// - Parameters:
    ///   - roster: The stored roster; it gets this bridge's sign of life.
    ///   - now: The time of a clock that goes on while the process is paused.
    ///   - clients: This bridge's open connections.
    ///   - stage: The stage of the cutover that this bridge has entered.
    /// - Returns: The member after the sign of life.
    package func beating(_ roster: inout BridgeRoster, at now: Duration, clients: Int, stage: String? = nil) -> BridgeMember {
        var next = self
        next.look(at: roster, now)
        roster.bridges = roster.bridges.filter { $0.key == id || !next.isSilent($0.key, for: Self.removalTime, at: now) }
        let beat = roster.bridges[id].map { $0.beat + 1 } ?? 1
        roster.bridges[id] = BridgeRoster.Bridge(
            name: name, started: started, beat: beat, clients: clients, stage: stage, isStopping: isStopping ? true : nil)
        next.lastBeat = now
        if isStopping {
            if roster.holder == id { roster.holder = nil }
        } else if roster.holder != id, next.isFree(roster, at: now) {
            roster.holder = id
            roster.fence += 1
        }
        next.lease = roster.holder == id ? roster.fence : nil
        return next
    }

    /// The time since this bridge has seen a new sign of life of a bridge; `nil` for an unknown one.
    package func silence(of bridge: String, at now: Duration) -> Duration? {
        let last = bridge == id ? lastBeat : sightings[bridge]?.time
        return last.map { max(.zero, now - $0) }
    }

    /// Whether no sign of life was written for ``patience``, so that other bridges may soon count this one as dead.
    package func isOverdue(at now: Duration) -> Bool { lastBeat.map { now - $0 > Self.patience } ?? true }

    /// Gives the lease up if no sign of life was written for too long.
    package mutating func expire(at now: Duration) {
        if isOverdue(at: now) { lease = nil }
    }

    /// Gives the lease up with the next sign of life, and takes none from then on.
    package mutating func resign() {
        isStopping = true
        lease = nil
    }

    /// Leaves the roster, so that another bridge takes the work over at once.
    package func leave(_ roster: inout BridgeRoster) {
        roster.bridges[id] = nil
        if roster.holder == id { roster.holder = nil }
    }

    private mutating func look(at roster: BridgeRoster, _ now: Duration) {
        sightings = sightings.filter { roster.bridges[$0.key] != nil }
        for (other, bridge) in roster.bridges where sightings[other]?.beat != bridge.beat {
            sightings[other] = Sighting(beat: bridge.beat, time: now)
        }
    }

    /// Whether nobody holds the lease.
    private func isFree(_ roster: BridgeRoster, at now: Duration) -> Bool {
        guard let holder = roster.holder, roster.bridges[holder] != nil else { return true }
        return isSilent(holder, for: Self.deathTime, at: now)
    }

    private func isSilent(_ other: String, for time: Duration, at now: Duration) -> Bool {
        sightings[other].map { now - $0.time >= time } ?? false
    }
}
