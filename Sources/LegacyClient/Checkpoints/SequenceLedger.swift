import Gateway

/// Which changes of a feed have been dealt with, and up to where that is all of them: the only place that a checkpoint may have.
struct SequenceLedger<Position: Sendable>: Sendable {
    private struct Entry: Sendable {
        let position: Position
        var open: Int
    }

    private var entries: [Entry] = []
    private var head = 0

    /// The ticket of the entry at `head`.
    private var first = 0

    /// Up to where everything has been dealt with; `nil` before anything has.
    private(set) var position: Position?

    /// How many entries have not been dealt with, or follow such a one.
    var count: Int { entries.count - head }

    /// Adds the feed's next change.
    ///
    /// - Parameter open: How many parts of it have to be dealt with.
    /// - Returns: Its ticket.
    mutating func add(_ position: Position, open: Int) -> Int {
        entries.append(Entry(position: position, open: open))
        let ticket = first + count - 1
        settle()
        return ticket
    }

    /// Notes that one part of a change has been dealt with.
    mutating func complete(_ ticket: Int) {
        let index = head + ticket - first
        guard index >= head, index < entries.count, entries[index].open > 0 else { return }
        entries[index].open -= 1
        settle()
    }

    private mutating func settle() {
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

/// Rows of the legacy upstream's feed that are to be noted when all their revisions have been dealt with.
struct PendingUpstreamRows: Sendable {
    private struct Entry: Sendable {
        let row: UpstreamRow
        var open: Int
    }

    private var entries: [Int: Entry] = [:]
    private var ready: [(ticket: Int, row: UpstreamRow)] = []

    /// - Parameter open: How many of its revisions have to be dealt with.
    mutating func add(_ row: UpstreamRow, ticket: Int, open: Int) {
        guard open > 0 else { return ready.append((ticket, row)) }
        entries[ticket] = Entry(row: row, open: open)
    }

    /// One of the row's revisions has been dealt with for good.
    mutating func complete(_ ticket: Int) {
        guard var entry = entries[ticket] else { return }
        entry.open -= 1
        entries[ticket] = entry.open > 0 ? entry : nil
        if entry.open == 0 { ready.append((ticket, entry.row)) }
    }

    /// The rows that can be noted now.
    mutating func takeReady() -> [(ticket: Int, row: UpstreamRow)] {
        defer { ready = [] }
        return ready
    }
}
