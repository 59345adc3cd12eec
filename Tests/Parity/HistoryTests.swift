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
        #expect(try pull("; d1:s2:deleted,revoked: ;", "; d1:s2:deleted:deleted ;") != nil)
    }

    @Test("Wanted differences make none")
    func wanted() throws {
        let kept = "; ; d1=s1"
        #expect(try pull(kept, "; d1:s1::200 ; d1=s1") == nil)
        #expect(try pull(kept, "; d7:s2:removed:removed ; d1=s1") == nil)
        #expect(try pull("; d1:s1:revoked: ;", "; d1:s4:removed:404 ;") == nil)
        #expect(try pull("; d1:s2:removed-a:200 ; d1=s2", "; d1:s2::200 ; d1=s2") == nil)
        #expect(try pull("; d1:s2:deleted,removed-a:deleted ;", "; d1:s2:deleted:deleted ;") == nil)
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

    @Test("What left a role's channel before the role was removed is revoked by a bridge alone; what is in the channel still, by both")
    func droppedRoles() throws {
        func after(_ write: String, _ gateway: String, _ bridge: String) throws -> Difference? {
            let steps = [
                "client c1 user=anna feed=blip revocations", "1 account role:crew channels=c", "2 account anna channels= roles=crew",
                "3 write by=ADMIN | d1 channels=c", "4 pull c1", "5 write by=ADMIN | \(write)", "6 drop role:crew", "7 pull c1",
            ]
            let before = ["201 ; ;", "201 ; ;", "201 ; ;", "; d1:s3::200 ; d1=s3", "201 ; ;", "200 ; ;"]
            return try difference(steps, gateway: before + [gateway], bridge: before + [bridge])
        }
        #expect(try after("d1 channels=b", "; ; d1=s3", "; d1:s5:revoked: ;") == nil)
        #expect(try after("d2 channels=b", "; ; d1=s3", "; d1:s3:revoked: ;") != nil)
        #expect(try after("d1 channels=b", "; d1:s5:revoked: ;", "; ; d1=s3") != nil)
    }

    @Test("What a user had who was removed and made again is revoked by a bridge alone")
    func droppedUsers() throws {
        func after(_ name: String, _ gateway: String, _ bridge: String) throws -> Difference? {
            let steps = [
                "client c1 user=anna feed=blip revocations", "1 pull c1", "2 drop \(name)", "3 account anna channels=", "4 pull c1",
            ]
            let before = ["; d1:s1::200 ; d1=s1", "200 ; ;", "201 ; ;"]
            return try difference(steps, gateway: before + [gateway], bridge: before + [bridge])
        }
        #expect(try after("anna", "; ; d1=s1", "; d1:s1:revoked: ;") == nil)
        #expect(try after("bert", "; ; d1=s1", "; d1:s1:revoked: ;") != nil)
        #expect(try after("anna", "; d1:s1:revoked: ;", "; ; d1=s1") != nil)
    }

    @Test("Where an answer with a limit ends is the server's own, also where the client is refused after it")
    func limits() throws {
        func after(_ steps: [String]) throws -> Difference? {
            let answers = ["; d1:s1::200 ; d1=s1", "401 ; ; d1=s1"]
            let more = ["; d1:s1::200 d2:s2::200 ; d1=s1 d2=s2", "401 ; ; d1=s1 d2=s2"]
            return try difference(["client c1 user=anna feed=normal limit=1"] + steps, gateway: answers, bridge: more)
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

    @Test("A deletion by which its reader loses the channel is told by an open feed of a Sync Gateway with named collections alone")
    func deletedGrants() throws {
        func after(_ write: String, dialect: String = "3.2-collections", _ gateway: String, _ bridge: String) throws -> Difference? {
            let steps = ["client c1 user=anna feed=blip", "1 write by=ADMIN | \(write)", "2 pull c1", "3 pull c1"]
            let before = ["201 ; ;", "; d1:s1::200 ; d1=s1"]
            return try difference(steps, gateway: before + [gateway], bridge: before + [bridge], dialect: dialect)
        }
        let (gone, kept) = ("; d1:s3:deleted,removed:deleted ;", "; ; d1=s1")
        #expect(try after("d1 channels=a access=anna>a", gone, kept) == nil)
        #expect(try after("d1 channels=a access=bert>a", gone, kept) != nil)
        #expect(try after("d1 channels=a access=anna>a", dialect: "3.2", gone, kept) != nil)
        #expect(try after("d1 channels=a access=anna>a", kept, "; d1:s3:removed:removed ;") != nil)
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
        func after(_ channels: String) throws -> Difference? {
            let steps = [
                "client c1 user=anna feed=normal channels=a", "1 write by=ADMIN | d1 channels=\(channels)",
                "2 write by=ADMIN | d1 channels=b", "3 pull c1",
            ]
            let before = ["201 ; ;", "201 ; ;"]
            return try difference(steps, gateway: before + ["; ;"], bridge: before + ["; d1:s2:removed-a:200 ; d1=s2"])
        }
        #expect(try after("a") == nil)
        #expect(try after("b") != nil)
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
