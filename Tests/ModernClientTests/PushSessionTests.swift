import Documents
import TestSupport
import Testing

@testable import ModernClient
@testable import ModernProtocol

@Suite("State of a collection's push")
struct PushSessionTests {
    private static let one = revision(1), two = revision(2), three = revision(3)

    private static func revision(_ generation: Int) -> RevisionID {
        guard let revision = RevisionID(generation: generation, digest: String(repeating: "\(generation)", count: 2)) else {
            preconditionFailure("the digest is well-formed")
        }
        return revision
    }

    private func change(_ sequence: Int64, _ id: String = "doc", _ revision: RevisionID = one) -> LocalChange {
        LocalChange(sequence: sequence, id: id, revision: revision, isDeleted: false, size: 10)
    }

    /// A session in which one change is proposed.
    private func proposing(resolves: Bool = true) throws -> (PushSession, LocalChange) {
        var push = PushSession(completed: SequenceSet(), resolvesConflicts: resolves)
        let proposed = push.add([change(3)], through: 5)
        return (push, try #require(proposed.first))
    }

    private func error(_ code: ReplicatorError.Code) -> ReplicatorError { ReplicatorError(code, "no") }

    @Test("A change that is not pushed is finished at once, and a proposed one is not")
    func taking() throws {
        let (push, proposed) = try proposing()
        #expect(proposed.proposals == 1 && push.position == 5 && !push.isIdle)
        #expect(push.completed == SequenceSet(ranges: [0...2, 4...5]))
        #expect(!push.isWanted(3, of: "doc") && push.isWanted(6, of: "doc") && push.isWanted(3, of: "other"))
    }

    @Test("A wanted revision is sent, and is finished when the server has stored it")
    func wanted() throws {
        var (push, proposed) = try proposing()
        #expect(push.answered([proposed], [.wanted]) == PushSession.Decisions(send: [proposed]))
        #expect(push.completed.end == 2)
        #expect(push.replied(to: proposed, nil).finished == [PushSession.Finished(change: proposed, error: nil)])
        #expect(push.completed.end == 5 && push.isIdle && push.remote["doc"] == .tree(Self.one))
        // The local feed has it once more, as the server's revision.
        _ = push.add([], unchanged: ["doc"], through: 6)
        #expect(push.remote.isEmpty && push.completed.end == 6)
    }

    @Test("A descendant of the server's revision that is refused is sent once more as its child")
    func refusedDescendant() throws {
        var push = PushSession(completed: SequenceSet(), resolvesConflicts: true)
        var descendant = change(3, "doc", Self.three)
        descendant.ancestors = [Self.two, Self.one]
        let proposed = try #require(push.add([descendant], through: 5).first)
        #expect(push.answered([proposed], [.conflict(current: Self.one.text)]).examine == [proposed])
        var found = descendant
        found.parent = .tree(Self.one)
        let again = try #require(push.examined([(proposed, found)]).propose.first)
        #expect(push.answered([again], [.wanted]).send == [again])
        let sent = try #require(push.replied(to: again, error(.httpConflict)).send.first)
        #expect(sent.isGrafted && sent.parent == .tree(Self.one))
        #expect(push.replied(to: sent, error(.httpConflict)) == PushSession.Decisions())
        #expect(push.conflicts.map(\.change.sequence) == [3])
    }

    @Test("A revision that is pushed as a child of the server's, and is elsewhere in the local tree, is read again")
    func grafted() throws {
        var push = PushSession(completed: SequenceSet(), resolvesConflicts: true)
        var grafted = change(3)
        grafted.isGrafted = true
        let proposed = try #require(push.add([grafted], through: 5).first)
        var examined = proposed
        examined.isKnownElsewhere = true
        #expect(push.answered([proposed], [.known]) == PushSession.Decisions(examine: [examined]))
        #expect(push.completed.end == 2 && push.remote.isEmpty)
    }

    @Test("After the server has stored a losing branch, the document is read again", arguments: [true, false])
    func losing(_ isKnown: Bool) throws {
        var push = PushSession(completed: SequenceSet(), resolvesConflicts: true)
        var losing = change(3)
        losing.isLosing = true
        let proposed = try #require(push.add([losing], through: 5).first)
        let decisions = isKnown ? push.answered([proposed], [.known]) : push.replied(to: proposed, nil)
        var examined = proposed
        examined.wasSent = !isKnown
        #expect(decisions == PushSession.Decisions(examine: [examined]))
        #expect(push.remote["doc"] == .tree(Self.one) && push.completed.end == 2)
        // If nothing else follows, it is reported as pushed where something was sent, and is finished either way.
        var other = push
        let finished = try #require(other.foundOnServer(examined).finished.first)
        #expect(finished.error == nil && finished.wasOnServer == isKnown && other.isIdle && other.completed.end == 5)
        #expect(other.foundOnServer(examined) == PushSession.Decisions())
        // The conflict is left to the resolver.
        #expect(push.examined([(examined, nil)]).finished.isEmpty && push.isIdle && push.deferred["doc"] != nil)
    }

    @Test(
        "Ends of other branches follow one by one, whether or not the server has them",
        arguments: [ProposalStatus.known, .conflict(current: nil)])
    func endings(status: ProposalStatus) throws {
        var push = PushSession(completed: SequenceSet(), resolvesConflicts: true)
        var (winner, first, second) = (change(3), change(3, "doc", Self.two), change(3, "doc", Self.three))
        (first.isEnding, second.isEnding) = (true, true)
        first.endings = [second]
        winner.endings = [first, second]
        let proposed = try #require(push.add([winner], through: 5).first)
        let next = try #require(push.answered([proposed], [.known]).propose.first)
        #expect(next.revision == Self.two && next.endings.count == 1)
        let last = try #require(push.answered([next], [status]).propose.first)
        #expect(last.revision == Self.three && last.endings.isEmpty && !push.isIdle)
        #expect(push.answered([last], [.wanted]).send == [last])
        let finished = push.replied(to: last, status == .known ? nil : error(.httpConflict)).finished
        #expect(finished.map(\.wasOnServer) == [status != .known] && finished.map(\.error) == [nil])
        #expect(push.completed.end == 5 && push.isIdle && push.deferred.isEmpty)
    }

    @Test("A known revision is finished without being sent")
    func known() throws {
        var (push, proposed) = try proposing()
        #expect(push.answered([proposed], [.known]).finished == [PushSession.Finished(change: proposed, error: nil, wasOnServer: true)])
        #expect(push.completed.end == 5 && push.isIdle)
    }

    @Test("A transient refusal of a proposal waits for a retry, and any other finishes it", arguments: [403, 404, 408, 429, 500, 503])
    func refused(_ status: Int) throws {
        var (push, proposed) = try proposing()
        let decisions = push.answered([proposed], [.refused(status)])
        #expect(decisions.finished.map(\.error?.code) == [.http(status)])
        let waits = [408, 429, 503].contains(status)
        #expect(push.completed.contains(3) == !waits && push.hasTransientFailures == waits && push.isIdle)
        push.rewind()
        #expect(push.position == (waits ? 2 : 5) && push.isWanted(3, of: "doc") == waits)
    }

    @Test("The reply to a revision decides about a retry", arguments: [400, 401, 403, 404, 408, 409, 413, 422, 429, 500, 502, 503, 504])
    func replies(_ status: Int) throws {
        var (push, proposed) = try proposing()
        _ = push.answered([proposed], [.wanted])
        var decisions = push.replied(to: proposed, error(.http(status)))
        if status == 403 {
            // It is sent once more, in case the user has been given access meanwhile.
            #expect(decisions.finished.isEmpty && decisions.propose.map(\.isSecondTry) == [true])
            _ = push.answered(decisions.propose, [.wanted])
            decisions = push.replied(to: decisions.propose[0], error(.forbidden))
        }
        let waits = [408, 409, 429, 502, 503, 504].contains(status)
        #expect(decisions.finished.count == (status == 409 ? 0 : 1) && decisions.propose.isEmpty && decisions.send.isEmpty)
        #expect(push.completed.contains(3) == !waits && push.isIdle)
        #expect(push.hasTransientFailures == (waits && status != 409))
    }

    @Test("A refused delta is sent as a whole revision, once", arguments: [ReplicatorError.Code.http(422), .http(400), .deltaBaseUnknown])
    func deltas(_ code: ReplicatorError.Code) throws {
        var (push, proposed) = try proposing()
        _ = push.answered([proposed], [.wanted])
        proposed.isDelta = true
        var whole = push.replied(to: proposed, error(code)).send
        #expect(whole.map(\.isWantedWhole) == [true] && whole.map(\.isDelta) == [false] && push.completed.end == 2)
        whole[0].isDelta = true
        #expect(push.replied(to: whole[0], error(code)).finished.count == 1)
        #expect(push.isIdle)
    }

    @Test("A conflict waits for the pull, and is reported if nothing is pulled", arguments: [true, false])
    func conflicts(_ resolves: Bool) throws {
        var (push, proposed) = try proposing(resolves: resolves)
        let decisions = push.answered([proposed], [.conflict(current: nil)])
        #expect(decisions.finished.map(\.error?.code) == (resolves ? [] : [.httpConflict]))
        #expect(push.isIdle && push.completed.contains(3) == !resolves && !push.hasTransientFailures)
        // The result of the resolution is pushed, and the old change no longer matters.
        _ = push.add([change(6, "doc", Self.three)], through: 6)
        #expect(push.completed.contains(3) && !push.completed.contains(6))
    }

    @Test("A conflict with the server's revision is compared with it, and a conflict without it tries the ancestors")
    func ancestors() throws {
        var (push, proposed) = try proposing()
        let decisions = push.answered([proposed], [.conflict(current: Self.two.text)])
        #expect(decisions.examine == [proposed] && push.remote["doc"] == .tree(Self.two))
        let again = push.examined([(change: proposed, found: change(3, "doc", Self.three))])
        #expect(again.propose.map(\.proposals) == [2] && push.active["doc"]?.revision == Self.three)
        #expect(push.examined([(change: again.propose[0], found: nil)]).propose.isEmpty && push.isIdle)

        push = PushSession(completed: SequenceSet(), resolvesConflicts: false)
        var built = change(1, "doc", Self.three)
        built.parent = .tree(Self.two)
        built.otherParents = [.tree(Self.one), nil]
        var current = push.add([built], through: 1)
        var parents: [RevisionName?] = []
        while let next = current.first {
            parents.append(next.parent)
            current = push.answered([next], [.conflict(current: nil)]).propose
        }
        #expect(parents == [.tree(Self.two), .tree(Self.one), nil] && push.isIdle)
    }

    @Test("A newer change waits for the older one, whatever its result")
    func newer() throws {
        let ends: [(inout PushSession, LocalChange) -> PushSession.Decisions] = [
            { $0.answered([$1], [.known]) }, { $0.answered([$1], [.conflict(current: nil)]) }, { $0.answered([$1], [.refused(503)]) },
            { $0.replied(to: $1, nil) }, { $0.replied(to: $1, ReplicatorError(.http(500), "")) }, { $0.superseded($1) },
            { $0.examined([(change: $1, found: nil)]) },
        ]
        for end in ends {
            var (push, proposed) = try proposing()
            #expect(push.add([change(6, "doc", Self.two)], through: 6).isEmpty)
            #expect(push.add([change(7, "doc", Self.three)], through: 7).isEmpty)
            #expect(push.completed == SequenceSet(ranges: [0...2, 4...6]))
            #expect(end(&push, proposed).propose.map(\.revision) == [Self.three])
            #expect(push.completed == SequenceSet(ranges: [0...6]) && push.active["doc"]?.sequence == 7)
        }
    }

    @Test("Unexpected replies change nothing")
    func strayReplies() throws {
        var (push, proposed) = try proposing()
        _ = push.answered([proposed], [.wanted])
        _ = push.replied(to: proposed, nil)
        let before = push.completed
        for stray in [proposed, change(9), change(3, "other")] {
            #expect(push.answered([stray], [.wanted]) == PushSession.Decisions())
            #expect(push.replied(to: stray, nil) == PushSession.Decisions())
            #expect(push.replied(to: stray, error(.http(503))) == PushSession.Decisions())
            #expect(push.examined([(change: stray, found: change(3))]) == PushSession.Decisions())
            #expect(push.superseded(stray) == PushSession.Decisions())
        }
        #expect(push.completed == before && push.isIdle)
    }

    @Test("A server that always reports a conflict is not asked for ever", arguments: [RevisionID("1-99")?.text, ""])
    func endless(_ current: String?) throws {
        var (push, proposed) = try proposing()
        var count = 1
        while count < 1_000, push.active["doc"] != nil {
            var decisions = push.answered([proposed], [.conflict(current: current)])
            if decisions.examine.isEmpty == false { decisions = push.examined([(change: proposed, found: change(3))]) }
            guard let next = decisions.propose.first else { break }
            proposed = next
            count += 1
        }
        #expect(push.isIdle && count <= PushSession.maximumProposals)
    }

    @Test("Random events never finish a change in progress, and finish all changes in the end", arguments: 0..<60)
    func anyEvents(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var push = PushSession(completed: SequenceSet(), resolvesConflicts: generator.once(in: 2))
        var known: [LocalChange] = []
        var sequence: Int64 = 0
        func check() {
            for change in push.active.values { #expect(!push.completed.contains(change.sequence)) }
            for finished in push.deferred.values { #expect(!push.completed.contains(finished.change.sequence)) }
        }
        func note(_ decisions: PushSession.Decisions) { known += decisions.propose + decisions.send + decisions.examine }
        for _ in 0..<300 {
            let picked = known.randomElement(using: &generator)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0, 1:
                sequence += Int64.random(in: 1...3, using: &generator)
                let id = "d\(Int.random(in: 0..<4, using: &generator))"
                known += push.add([change(sequence, id, Self.revision(Int.random(in: 1...9, using: &generator)))], through: sequence)
            case 2: if let picked { note(push.answered([picked], [.wanted])) }
            case 3:
                let statuses: [ProposalStatus] = [
                    .known, .conflict(current: nil), .conflict(current: "4-44"), .refused(503), .refused(403),
                ]
                if let picked, let status = statuses.randomElement(using: &generator) { note(push.answered([picked], [status])) }
            case 4: if let picked { note(push.replied(to: picked, nil)) }
            case 5:
                let code = [403, 409, 422, 500, 503].randomElement(using: &generator) ?? 500
                if let picked { note(push.replied(to: picked, error(.http(code)))) }
            case 6: if let picked { note(push.examined([(change: picked, found: generator.once(in: 2) ? picked : nil)])) }
            default:
                if let picked { note(push.superseded(picked)) }
                if generator.once(in: 3) {
                    push.rewind()
                    // The local feed repeats its rows.
                    sequence = max(sequence, push.position)
                }
            }
            check()
        }
        for _ in 0..<20 { for change in push.active.values { note(push.replied(to: change, nil)) } }
        #expect(push.isIdle)
        check()
    }
}
