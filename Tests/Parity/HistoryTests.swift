import Testing

/// The machine itself: what it draws, keeps, compares and leaves out.
@Suite("Histories")
struct HistoryTests {
    private func history(_ seed: UInt64, _ dialect: Dialect = .gateway32) -> History {
        var generator = HistoryGenerator(seed: seed, dialect: dialect)
        return generator.history()
    }

    @Test("A seed gives the same history each time, and its text gives it again", arguments: Dialect.allCases)
    func text(_ dialect: Dialect) throws {
        for seed in 1...200 as ClosedRange<UInt64> {
            let drawn = history(seed, dialect)
            #expect(history(seed, dialect) == drawn)
            #expect(try History(parsing: drawn.lines) == drawn, "\(drawn)")
        }
    }

    @Test("Everything that can happen is drawn")
    func coverage() {
        let text = (1...300 as ClosedRange<UInt64>).map { history($0).description }.joined(separator: "\n")
        for word in [
            "account role:", "account GUEST", "disabled", "drop ", "batch", "replicated", "parent=", "deleted", "access=", "role=",
            "owner=",
            "needs=", "once", "forget ", "open ", "close ", "list ", "feed=longpoll", "feed=continuous", "feed=blip", "channels=*",
            "active",
            "limit=", "revocations", "leaves", "pushed", "file=new", "file=kept", "read ", "passwords",
        ] {
            #expect(text.contains(word), "never: \(word)")
        }
    }

    @Test("A recording's text gives it again")
    func recording() throws {
        for dialect in Dialect.allCases {
            for recording in try RecordingTests.recordings(dialect) {
                let again = try Recording(parsing: recording.text)
                #expect(again.history == recording.history && again.observations == recording.observations)
            }
        }
    }

    private func difference(_ steps: [String], gateway: [String], bridge: [String], dialect: String = "3.2") throws -> Difference? {
        let history = try History(parsing: ["history seed=1 dialect=\(dialect)"] + steps)
        return Difference.first(
            in: history, gateway: try gateway.map { try Observation(parsing: $0) }, bridge: try bridge.map { try Observation(parsing: $0) })
    }

    private func pull(_ gateway: String, _ bridge: String, revocations: Bool = true) throws -> Difference? {
        let client = revocations ? "client c1 user=anna feed=blip revocations" : "client c1 user=anna feed=normal"
        let first = "; d1:s1::200 ; d1=s1"
        return try difference([client, "1 pull c1", "2 pull c1"], gateway: [first, gateway], bridge: [first, bridge])
    }

    @Test("What clients hold and are told makes a difference")
    func differences() throws {
        let kept = "; ; d1=s1"
        #expect(try pull(kept, kept) == nil)
        #expect(try pull(kept, "; d1:s1:revoked: ;") != nil)
        #expect(try pull("; d1:s1:revoked: ;", kept) != nil)
        #expect(try pull(kept, "; d2:s2::200 ; d1=s1 d2=s2") != nil)
        #expect(try pull("; d2:s2::200 ; d1=s1 d2=s2", kept) != nil)
        #expect(try pull("; d1:s2::200 ; d1=s2", "; d1:s3::200 ; d1=s3") != nil)
        #expect(try pull("; d1:s2:deleted:deleted ;", "; d1:s2:removed:removed ;") != nil)
        #expect(try pull("; d2:s2::200 ; d1=s1 d2=s2", "; d2:s2::other ; d1=s1") != nil)
        #expect(try pull("; d2:s2::200,file ; d1=s1 d2=s2", "; d2:s2::200,no-file ; d1=s1 d2=s2") != nil)
        #expect(try pull("401 ; ; d1=s1", "; ; d1=s1") != nil)
    }

    @Test("Wanted differences make none")
    func wanted() throws {
        let kept = "; ; d1=s1"
        #expect(try pull(kept, "; d1:s1::200 ; d1=s1") == nil)
        #expect(try pull(kept, "; d7:s2:removed:removed ; d1=s1") == nil)
        #expect(try pull("; d1:s1:revoked: ;", "; d1:s4:removed:404 ;") == nil)
        #expect(try pull("; d1:s2:removed-a:200 ; d1=s2", "; d1:s2::200 ; d1=s2") == nil)
        #expect(try pull("; d1:s2:deleted,removed-a:deleted ;", "; d1:s2:deleted:deleted ;") == nil)
        #expect(try pull("; d1:s2:deleted,revoked: ;", "; d1:s2:deleted:deleted ;") == nil)
        #expect(try pull(kept, "; d1:s1:removed-a:removed ;", revocations: false) == nil)
        #expect(try pull(kept, "; d1:s2:deleted:deleted ;", revocations: false) == nil)
        #expect(try pull("; d1:s1:revoked: ;", kept, revocations: false) != nil)
        #expect(try pull("; d2:s2::200,file ; d1=s1 d2=s2", "; d2:s2::200 ; d1=s1 d2=s2") == nil)
        #expect(try pull("; d2:s2::200,no-file ; d1=s1 d2=s2", "; d2:s2::200,file ; d1=s1 d2=s2") == nil)
    }

