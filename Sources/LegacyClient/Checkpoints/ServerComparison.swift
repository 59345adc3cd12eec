import Documents

/// Compares the recorded state of a server with its current state, to detect that it was restored from a backup or replaced by another server.
struct ServerComparison: Sendable {
    enum Finding: Hashable, Sendable {
        /// The server has lost nothing.
        case same
        /// The server may have lost revisions.
        ///
        /// - Parameters:
        ///   - from: The position on which both sides agree; `nil` for the start.
        ///   - why: A phrase for the error message.
        case restored(from: String?, why: String)
    }

    /// The recorded half of the checkpoint; `nil` if the server had none.
    let known: LocalCheckpoint?

    /// The server's current half; `nil` if it cannot be read.
    let there: RemoteCheckpoint?

    /// The server's recorded identity, and its current one.
    let server: String?
    let identity: RemoteIdentity

    /// For a pull's checkpoint, the position up to which the server's feed was read; `nil` for a push's, whose sequences are local.
    let read: String?

    var finding: Finding {
        if let server, let name = identity.name, server != name { return .restored(from: nil, why: "it is another database than before") }
        let agreed = there.map { known?.reconciled(with: $0.lastSequence) } ?? known?.lastSequence
        if let known, let there, Self.isBehind(there, known) {
            let place = there.lastSequence.map { "is at \($0) there" } ?? "is no longer there"
            return .restored(from: limited(agreed), why: "its checkpoint \(place), but was at \(known.lastSequence)")
        }
        if let reached = identity.reached, let read = read.flatMap({ SequenceOrder.number($0) }), read > reached {
            return .restored(from: limited(agreed), why: "its last sequence is \(reached), but was \(read)")
        }
        return .same
    }

    /// Whether the server's half has gone back without a write by another client.
    private static func isBehind(_ there: RemoteCheckpoint, _ known: LocalCheckpoint) -> Bool {
        // This includes a half that neither side has: the first save may not have reached the server.
        guard there.lastSequence != known.previous else { return false }
        // A half between the two may have been saved late, with the answer lost.
        if let previous = known.previous, previous != known.lastSequence, !SequenceOrder.isBehind(there.lastSequence, previous) {
            return false
        }
        guard SequenceOrder.isBehind(there.lastSequence, known.lastSequence) else { return false }
        if let now = there.revisionNumber, let last = known.revision { return now <= last }
        return true
    }

    /// The position, or `nil` if the server's last sequence is before it.
    private func limited(_ place: String?) -> String? {
        guard read != nil, let place, let number = SequenceOrder.number(place), let reached = identity.reached else { return place }
        return number > reached ? nil : place
    }
}

/// The identity of a database from `GET /{db}/`, by which another database in its place is detected.
struct RemoteIdentity: Hashable, Sendable {
    /// The maximum length of a recorded name.
    private static let longestName = 200

    /// A value that differs between databases: the cluster's ID of a Sync Gateway, or the creation time of a database of CouchDB 2 and later. The
    /// `instance_start_time` of other servers is the time of their start, and is not used.
    let name: String?

    /// The database's last sequence if it is a number. CouchDB 2 and later has sequences of several shards, each of which may be behind.
    let reached: Int64?

    /// An unknown identity.
    init() {
        name = nil
        reached = nil
    }

    /// - Parameter info: The answer to `GET /{db}/`.
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

/// The order of a server's sequences, as far as it is known.
enum SequenceOrder {
    /// The value of a sequence that consists of digits only; `nil` for others.
    static func number(_ text: String) -> Int64? {
        text.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int64(text) : nil
    }

    /// Whether a checkpoint's position is before another one. CouchDB's opaque sequences begin with an increasing number. Unknown orders count as
    /// before.
    ///
    /// - Parameter place: `nil` for the start.
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
