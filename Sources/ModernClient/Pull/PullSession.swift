import Documents

/// The state of one collection's pull over one connection: announced, requested and completed rows. A state machine without I/O.
struct PullSession: Sendable {
    /// The result of comparing a row of the server with the local database.
    enum RowStatus: Sendable, Equatable {
        /// The revision is stored.
        case known
        /// The revision is requested; these ancestors are stored.
        case wanted(ancestors: [RevisionName])
        /// The user has lost access to the document, which is handled locally.
        case removed
        /// The revision can never be stored here.
        case refused
    }

    private(set) var progress: RemoteProgress

    /// Whether the server has sent the caught-up message.
    private(set) var isCaughtUp = false

    /// The requested revisions that have not arrived, by document, in their order.
    private var requested: [String: [String]] = [:]

    init(checkpoint: String?) {
        progress = RemoteProgress(checkpoint: checkpoint)
    }

    /// The number of incomplete rows.
    var pending: Int { progress.pending }

    mutating func caughtUp() {
        isCaughtUp = true
    }

    /// Adds rows that were compared with the local database.
    ///
    /// - Returns: The body of the reply, and the number of revisions that it requests.
    mutating func announced(_ rows: [RemoteChange], _ statuses: [RowStatus]) -> (body: [UInt8], wanted: Int) {
        var body: [UInt8] = [UInt8(ascii: "[")]
        var end = 1
        var wanted = 0
        for (index, (row, status)) in zip(rows, statuses).enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            guard case .wanted(let ancestors) = status, requested[row.id]?.contains(row.revision) != true else {
                JSONWriter.append(0, to: &body)
                progress.add(row.sequence, isDone: status != .removed)
                continue
            }
            requested[row.id, default: []].append(row.revision)
            progress.add(row.sequence, isDone: false)
            wanted += 1
            body.append(UInt8(ascii: "["))
            for (index, ancestor) in ancestors.enumerated() {
                if index > 0 { body.append(UInt8(ascii: ",")) }
                JSONWriter.append(ancestor.description, to: &body)
            }
            body.append(UInt8(ascii: "]"))
            end = body.count
        }
        // Zeros at the end are optional.
        body.removeSubrange(end...)
        body.append(UInt8(ascii: "]"))
        return (body, wanted)
    }

    /// Whether a requested revision of a document has not arrived.
    func awaits(_ id: String) -> Bool {
        requested[id] != nil
    }

    /// Removes a requested revision that is stored or will not arrive.
    mutating func arrived(_ id: String) {
        requested[id]?.removeFirst()
        if requested[id]?.isEmpty == true { requested[id] = nil }
    }

    /// Completes a row: its revision is durable here or not needed.
    mutating func finish(_ sequence: String) {
        progress.finish(sequence)
    }

    /// Abandons a row for this connection. The checkpoint stays before it.
    mutating func abandon(_ sequence: String) {
        progress.abandon(sequence)
    }
}
