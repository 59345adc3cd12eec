import Documents
import ModernProtocol

/// The state of one collection's push over one connection: proposed, sent and completed changes. A state machine without I/O.
struct PushSession: Sendable {
    /// The maximum number of proposals of one change; more mean that the server's replies are inconsistent.
    static let maximumProposals = 25

    /// The actions that follow from a reply of the server.
    struct Decisions: Sendable, Equatable {
        /// Changes to send.
        var send: [LocalChange] = []
        /// Changes to propose again, on top of another ancestor.
        var propose: [LocalChange] = []
        /// Changes to re-examine with the server's revision in ``PushSession/remote``.
        var examine: [LocalChange] = []
        var finished: [Finished] = []
    }

    /// A change that is complete, at least for this connection.
    struct Finished: Sendable, Equatable {
        let change: LocalChange
        let error: ReplicatorError?

        /// Whether the server already had the change, so that nothing was sent.
        var wasOnServer = false
    }

    /// The local sequences that need no push.
    private(set) var completed: SequenceSet

    /// The sequence up to which the local feed has been read.
    private(set) var position: Int64

    /// The server's last known revisions, by document: revisions that were pulled or pushed since the local feed last contained the
    /// document.
    private(set) var remote: [String: RevisionName] = [:]

    /// Changes that are being proposed or sent, by document.
    private(set) var active: [String: LocalChange] = [:]

    /// Newer changes of documents with an active change.
    private var waiting: [String: LocalChange] = [:]

    /// Changes that were not accepted and may be later, by document, with the reason.
    private(set) var deferred: [String: Finished] = [:]

    /// Whether conflicts wait for the pull, which receives the server's revision and resolves them.
    private let resolvesConflicts: Bool

    init(completed: SequenceSet, resolvesConflicts: Bool) {
        self.completed = completed
        self.resolvesConflicts = resolvesConflicts
        position = completed.end
    }

    var isIdle: Bool { active.isEmpty && waiting.isEmpty }

    /// Whether there are changes that failed temporarily and justify a retry on this connection.
    var hasTransientFailures: Bool { deferred.values.contains { $0.error?.isTransient ?? false } }

    /// Changes that wait for the pull to receive the server's revision.
    var conflicts: [Finished] {
        deferred.values.filter { $0.error?.isTransient != true }.sorted { $0.change.sequence < $1.change.sequence }
    }

    /// Whether a change is neither complete nor in progress.
    func isWanted(_ sequence: Int64, of id: String) -> Bool {
        !completed.contains(sequence) && active[id]?.sequence != sequence && waiting[id]?.sequence != sequence
    }

    /// Whether the server lacks the document's local winner.
    ///
    /// - Parameters:
    ///   - sequence: The document's local sequence.
    ///   - names: The names that the server may have for the winner.
    func hasUnpushedEdits(_ id: String, sequence: Int64, names: [RevisionName]) -> Bool {
        !(remote[id].map(names.contains) ?? false) && !completed.contains(sequence)
    }

    /// Records the server's revision of a document.
    mutating func recordRemote(_ revision: RevisionName, of id: String) {
        remote[id] = revision
    }

    /// Removes the record of a revision that the local feed will not contain.
    mutating func forget(_ revision: RevisionName, of id: String) {
        if remote[id] == revision { remote[id] = nil }
    }

    /// Adds changes that were read from the local feed.
    ///
    /// - Parameters:
    ///   - changes: Changes to push.
    ///   - conflicted: Changes that cannot be pushed before the pull has resolved their conflicts.
    ///   - unchanged: Documents whose winner is the server's revision.
    ///   - position: The sequence up to which the feed was read.
    /// - Returns: The changes to propose.
    mutating func add(_ changes: [LocalChange], conflicted: [LocalChange] = [], unchanged: [String] = [], through position: Int64)
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
        for change in conflicted { postpone(change, nil) }
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

    /// Re-activates a deferred change after the server's revision was stored, which may have left the local winner unchanged.
    ///
    /// - Returns: The change to re-examine; `nil` if no change was waiting.
    mutating func resume(after id: String) -> LocalChange? {
        guard let left = deferred[id], left.error?.isTransient != true, active[id] == nil else { return nil }
        deferred[id] = nil
        return begin(left.change)
    }

