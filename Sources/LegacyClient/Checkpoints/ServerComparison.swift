import Documents

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

/// What a server says of a database (`GET /{db}/`) by which another database in its place is told.
struct RemoteIdentity: Hashable, Sendable {
    /// The longest name that is remembered.
    private static let longestName = 200

    /// What another database has another of: the cluster's ID of a Sync Gateway, the time at which a CouchDB from 2 on made the database. The
    /// `instance_start_time` of others is that of the server's start, and says nothing.
    let name: String?

    /// The database's last sequence, where sequences are numbers; those of CouchDB from 2 on are of several shards, each of which may be behind.
    let reached: Int64?

    /// A server that does not say.
    init() {
        name = nil
        reached = nil
    }

    /// - Parameter info: the answer.
    init(_ info: JSONValue, of features: ServerFeatures) {
        let start = features.hasLastingStartTime ? info["instance_start_time"]?.string : nil
        let name = [info["server_uuid"]?.string, start].compactMap { $0 }.first { !$0.isEmpty && $0 != "0" }
        self.name = name.map { String($0.prefix(Self.longestName)) }
        reached = info["update_seq"].flatMap { SequenceOrder.number($0.text) }
    }
}

extension JSONValue {
    fileprivate var text: String {
        switch self {
        case .string(let text), .number(let text): text
        default: ""
        }
    }
}

/// The order of a server's sequences, as far as it can be told.
enum SequenceOrder {
    /// A sequence that is a number and no more; `nil` for others.
    static func number(_ text: String) -> Int64? {
        text.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int64(text) : nil
    }

    /// Whether a checkpoint's place lies before another one. CouchDB's opaque sequences begin with a number that counts up.
    ///
    /// - Parameter place: `nil` for the beginning.
    static func isBehind(_ place: String?, _ other: String) -> Bool {
        guard let place else { return true }
        guard place != other else { return false }
        guard let one = count(place), let two = count(other) else { return true }
        return one < two
    }

    private static func count(_ text: String) -> Int64? {
        let digits = text.utf8.drop { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "\"") }.prefix { 0x30...0x39 ~= $0 }
        return Int64(String(decoding: digits, as: UTF8.self))
    }
}
