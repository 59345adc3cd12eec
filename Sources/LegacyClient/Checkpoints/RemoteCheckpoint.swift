import Documents
import Storage

/// The server's half of a checkpoint, a `_local/` document. Unknown members are preserved.
struct RemoteCheckpoint: Hashable, Sendable {
    private var members: [JSONMember]

    /// A checkpoint that does not exist yet.
    init() {
        members = []
    }

    /// Reads the server's answer.
    ///
    /// - Throws: ``JSONError``; ``ReplicationError`` if it is not an object.
    init(_ json: [UInt8]) throws {
        guard case .object(let members) = try JSONValue(json, maximumDepth: 32) else {
            throw ReplicationError(.upstream, "The server's checkpoint is not an object")
        }
        self.members = members
    }

    /// The position of the replication. A number is read as its text, as in Couchbase Lite.
    var lastSequence: String? {
        switch members.first(where: { $0.key == "lastSequence" })?.value {
        case .string(let text): text
        case .number(let text): text
        default: nil
        }
    }

    /// Local sequences of revisions that the server had refused when this was written. They do not count as pushed.
    var refused: [Int64] {
        (members.first { $0.key == "refused" }?.value.array ?? []).compactMap { $0.int.map { Int64($0) } }
    }

    /// The restores of the local store when this was written.
    private var restores: RestoreHistory {
        RestoreHistory(numbers: (members.first { $0.key == "restores" }?.value.array ?? []).compactMap { $0.int.map { Int64($0) } })
    }

    /// The checkpoint of a push without the sequences that belong to other changes, because the local store was restored since this was written.
    func limited(to current: RestoreHistory) -> RemoteCheckpoint {
        guard let shared = current.shared(with: restores), let last = lastSequence.flatMap({ SequenceOrder.number($0) }),
            last > shared.value
        else { return self }
        var copy = self
        copy.set("lastSequence", .string(String(shared.value)))
        return copy
    }

    var revision: String? {
        get { members.first { $0.key == "_rev" }?.value.string }
        set { set("_rev", newValue.map { .string($0) }) }
    }

    /// The number of writes, from the revision `0-N`; `nil` if the revision has another form.
    var revisionNumber: Int64? {
        guard let revision, revision.hasPrefix("0-") else { return nil }
        return SequenceOrder.number(String(revision.dropFirst(2).prefix(18)))
    }

    /// The local checkpoint that agrees with this one; `nil` if this one has no position.
    var asKnown: LocalCheckpoint? {
        guard var known = lastSequence.map({ LocalCheckpoint(agreed: $0) }) else { return nil }
        known.revision = revisionNumber
        return known
    }

    /// The document to save for a position.
    ///
    /// - Parameters:
    ///   - refused: Local sequences of revisions that the server has refused.
    ///   - restores: The restores of the local store, for the checkpoint of a push.
    func saving(_ lastSequence: String, refused: [Int64] = [], restores: RestoreHistory = RestoreHistory()) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONValue.object(at(lastSequence, refused, restores).members).append(to: &bytes)
        return bytes
    }

    /// Records that the server has stored the result of ``saving(_:refused:restores:)``.
    ///
    /// - Parameter revision: The new revision.
    mutating func recordSaved(_ lastSequence: String, refused: [Int64], restores: RestoreHistory, as revision: String?) {
        self = at(lastSequence, refused, restores)
        self.revision = revision ?? self.revision
    }

    private func at(_ lastSequence: String, _ refused: [Int64], _ restores: RestoreHistory) -> RemoteCheckpoint {
        var copy = self
        copy.set("lastSequence", .string(lastSequence))
        copy.set("refused", refused.isEmpty ? nil : .array(refused.map { .number(String($0)) }))
        copy.set("restores", restores.isEmpty ? nil : .array(restores.numbers.map { .number(String($0)) }))
        return copy
    }

    private mutating func set(_ key: String, _ value: JSONValue?) {
        members.removeAll { $0.key == key }
        if let value { members.append(JSONMember(key, value)) }
    }
}

/// The position at which a push continues if the server had refused revisions when its half of the checkpoint was written.
///
/// Refused revisions that are no longer parked were accepted in a later retry. The server may have lost them: if it was restored from a backup
/// made between the checkpoint and the retry, its half of the checkpoint does not show it.
struct RefusedPlaces: Sendable {
    /// The sequence before the first revision that was accepted in a retry; `nil` if there is none.
    let start: Int64?

    /// Revisions after `start` that are still refused and must not be offered again.
    let passed: Set<Int64>

    /// - Parameters:
    ///   - before: Sequences of the revisions that the server had refused.
    ///   - now: Sequences of the revisions that are parked.
    ///   - agreed: The position on which both halves agree.
    init(before: [Int64], now: [Int64], upTo agreed: Int64) {
        let first = Set(before).subtracting(now).filter { 0 < $0 && $0 <= agreed }.min()
        start = first.map { $0 - 1 }
        passed = first == nil ? [] : Set(now.filter { $0 <= agreed })
    }
}
