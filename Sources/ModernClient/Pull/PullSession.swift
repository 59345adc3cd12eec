import Documents

/// The pull of one collection over one connection: what was announced, asked for and is done. A state machine without I/O.
struct PullSession: Sendable {
    /// What is to be done about a row of the server's.
    enum Verdict: Sendable, Equatable {
        /// It is here.
        case known
        /// It is asked for; these are here.
        case wanted(ancestors: [RevisionName])
        /// The user has lost access to the document: it is seen to here.
        case removed
        /// It cannot be kept here, and never will be.
        case refused
    }

    private(set) var progress: RemoteProgress

    /// Whether the server has said that there is nothing more for now.
    private(set) var isCaughtUp = false

    /// The revisions that were asked for and have not come, by document, in their order.
    private var requested: [String: [String]] = [:]

    init(checkpoint: String?) {
        progress = RemoteProgress(checkpoint: checkpoint)
    }

    /// Rows that are not done.
    var pending: Int { progress.pending }

    mutating func caughtUp() {
        isCaughtUp = true
    }

    /// Rows have come and been compared with what is here.
    ///
    /// - Returns: The body of the answer, and how many revisions it asks for.
    mutating func announced(_ rows: [RemoteChange], _ verdicts: [Verdict]) -> (body: [UInt8], wanted: Int) {
        var body: [UInt8] = [UInt8(ascii: "[")]
        var end = 1
        var wanted = 0
        for (index, (row, verdict)) in zip(rows, verdicts).enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            guard case .wanted(let ancestors) = verdict, requested[row.id]?.contains(row.revision) != true else {
                JSONWriter.append(0, to: &body)
                progress.add(row.sequence, isDone: verdict != .removed)
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
        // Zeros at the end go without saying.
        body.removeSubrange(end...)
        body.append(UInt8(ascii: "]"))
        return (body, wanted)
    }

    /// Whether a revision of a document was asked for and has not come.
    func awaits(_ id: String) -> Bool {
        requested[id] != nil
    }

    /// A revision that was asked for has come and is stored, or will not be.
    mutating func arrived(_ id: String) {
        requested[id]?.removeFirst()
        if requested[id]?.isEmpty == true { requested[id] = nil }
    }

    /// A row is done for good: what it brought is durable here, or of no use.
    mutating func finish(_ sequence: String) {
        progress.finish(sequence)
    }

    /// A row cannot be dealt with now. The checkpoint stays before it.
    mutating func abandon(_ sequence: String) {
        progress.abandon(sequence)
    }
}
