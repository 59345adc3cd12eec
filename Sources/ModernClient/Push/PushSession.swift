import Documents
import ModernProtocol

/// The push of one collection over one connection: what is proposed, sent and done. A state machine without I/O.
struct PushSession: Sendable {
    /// More proposals of one change than these mean that the server does not know what it says.
    static let maximumProposals = 25

    /// What the server's answer to proposals leads to.
    struct Decisions: Sendable, Equatable {
        /// To be sent.
        var send: [LocalChange] = []
        /// To be proposed again, on top of another ancestor.
        var propose: [LocalChange] = []
        /// To be looked at again in the light of the server's revision, which ``PushSession/remote`` has now.
        var examine: [LocalChange] = []
        var finished: [Finished] = []
    }

    /// A change that is done, for this connection at least.
    struct Finished: Sendable, Equatable {
        let change: LocalChange
        let error: ReplicatorError?

        /// Whether the server had it already, so that nothing was sent.
        var wasOnServer = false
    }

    /// What need not be pushed any more.
    private(set) var completed: SequenceSet

    /// Up to where the local feed has been read.
    private(set) var position: Int64

    /// The server's revisions as last heard of, by document: what came from it and what went to it since the local feed showed it.
    private(set) var remote: [String: RevisionName] = [:]

    /// Changes that are being proposed or sent, by document.
    private(set) var active: [String: LocalChange] = [:]

    /// Newer changes of documents whose older ones are under way.
    private var waiting: [String: LocalChange] = [:]

    /// Changes that were not taken and may be later: by document, with the reason.
    private(set) var deferred: [String: Finished] = [:]

    /// Whether conflicts are left to the pull, which brings the server's revision and resolves them.
    private let resolvesConflicts: Bool

    init(completed: SequenceSet, resolvesConflicts: Bool) {
        self.completed = completed
        self.resolvesConflicts = resolvesConflicts
        position = completed.end
    }

    var isIdle: Bool { active.isEmpty && waiting.isEmpty }

    /// Whether there are changes that failed for now and are worth another try on this connection.
    var hasTransientFailures: Bool { deferred.values.contains { $0.error?.isTransient ?? false } }

    /// Changes that wait for the pull to bring what the server has instead.
    var conflicts: [Finished] {
        deferred.values.filter { $0.error?.isTransient != true }.sorted { $0.change.sequence < $1.change.sequence }
    }

    /// Whether a change is neither done nor under way.
    func isWanted(_ sequence: Int64, of id: String) -> Bool {
        !completed.contains(sequence) && active[id]?.sequence != sequence && waiting[id]?.sequence != sequence
    }

    /// Whether the server lacks what the document is here.
    ///
    /// - Parameters:
    ///   - sequence: Where the document stands in the local feed.
    ///   - names: What the server may call its winning revision.
    func hasUnpushedEdits(_ id: String, sequence: Int64, names: [RevisionName]) -> Bool {
        !(remote[id].map(names.contains) ?? false) && !completed.contains(sequence)
    }

    /// The server has this revision of a document.
    mutating func note(_ revision: RevisionName, of id: String) {
        remote[id] = revision
    }

    /// The local feed will not show this revision.
    mutating func forget(_ revision: RevisionName, of id: String) {
        if remote[id] == revision { remote[id] = nil }
    }

    /// The local feed has been read on.
    ///
    /// - Parameters:
    ///   - changes: What is to be pushed.
    ///   - conflicted: What cannot be pushed before the pull has resolved it.
    ///   - unchanged: Documents that were read and are what the server has.
    ///   - position: Up to where.
    /// - Returns: What is to be proposed.
    mutating func take(_ changes: [LocalChange], conflicted: [LocalChange] = [], unchanged: [String] = [], through position: Int64)
        -> [LocalChange]
    {
        if position > self.position { completed.insert((self.position + 1)...position) }
        for change in active.values { completed.remove(change.sequence) }
        for change in waiting.values { completed.remove(change.sequence) }
        for finished in deferred.values { completed.remove(finished.change.sequence) }
        self.position = position
        for id in unchanged {
            remote[id] = nil
            forget(id)
        }
        for change in conflicted { leave(change, nil) }
        var proposed: [LocalChange] = []
        for change in changes {
            forget(change.id)
            completed.remove(change.sequence)
            if active[change.id] != nil {
                if let older = waiting.updateValue(change, forKey: change.id) { completed.insert(older.sequence) }
                continue
            }
            proposed.append(begin(change))
        }
        return proposed
    }

