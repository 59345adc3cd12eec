/// Compares what is remembered of a server with what it says now: whether it was restored from a backup, or another one has taken its place.
struct ServerComparison: Sendable {
    enum Finding: Hashable, Sendable {
        /// It has all that it had.
        case same
        /// It may have lost something.
        ///
        /// - Parameters:
        ///   - from: The place that both sides agree about; `nil` for the beginning.
        ///   - why: In words.
        case restored(from: String?, why: String)
    }

    /// The half of the checkpoint that is remembered; `nil` if the server had none.
    let known: LocalCheckpoint?

    /// The server's half now; `nil` if it cannot be read.
    let there: RemoteCheckpoint?

    /// What the server said of the database before, by its name, and what it says now.
    let server: String?
    let identity: RemoteIdentity

    /// Up to where the server's feed was read, for a pull's checkpoint; `nil` for a push's, whose sequences are those here.
    let read: String?

    var finding: Finding {
        if let server, let name = identity.name, server != name { return .restored(from: nil, why: "it is another database than before") }
        let agreed = there.map { known?.reconciled(with: $0.lastSequence) } ?? known?.lastSequence
        if let known, let there, Self.isBehind(there, known) {
            let place = there.lastSequence.map { "is at \($0) there" } ?? "is no longer there"
            return .restored(from: limited(agreed), why: "its checkpoint \(place), and was at \(known.lastSequence)")
        }
        if let reached = identity.reached, let read = read.flatMap({ SequenceOrder.number($0) }), read > reached {
            return .restored(from: limited(agreed), why: "its last sequence is \(reached), and was \(read)")
        }
        return .same
    }

    /// Whether the server's half has gone back, and nobody else has written it.
    private static func isBehind(_ there: RemoteCheckpoint, _ known: LocalCheckpoint) -> Bool {
        // Also where neither has anything: the first half that was to be saved there may not have got there.
        guard there.lastSequence != known.previous else { return false }
        // What lies between may have got there late, with the answer lost.
        if let previous = known.previous, previous != known.lastSequence, !SequenceOrder.isBehind(there.lastSequence, previous) {
            return false
        }
        guard SequenceOrder.isBehind(there.lastSequence, known.lastSequence) else { return false }
        if let now = there.revisionNumber, let last = known.revision { return now <= last }
        return true
    }

    /// No place that the server has not reached.
    private func limited(_ place: String?) -> String? {
        guard read != nil, let place, let number = SequenceOrder.number(place), let reached = identity.reached else { return place }
        return number > reached ? nil : place
    }
}