    @Test("An older departure may show a revision that is replaced, where a bridge tells that the document is gone; and nothing else")
    func olderDepartures() throws {
        func after(_ gateway: String, _ bridge: String) throws -> Difference? {
            let steps = [
                "client c1 user=anna feed=normal", "1 write by=ADMIN | d1 channels=a", "2 pull c1", "3 write by=ADMIN | d1 channels=b",
                "4 write by=ADMIN | d1 channels=z", "5 pull c1",
            ]
            let before = ["201 ; ;", "; d1:s1::200 ; d1=s1", "201 ; ;", "201 ; ;"]
            return try difference(steps, gateway: before + [gateway], bridge: before + [bridge])
        }
        let gone = "; d1:s4:removed-a:removed ;"
        #expect(try after("; d1:s3:removed-a:200 ; d1=s3", gone) == nil)
        #expect(try after("; d1:s3:removed-a:200 ; d1=s3", "; ; d1=s1") != nil)
        #expect(try after("; d1:s4:removed-a:200 ; d1=s4", gone) != nil)
        #expect(try after("; d1:s4:removed-a:removed ;", "; d1:s3:removed-a:200 ; d1=s3") != nil)
    }

    @Test("The channels of a role that is made late come from a bridge alone; other documents come from both")
    func lateRoles() throws {
        func after(_ made: String, _ gateway: String, _ bridge: String) throws -> Difference? {
            let steps = [
                "client c1 user=anna feed=normal", "1 write by=ADMIN | d1 channels=a access=role:crew>a role=anna>role:crew", "2 pull c1",
                "3 \(made)", "4 pull c1",
            ]
            let before = ["201 ; ;", "; ;", "201 ; ;"]
            return try difference(steps, gateway: before + [gateway], bridge: before + [bridge])
        }
        let given = "; d1:s1::200 ; d1=s1"
        #expect(try after("account role:crew channels=", "; ;", given) == nil)
        #expect(try after("account role:crew channels=", given, "; ;") != nil)
        #expect(try after("account role:team channels=a", "; ;", given) != nil)
        func filtered(_ filter: String, role: String, has channel: String = "a") throws -> Difference? {
            let steps = [
                "client c1 user=anna feed=normal\(filter)", "1 write by=ADMIN | d1 channels=a", "2 account role:crew channels=\(channel)",
                "3 account anna channels= roles=\(role)", "4 pull c1",
            ]
            let before = ["201 ; ;", "201 ; ;", "201 ; ;"]
            return try difference(steps, gateway: before + ["; ;"], bridge: before + [given])
        }
        #expect(try filtered(" channels=a", role: "crew") == nil)
        #expect(try filtered(" channels=a", role: "crew", has: "b") != nil)
        #expect(try filtered("", role: "crew") != nil)
        #expect(try filtered(" channels=a", role: "") != nil)
    }

