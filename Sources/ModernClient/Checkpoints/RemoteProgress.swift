/// Which rows of the server's feed have been dealt with, in the order in which they came.
///
/// The server's sequences are opaque: a checkpoint is the last one before the first row that is not done. A feed that goes back in time
/// takes the checkpoint back with it, which costs rows and no bodies.
struct RemoteProgress: Sendable {
    private struct Entry {
        /// The sequence of the row, by which it is found.
        let key: String

        /// The last sequence up to the next entry, as the server wrote it.
        var last: String

        /// Rows that are not done, and how many of them will not be over this connection.
        var pending: Int
        var abandoned = 0
    }

    /// Where the next pull goes on: the JSON text of a sequence, as the server wrote it; `nil` for the start.
    private(set) var checkpoint: String?

    private var entries: [Entry] = []
    private var head = 0
    private var places: [String: Int] = [:]
    private var offset = 0

    /// How many rows are to be done yet.
    private(set) var pending = 0

    init(checkpoint: String?) {
        self.checkpoint = checkpoint
    }

    /// A row has come.
    ///
    /// - Parameter isDone: Whether nothing remains to be done for it.
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

    /// Whether a row with this sequence is not done.
    func isPending(_ sequence: String) -> Bool {
        places[Self.key(sequence)] != nil
    }

    /// A row has been dealt with. Others of the same sequence count for themselves.
    mutating func finish(_ sequence: String) {
        let key = Self.key(sequence)
        guard let place = places[key] else { return }
        // One that was given up may come after all.
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

    /// A row will not be done over this connection. The checkpoint stays before it, so that the server offers it again.
    mutating func abandon(_ sequence: String) {
        guard let place = places[Self.key(sequence)], isAwaited(place) else { return }
        entries[place - offset].abandoned += 1
        pending -= 1
    }

    private func isAwaited(_ place: Int) -> Bool {
        entries[place - offset].pending > entries[place - offset].abandoned
    }

    /// Forgets rows that are done: what is left of them is the last sequence before the next that is not.
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

    /// A composite sequence is written with quotes or without them.
    private static func key(_ sequence: String) -> String {
        guard sequence.utf8.count >= 2, sequence.utf8.first == UInt8(ascii: "\""), sequence.utf8.last == UInt8(ascii: "\"") else {
            return sequence
        }
        return String(sequence.dropFirst().dropLast())
    }
}
