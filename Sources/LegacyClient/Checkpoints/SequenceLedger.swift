import Gateway

/// Records which changes of a feed are done, and the position up to which all of them are: the only valid position for a checkpoint.
struct SequenceLedger<Position: Sendable>: Sendable {
    private struct Entry: Sendable {
        let position: Position
        var open: Int
    }

    private var entries: [Entry] = []
    private var head = 0

    /// The ticket of the entry at `head`.
    private var first = 0

    /// The position up to which all changes are done; `nil` if there is none.
    private(set) var position: Position?

    /// The number of entries after ``position``, open or waiting for an open one.
    var count: Int { entries.count - head }

    /// Adds the feed's next change.
    ///
    /// - Parameter open: The number of its parts that have to be done.
    /// - Returns: The change's ticket for ``complete(_:)``.
    mutating func add(_ position: Position, open: Int) -> Int {
        entries.append(Entry(position: position, open: open))
        let ticket = first + count - 1
        advance()
        return ticket
    }

    /// Records that one part of a change is done.
    mutating func complete(_ ticket: Int) {
        let index = head + ticket - first
        guard index >= head, index < entries.count, entries[index].open > 0 else { return }
        entries[index].open -= 1
        advance()
    }

    private mutating func advance() {
        while head < entries.count, entries[head].open == 0 {
            position = entries[head].position
            head += 1
            first += 1
        }
        if head > 1024, head * 2 > entries.count {
            entries.removeFirst(head)
            head = 0
        }
    }
}

/// Rows of the legacy upstream's feed that are recorded when all their revisions are done.
struct PendingUpstreamRows: Sendable {
    private struct Entry: Sendable {
        let row: UpstreamRow
        var open: Int
    }

    private var entries: [Int: Entry] = [:]
    private var ready: [(ticket: Int, row: UpstreamRow)] = []

    /// - Parameter open: The number of the row's revisions that have to be done.
    mutating func add(_ row: UpstreamRow, ticket: Int, open: Int) {
        guard open > 0 else { return ready.append((ticket, row)) }
        entries[ticket] = Entry(row: row, open: open)
    }

    /// Records that one of the row's revisions is done permanently.
    mutating func complete(_ ticket: Int) {
        guard var entry = entries[ticket] else { return }
        entry.open -= 1
        entries[ticket] = entry.open > 0 ? entry : nil
        if entry.open == 0 { ready.append((ticket, entry.row)) }
    }

    /// Removes and returns the rows that can be recorded.
    mutating func takeReady() -> [(ticket: Int, row: UpstreamRow)] {
        defer { ready = [] }
        return ready
    }
}