    @Test("What a user does not see any more is revoked by a bridge alone; what is in sight still, by both or none")
    func outOfSight() throws {
        func after(_ client: String, _ gateway: String, _ bridge: String) throws -> Difference? {
            let steps = ["client c1 user=anna feed=blip \(client)", "1 pull c1", "2 pull c1"]
            let given = "; d1:s1::200 ; d1=s1"
            return try difference(steps, gateway: [given, gateway], bridge: [given, bridge])
        }
        let (revoked, kept) = ("; d1:s1:revoked: ;", "; ; d1=s1")
        #expect(try after("revocations", "\(kept) ;", "\(revoked) ;") == nil)
        #expect(try after("revocations", "\(kept) ; d1=s1", "\(revoked) ; d1=s1") != nil)
        #expect(try after("revocations", revoked, kept) != nil)
        // An open feed has brought it, and taken it back.
        #expect(try after("revocations", "; d1:s2::200 ; d1=s2 ;", "; d1:s2:revoked:200 ; ;") == nil)
        #expect(try after("revocations", "; d1:s2::200 ; d1=s2 ; d1=s2", "; d1:s2:revoked:200 ; ; d1=s2") != nil)
        #expect(try after("", "\(kept) ;", "; d1:s1:removed: ; ;") != nil, "not to 3.x clients without revocations")
        func modern(_ listed: String) throws -> Difference? {
            let steps = ["client c1 user=anna feed=blip", "1 pull c1", "2 pull c1"]
            let (given, taken) = ("; d1:s1::200 ; d1=s1", "; d1:s1::removed ;")
            return try difference(
                steps, gateway: [given, "\(kept) ; \(listed)"], bridge: [given, "\(taken) ; \(listed)"], dialect: "2.8")
        }
        #expect(try modern("") == nil)
        #expect(try modern("d1=s1") != nil)
    }

    @Test("A deletion is told, whatever channels were lost before; other departures are not told to clients without revocations")
    func deletionsBeforeLosses() throws {
        func after(_ gateway: String, _ bridge: String) throws -> Difference? {
            let steps = ["client c1 user=anna feed=blip", "1 pull c1", "2 pull c1"]
            let given = "; d1:s1::200 ; d1=s1"
            return try difference(steps, gateway: [given, gateway], bridge: [given, bridge])
        }
        let (gone, kept) = ("; d1:s3:deleted,removed:deleted ;", "; ; d1=s1")
        #expect(try after(kept, gone) == nil)
        #expect(try after(gone, kept) != nil)
        #expect(try after(kept, "; d1:s3:removed:removed ;") != nil)
    }