    /// The server's revision, for which a change has waited, is here now, and need not have changed what the document is.
    ///
    /// - Returns: The change, to be looked at again; `nil` if none has waited.
    mutating func resume(after id: String) -> LocalChange? {
        guard let left = deferred[id], left.error?.isTransient != true, active[id] == nil else { return nil }
        deferred[id] = nil
        return begin(left.change)
    }

    /// A change whose conflict cannot be resolved is dealt with elsewhere: it holds up nothing.
    mutating func giveUp(_ change: LocalChange) {
        if deferred[change.id]?.change.sequence == change.sequence { forget(change.id) }
    }

    /// Goes back to the first change that is not done, to try once more what failed for now.
    mutating func rewind() {
        deferred = [:]
        position = min(position, completed.end)
    }

    /// The server's answer to proposals.
    mutating func answered(_ changes: [LocalChange], _ statuses: [ProposalStatus]) -> Decisions {
        var decisions = Decisions()
        for (change, status) in zip(changes, statuses) where active[change.id]?.sequence == change.sequence {
            switch status {
            case .wanted: decisions.send.append(change)
            case .known where change.isEnding, .conflict where change.isEnding: end(change, wasOnServer: true, &decisions)
            case .known where change.isLosing:
                remote[change.id] = change.name
                decisions.examine.append(change)
            case .known where change.isGrafted:
                var again = change
                again.isKnownElsewhere = true
                active[change.id] = again
                decisions.examine.append(again)
            case .known:
                remote[change.id] = change.name
                end(change, wasOnServer: true, &decisions)
            case .conflict(let current): conflict(change, current, &decisions)
            case .refused(let code):
                finish(change, ReplicatorError(.http(code), "The server refused \(change.id) in proposeChanges"), &decisions)
            }
        }
        return decisions
    }

    /// What looking at documents again has shown.
    ///
    /// - Parameter found: For each change the one to propose instead; `nil` if it has to wait for the pull.
    mutating func examined(_ changes: [(change: LocalChange, found: LocalChange?)]) -> Decisions {
        var decisions = Decisions()
        for (change, found) in changes where active[change.id]?.sequence == change.sequence {
            if var found {
                found.proposals = change.proposals
                found.wasSent = change.wasSent
                decisions.propose.append(begin(found))
            } else {
                lose(change, &decisions)
            }
        }
        return decisions
    }

    /// The server's reply to a revision.
    ///
    /// - Parameter error: `nil` if the server has it.
    mutating func replied(to sent: LocalChange, _ error: ReplicatorError?) -> Decisions {
        var decisions = Decisions()
        guard var change = active[sent.id], change.sequence == sent.sequence else { return decisions }
        guard let error else {
            remote[change.id] = change.name
            // The server does not have yet what the document is here: that is in conflict with what it has now.
            if sent.isLosing {
                change.wasSent = true
                active[change.id] = change
                decisions.examine.append(change)
            } else {
                end(change, wasOnServer: false, &decisions)
            }
            return decisions
        }
        if sent.isDelta, !change.isWantedWhole, error.isAboutDelta {
            var whole = change
            whole.isWantedWhole = true
            active[change.id] = whole
            decisions.send.append(whole)
        } else if error.code == .forbidden, !change.isSecondTry {
            var again = change
            again.isSecondTry = true
            decisions.propose.append(begin(again))
        } else if error.code == .httpConflict, change.isEnding {
            end(change, wasOnServer: true, &decisions)
        } else if error.code == .httpConflict {
            lose(change, &decisions)
        } else {
            finish(change, error, &decisions)
        }
        return decisions
    }

