import Documents

/// The half of a checkpoint that the server keeps, a `_local/` document. Whatever else stands in it is sent back.
struct RemoteCheckpoint: Hashable, Sendable {
    private var members: [JSONMember]

    /// One that is not there yet.
    init() {
        members = []
    }

    /// What the server answered.
    ///
    /// - Throws: ``JSONError``; ``ReplicationError`` if it is no object.
    init(_ json: [UInt8]) throws {
        guard case .object(let members) = try JSONValue(json, maximumDepth: 32) else {
            throw ReplicationError(.upstream, "The server's checkpoint is no object")
        }
        self.members = members
    }

    /// How far the replication had come. A number counts as its text, as in Couchbase Lite.
    var lastSequence: String? {
        switch members.first(where: { $0.key == "lastSequence" })?.value {
        case .string(let text): text
        case .number(let text): text
        default: nil
        }
    }

    /// Places in the feed here of revisions that the server had refused when this was written, and that do not count as pushed.
    var refused: [Int64] {
        (members.first { $0.key == "refused" }?.value.array ?? []).compactMap { $0.int.map { Int64($0) } }
    }

    var revision: String? {
        get { members.first { $0.key == "_rev" }?.value.string }
        set { set("_rev", newValue.map { .string($0) }) }
    }

    /// How often it was written, by its revision `0-N`; `nil` if it does not say.
    var revisionNumber: Int64? {
        guard let revision, revision.hasPrefix("0-") else { return nil }
        return SequenceOrder.number(String(revision.dropFirst(2).prefix(18)))
    }

    /// What is remembered of it; `nil` if it says nothing.
    var asKnown: LocalCheckpoint? {
        guard var known = lastSequence.map({ LocalCheckpoint(agreed: $0) }) else { return nil }
        known.revision = revisionNumber
        return known
    }

    /// The document to save, at this place.
    func saving(_ lastSequence: String, refused: [Int64] = []) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONValue.object(at(lastSequence, refused: refused).members).append(to: &bytes)
        return bytes
    }

    /// The server has taken what ``saving(_:refused:)`` gave.
    ///
    /// - Parameter revision: The one that it has now.
    mutating func noteSaved(_ lastSequence: String, refused: [Int64], as revision: String?) {
        self = at(lastSequence, refused: refused)
        self.revision = revision ?? self.revision
    }

    private func at(_ lastSequence: String, refused: [Int64]) -> RemoteCheckpoint {
        var copy = self
        copy.set("lastSequence", .string(lastSequence))
        copy.set("refused", refused.isEmpty ? nil : .array(refused.map { .number(String($0)) }))
        return copy
    }

    private mutating func set(_ key: String, _ value: JSONValue?) {
        members.removeAll { $0.key == key }
        if let value { members.append(JSONMember(key, value)) }
    }
}

/// Where a push goes on whose server had refused revisions when its half of the checkpoint was written.
///
/// Those that are not parked any more it has taken since, when they were tried again. It may have lost them: if it was put back to a backup that was
/// made between, its half of the checkpoint does not show it.
struct RefusedPlaces: Sendable {
    /// The place before the first of them; `nil` if there is none.
    let start: Int64?

    /// What is refused as before, and is not to be offered again on the way from there.
    let passed: Set<Int64>

    /// - Parameters:
    ///   - before: Places of revisions that the server had refused.
    ///   - now: Places of those that are parked.
    ///   - agreed: The place that both halves agree about.
    init(before: [Int64], now: [Int64], upTo agreed: Int64) {
        let first = Set(before).subtracting(now).filter { 0 < $0 && $0 <= agreed }.min()
        start = first.map { $0 - 1 }
        passed = first == nil ? [] : Set(now.filter { $0 <= agreed })
    }
}
