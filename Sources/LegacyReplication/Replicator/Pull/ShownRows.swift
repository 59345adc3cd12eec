import Gateway

/// Rows of the legacy upstream's feed that are to be noted when all their revisions have been dealt with.
struct ShownRows: Sendable {
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