    /// Completes a deferred change whose conflict cannot be resolved, because it is parked.
    mutating func abandon(_ change: LocalChange) {
        if deferred[change.id]?.change.sequence == change.sequence { forget(change.id) }
    }

    /// Resets the position to the first incomplete change, to retry temporary failures.
    mutating func rewind() {
        deferred = [:]
        position = min(position, completed.end)
    }

    /// Processes the server's reply to proposals.
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

    /// Processes the results of re-examined changes.
    ///
    /// - Parameter changes: Each change with the one to propose instead; `nil` if it has to wait for the pull.
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

    /// Processes the server's reply to a revision.
    ///
    /// - Parameter error: `nil` if the server accepted the revision.
    mutating func replied(to sent: LocalChange, _ error: ReplicatorError?) -> Decisions {
        var decisions = Decisions()
        guard var change = active[sent.id], change.sequence == sent.sequence else { return decisions }
        guard let error else {
            remote[change.id] = change.name
            // The server does not have the local winner yet: it conflicts with the revision that the server has now.
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
        } else if error.code == .httpConflict, followsServers(change), !change.isGrafted {
            // A server that was restored may have a part of the branch between its winner and this revision as a branch of its own. Sync Gateway
            // searches the history for the first revision that it has, and finds that part. Without it the pull would have nothing to resolve, and
            // the revision would be refused in each run.
            var grafted = change
            grafted.isGrafted = true
            active[change.id] = grafted
            decisions.send.append(grafted)
        } else if error.code == .httpConflict {
            lose(change, &decisions)
        } else {
            finish(change, error, &decisions)
        }
        return decisions
    }

    /// Whether the revision descends from the one that the server has named as its own, by tree IDs.
    private func followsServers(_ change: LocalChange) -> Bool {
        guard change.version == nil, case .tree(let parent)? = change.parent, remote[change.id] == change.parent else { return false }
        return change.ancestors.contains(parent)
    }

    /// Completes a re-examined change whose winner the server already has, under any ID.
    mutating func foundOnServer(_ change: LocalChange) -> Decisions {
        var decisions = Decisions()
        guard active[change.id]?.sequence == change.sequence else { return decisions }
        remote[change.id] = change.name
        finish(change, nil, wasOnServer: !change.wasSent, &decisions)
        return decisions
    }

    /// Completes a change that is no longer the document's winner; the newer change follows in the local feed.
    mutating func superseded(_ change: LocalChange) -> Decisions {
        var decisions = Decisions()
        guard active[change.id]?.sequence == change.sequence else { return decisions }
        active[change.id] = nil
        completed.insert(change.sequence)
        resume(change.id, &decisions)
        return decisions
    }

    /// Completes a branch, and proposes the next branch end of the document.
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

    /// Handles a conflict with the server. The change waits for the pull, if there is one.
    private mutating func lose(_ change: LocalChange, _ decisions: inout Decisions) {
        let error = ReplicatorError(.httpConflict, "\(change.id) was changed on the server, too")
        guard resolvesConflicts else { return finish(change, error, &decisions) }
        active[change.id] = nil
        if waiting[change.id] == nil { postpone(change, error) } else { completed.insert(change.sequence) }
        resume(change.id, &decisions)
    }

    private mutating func finish(
        _ change: LocalChange, _ error: ReplicatorError?, wasOnServer: Bool = false, _ decisions: inout Decisions
    ) {
        active[change.id] = nil
        if let error, error.isTransient, error.code != .http(500), waiting[change.id] == nil {
            postpone(change, error)
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

    private mutating func postpone(_ change: LocalChange, _ error: ReplicatorError?) {
        forget(change.id)
        completed.remove(change.sequence)
        deferred[change.id] = Finished(change: change, error: error)
    }

    /// Completes a deferred change of a document, because a newer change replaces it.
    private mutating func forget(_ id: String) {
        guard let older = deferred.removeValue(forKey: id) else { return }
        completed.insert(older.change.sequence)
    }
}