    @Test("A deletion may be told as a loss as well, and with branches that are gone")
    func deletionsAndLosses() throws {
        func after(_ gateway: String, _ bridge: String, _ client: String = "feed=blip revocations") throws -> Difference? {
            let steps = ["client c1 user=anna \(client)", "1 pull c1", "2 pull c1"]
            let given = "; d1:s1::200 ; d1=s1"
            return try difference(steps, gateway: [given, gateway], bridge: [given, bridge])
        }
        let revoked = "; d1:s2:deleted,revoked: ;"
        #expect(try after("; d1:s2:deleted,removed:deleted ;", revoked) == nil)
        #expect(
            try after("; d1:s2,s3,s4:removed-a:deleted,removed ;", "; d1:s2,s3:deleted,removed-a:deleted ;", "feed=normal leaves") == nil)
        #expect(try after("; d1:s2:deleted:deleted ;", "; d1:s2:removed:removed ;") != nil)
        #expect(try after("; d1:s2:deleted:deleted ;", "; ; d1=s1") != nil)
    }

    @Test("A client that asks for certain channels is told what left them, whatever its user has lost meanwhile")
    func departuresToldAlone() throws {
        func after(_ client: String, writing other: String = "b", _ bridge: String = "; d1:s4:removed-a:200 ; d1=s4") throws -> Difference?
        {
            let steps = [
                "client c1 user=anna feed=normal\(client)", "2 write by=ADMIN | d1 channels=a", "3 pull c1",
                "4 write by=ADMIN | d1 channels=\(other)", "6 pull c1",
            ]
            let before = ["201 ; ;", "; d1:s2::200 ; d1=s2", "201 ; ;"]
            return try difference(steps, gateway: before + ["; ; d1=s2 ; d1=s4"], bridge: before + ["\(bridge) ; d1=s4"])
        }
        #expect(try after(" channels=a") == nil)
        #expect(try after(" channels=c") != nil)
        #expect(try after("") != nil)
        #expect(try after(" channels=a", writing: "a") != nil)
    }

    @Test("A Sync Gateway that is asked for a few active documents may pass over some; a bridge may not")
    func passedOver() throws {
        func after(_ client: String, _ gateway: String, _ bridge: String) throws -> Difference? {
            let steps = ["client c1 user=anna feed=normal\(client)", "1 pull c1"]
            return try difference(steps, gateway: ["\(gateway) ; d1=s1"], bridge: ["\(bridge) ; d1=s1"])
        }
        let (given, none) = ("; d1:s1::200 ; d1=s1", "; ;")
        #expect(try after(" active limit=1", none, given) == nil)
        #expect(try after(" active limit=1", given, none) != nil)
        #expect(try after(" active", none, given) != nil)
        #expect(try after(" limit=1", none, given) != nil)
    }

    @Test("Where an answer with a limit ends is the server's own, also where the client is refused after it")
    func limits() throws {
        func after(_ steps: [String]) throws -> Difference? {
            let answers = ["; d1:s1::200 ; d1=s1", "401 ; ; d1=s1"]
            let more = ["; d1:s1::200 d2:s2::200 ; d1=s1 d2=s2", "401 ; ; d1=s1 d2=s2"]
            let steps = ["client c1 user=anna feed=normal limit=1"] + steps
            return try difference(steps, gateway: answers, bridge: more) ?? difference(steps, gateway: more, bridge: answers)
        }
        #expect(try after(["1 pull c1 once", "2 pull c1"]) == nil)
        #expect(try after(["1 pull c1", "2 pull c1"]) != nil)
    }

    @Test("What another grant has brought is not taken back by a departure, as by Sync Gateway 2.8")
    func lateDepartures() throws {
        func after(_ gateway: String, _ bridge: String, dialect: String = "2.8") throws -> Difference? {
            let steps = ["client c1 user=anna feed=blip", "1 pull c1", "2 pull c1"]
            return try difference(steps, gateway: ["; ;", gateway], bridge: ["; ;", bridge], dialect: dialect)
        }
        let (given, taken) = ("; d1:s1::200 ; d1=s1", "; d1:s1::200,removed ;")
        #expect(try after(taken, given) == nil)
        #expect(try after(taken, given, dialect: "3.2") != nil)
        #expect(try after(given, taken) != nil)
        #expect(try after("; d1:s1::removed ;", given) != nil)
    }

    @Test("What a bridge has taken back alone, it gives again where a Sync Gateway names it")
    func regained() throws {
        func after(_ gateway: String, _ bridge: String) throws -> Difference? {
            let steps = ["client c1 user=anna feed=normal channels=a", "1 pull c1", "2 pull c1", "3 pull c1"]
            let (given, kept) = ("; d1:s1::200 ; d1=s1", "; ; d1=s1")
            return try difference(steps, gateway: [given, kept, gateway], bridge: [given, "; d1:s1:removed:removed ;", bridge])
        }
        let (named, nothing) = ("; d1:s1:: ; d1=s1", "; ;")
        #expect(try after("\(named) ; d1=s1", "; d1:s1::200 ; d1=s1") == nil)
        #expect(try after("\(named) ; d1=s1", nothing) != nil)
        #expect(try after("\(named) ;", nothing) == nil)
        #expect(try after("; ; d1=s1 ; d1=s1", nothing) == nil)
    }

    @Test("A branch out of sight may stay with a client that has what has won, if the client had it before")
    func keptBranches() throws {
        func after(_ bridge: String) throws -> Difference? {
            let steps = ["client c1 user=anna feed=normal leaves", "1 pull c1", "2 pull c1"]
            let given = "; d1:s1::200 ; d1=s1"
            return try difference(steps, gateway: [given, "; d1:s1,s2::200,removed ; d1=s2"], bridge: [given, bridge])
        }
        #expect(try after("; d1:s1,s2::200 ; d1=s1,s2") == nil)
        #expect(try after("; d1:s2,s3::200 ; d1=s2,s3") != nil)
        #expect(try after("; ; d1=s1") != nil)
        // An answer with a limit has brought it.
        let steps = ["client c1 user=anna feed=normal leaves limit=1", "1 pull c1 once", "2 pull c1"]
        let given = "; d1:s1::200 ; d1=s1"
        let taken = [given, "; d1:s1,s2::200,removed ; d1=s2"]
        #expect(try difference(steps, gateway: taken, bridge: [given, "; d1:s1,s2::200 ; d1=s1,s2"]) == nil)
    }

    @Test("A Sync Gateway's row before the loss, in one answer, is none that takes the loss back")
    func lostBehind() throws {
        func after(_ listed: String) throws -> Difference? {
            let steps = ["client c1 user=anna feed=continuous", "1 pull c1", "2 pull c1"]
            let given = "; d1:s1::200 ; d1=s1"
            return try difference(
                steps, gateway: [given, "; d1:s1:: ; d1=s1 ; \(listed)"], bridge: [given, "; d1:s1:removed-a:removed ; ; \(listed)"])
        }
        #expect(try after("") == nil)
        #expect(try after("d1=s1") != nil)
    }

    @Test("A client that asks for certain channels is told of others only by documents that have been in those")
    func leftBefore() throws {
        let given = "; d1:s2:removed-a:200 ; d1=s2"
        func after(_ channels: String, _ bridge: String = given, gateway: String = "; ;") throws -> Difference? {
            let steps = [
                "client c1 user=anna feed=normal channels=a", "1 write by=ADMIN | d1 channels=\(channels)",
                "2 write by=ADMIN | d1 channels=b", "3 pull c1",
            ]
            let before = ["201 ; ;", "201 ; ;"]
            return try difference(steps, gateway: before + [gateway], bridge: before + [bridge])
        }
        #expect(try after("a") == nil)
        #expect(try after("a", gateway: "; d1:s1:removed-a:200 ; d1=s1") == nil)
        #expect(try after("a", "; d1:s1:removed-a:200 ; d1=s1", gateway: given) != nil)
        // Alone, the older departure says nothing that a new client has to know.
        #expect(try after("a", "; d1:s1:removed-a:200 ; d1=s1") == nil)
        #expect(try after("a", "; ;", gateway: "; d1:s1:removed-a:200 ; d1=s1") == nil)
        #expect(try after("a", "; d1:s1::200 ; d1=s1") != nil)
        #expect(try after("b") != nil)
        #expect(try after("b deleted") != nil)
        #expect(try after("a deleted", "; d1:s1,s2:removed-a:200,deleted ; d1=s2") == nil)
    }

    @Test("A whole pull brings what is listed, and takes what is not, whatever a Sync Gateway does")
    func promise() throws {
        func after(_ answer: String, _ client: String = "feed=normal", once: Bool = false) throws -> [String]? {
            let steps = ["client c1 user=anna \(client)", "1 pull c1\(once ? " once" : "")"]
            return try difference(steps, gateway: [answer], bridge: [answer])?.breaches
        }
        #expect(try after("; ; d1=s1 ; d1=s1") == nil)
        #expect(try after("; ; d1=s1 ; d1=s2") == ["d1 is in sight and not with the client"])
        #expect(try after("; ; ; d1=s2", "feed=blip active") == ["d1 is in sight and not with the client"])
        #expect(try after("; ; ; d1=s2", once: true) == nil)
        #expect(try after("; ; ; d1=s2", "feed=normal channels=a") == nil)
        #expect(try after("401 ; ; ; d1=s2") == nil)
        #expect(try after("; ; d1=s1 ;") == ["d1 is out of sight and with the client"])
        #expect(try after("; ; d1=s1 ;", "feed=blip revocations") == ["d1 is out of sight and with the client"])
        #expect(try after("; ; d1=s1 ;", "feed=blip") == nil)
        #expect(try after("; ; d1=s1 ;", "feed=normal channels=a") == nil)
        #expect(try after("; ; d1=s1 ;", "feed=normal active") == nil)
        let clients = ["client c1 user=anna feed=blip", "1 pull c1"]
        #expect(try difference(clients, gateway: ["; ; d1=s1 ;"], bridge: ["; ; d1=s1 ; d1=s1"]) != nil)
    }

    @Test("A deletion that lets a forbidden branch win is taken by Sync Gateway 2.8 alone, and ends the comparison")
    func refusedBranches() throws {
        func after(_ dialect: String, _ write: String) throws -> Difference? {
            let history = try History(parsing: ["history seed=1 dialect=\(dialect)", "1 write by=anna | \(write)", "2 list by=anna"])
            func answers(_ status: Int, _ held: String) throws -> [Observation] {
                try ["\(status) ; ;", "200 ; ; \(held)"].map { try Observation(parsing: $0) }
            }
            return Difference.first(in: history, gateway: try answers(201, ""), bridge: try answers(403, "d1=s9"))
        }
        #expect(try after("2.8", "d1 deleted") == nil)
        #expect(try after("2.8", "d1 channels=a") != nil)
        #expect(try after("3.2", "d1 deleted") != nil)
    }

    @Test("A history is shrunk to the steps without which it does not fail")
    func shrinking() async throws {
        let drawn = history(7)
        let needed = [drawn.steps[2], drawn.steps[9]]
        var shrinker = Shrinker()
        let shrunk = try await shrinker.shrink(drawn) { smaller in needed.allSatisfy(smaller.steps.contains) }
        #expect(shrunk.steps == needed)
    }
}
