/// The rows of the server's feed that are complete, in the order of arrival.
///
/// The server's sequences are opaque: a checkpoint is the last sequence before the first incomplete row. If the feed goes back to earlier
/// sequences, the checkpoint goes back too, which costs rows but no bodies.
struct RemoteProgress: Sendable {
    private struct Entry {
        /// The sequence of the row, in the form used as the lookup key.
        let key: String

        /// The last sequence before the next entry, as the server wrote it.
        var last: String

        /// The number of incomplete rows, and how many of them will not complete over this connection.
        var pending: Int
        var abandoned = 0
    }

    /// The start of the next pull: the JSON text of a sequence, as the server wrote it; `nil` for the start of the feed.
    private(set) var checkpoint: String?

    private var entries: [Entry] = []
    private var head = 0
    private var places: [String: Int] = [:]
    private var offset = 0

    /// The number of incomplete rows.
    private(set) var pending = 0

    init(checkpoint: String?) {
        self.checkpoint = checkpoint
    }

    /// Adds a row.
    ///
    /// - Parameter isDone: Whether the row needs no further work.
    mutating func add(_ sequence: String, isDone: Bool) {
        let key = Self.key(sequence)
        if let place = places[key] {
            if !isDone {
                entries[place - offset].pending += 1
                pending += 1
            }
            return
        }
        if isDone {
            if head == entries.count { checkpoint = sequence } else { entries[entries.count - 1].last = sequence }
            return
        }
        pending += 1
        places[key] = offset + entries.count
        entries.append(Entry(key: key, last: sequence, pending: 1))
    }

    /// Whether a row with this sequence is incomplete.
    func isPending(_ sequence: String) -> Bool {
        places[Self.key(sequence)] != nil
    }

    /// Completes a row. Other rows of the same sequence are counted separately.
    mutating func finish(_ sequence: String) {
        let key = Self.key(sequence)
        guard let place = places[key] else { return }
        // An abandoned row may still arrive.
        if isAwaited(place) { pending -= 1 } else { entries[place - offset].abandoned -= 1 }
        entries[place - offset].pending -= 1
        guard entries[place - offset].pending == 0 else { return }
        places[key] = nil
        while head < entries.count, entries[head].pending == 0 {
            checkpoint = entries[head].last
            head += 1
        }
        compact()
    }

    /// Abandons a row for this connection. The checkpoint stays before it, so that the server announces it again.
    mutating func abandon(_ sequence: String) {
        guard let place = places[Self.key(sequence)], isAwaited(place) else { return }
        entries[place - offset].abandoned += 1
        pending -= 1
    }

    private func isAwaited(_ place: Int) -> Bool {
        entries[place - offset].pending > entries[place - offset].abandoned
    }

    /// Removes completed rows; each run of them leaves only its last sequence, in the preceding incomplete entry.
    private mutating func compact() {
        guard head == entries.count || entries.count > 1024 + 4 * places.count else { return }
        var kept: [Entry] = []
        for entry in entries[head...] {
            if entry.pending == 0, let last = kept.indices.last { kept[last].last = entry.last } else { kept.append(entry) }
        }
        offset += entries.count
        entries = kept
        head = 0
        places = [:]
        for (index, entry) in kept.enumerated() { places[entry.key] = offset + index }
    }

    /// The sequence without quotes: servers write a composite sequence with or without them.
    private static func key(_ sequence: String) -> String {
        guard sequence.utf8.count >= 2, sequence.utf8.first == UInt8(ascii: "\""), sequence.utf8.last == UInt8(ascii: "\"") else {
            return sequence
        }
        return String(sequence.dropFirst().dropLast())
    }
}