    /// Looking again has shown that the server has what is here, under whatever ID: nothing more has to go there.
    mutating func settled(_ change: LocalChange) -> Decisions {
        var decisions = Decisions()
        guard active[change.id]?.sequence == change.sequence else { return decisions }
        remote[change.id] = change.name
        finish(change, nil, wasOnServer: !change.wasSent, &decisions)
        return decisions
    }

    /// A change is no longer what the document is; the newer one follows in the local feed.
    mutating func superseded(_ change: LocalChange) -> Decisions {
        var decisions = Decisions()
        guard active[change.id]?.sequence == change.sequence else { return decisions }
        active[change.id] = nil
        completed.insert(change.sequence)
        resume(change.id, &decisions)
        return decisions
    }

    /// A branch is dealt with; the next one that ends here follows.
    private mutating func end(_ change: LocalChange, wasOnServer: Bool, _ decisions: inout Decisions) {
        guard var next = change.endings.first else { return finish(change, nil, wasOnServer: wasOnServer && !change.wasSent, &decisions) }
        next.endings = Array(change.endings.dropFirst())
        next.wasSent = change.wasSent || !wasOnServer
        decisions.propose.append(begin(next))
    }

    private mutating func conflict(_ change: LocalChange, _ current: String?, _ decisions: inout Decisions) {
        guard change.proposals < Self.maximumProposals else { return lose(change, &decisions) }
        var again = change
        if let current, let revision = RevisionName(current) {
            remote[change.id] = revision
            decisions.examine.append(change)
        } else if current != nil, change.parent != nil {
            again.parent = nil
            decisions.propose.append(begin(again))
        } else if current == nil, !again.otherParents.isEmpty {
            again.parent = again.otherParents.removeFirst()
            decisions.propose.append(begin(again))
        } else {
            lose(change, &decisions)
        }
    }

    /// The server has something else. What is here waits for the pull, if there is one.
    private mutating func lose(_ change: LocalChange, _ decisions: inout Decisions) {
        let error = ReplicatorError(.httpConflict, "\(change.id) was changed on the server, too")
        guard resolvesConflicts else { return finish(change, error, &decisions) }
        active[change.id] = nil
        if waiting[change.id] == nil { leave(change, error) } else { completed.insert(change.sequence) }
        resume(change.id, &decisions)
    }

    private mutating func finish(
        _ change: LocalChange, _ error: ReplicatorError?, wasOnServer: Bool = false, _ decisions: inout Decisions
    ) {
        active[change.id] = nil
        if let error, error.isTransient, error.code != .http(500), waiting[change.id] == nil {
            leave(change, error)
        } else {
            completed.insert(change.sequence)
        }
        decisions.finished.append(Finished(change: change, error: error, wasOnServer: wasOnServer))
        resume(change.id, &decisions)
    }

    private mutating func begin(_ change: LocalChange) -> LocalChange {
        var change = change
        change.proposals += 1
        active[change.id] = change
        return change
    }

    private mutating func resume(_ id: String, _ decisions: inout Decisions) {
        guard var next = waiting.removeValue(forKey: id) else { return }
        if let known = remote[id], next.follows(known) { next.parent = known }
        decisions.propose.append(begin(next))
    }

    private mutating func leave(_ change: LocalChange, _ error: ReplicatorError?) {
        forget(change.id)
        completed.remove(change.sequence)
        deferred[change.id] = Finished(change: change, error: error)
    }

    /// What failed of a document is of no concern any more: there is something newer.
    private mutating func forget(_ id: String) {
        guard let older = deferred.removeValue(forKey: id) else { return }
        completed.insert(older.change.sequence)
    }
}
