import Testing

/// The comparison of both servers, and of a bridge's clients with its list.
@Suite("Differences of histories")
struct DifferenceTests {
    private func pull(_ gateway: String, _ bridge: String, revocations: Bool = true) throws -> Difference? {
        let client = revocations ? "client c1 user=anna feed=blip revocations" : "client c1 user=anna feed=normal"
        let first = "; d1:s1::200 ; d1=s1"
        return try Difference.first(in: [client, "1 pull c1", "2 pull c1"], gateway: [first, gateway], bridge: [first, bridge])
    }

    @Test("Different documents, or different rows with an effect, are a difference")
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

    @Test("Wanted differences are no difference")
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

    @Test("After a whole pull the client has exactly the listed documents, independently of a Sync Gateway")
    func promise() throws {
        func after(_ answer: String, _ client: String = "feed=normal", once: Bool = false) throws -> [String]? {
            let steps = ["client c1 user=anna \(client)", "1 pull c1\(once ? " once" : "")"]
            return try Difference.first(in: steps, gateway: [answer], bridge: [answer])?.breaches
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
        #expect(try Difference.first(in: clients, gateway: ["; ; d1=s1 ;"], bridge: ["; ; d1=s1 ; d1=s1"]) != nil)
    }

    @Test("The comparison ends when the bridge refuses a login after many wrong passwords, but not a login that a Sync Gateway accepts")
    func wrongPasswords() throws {
        func after(_ gateway: String) throws -> Difference? {
            let steps = ["client c1 user=anna feed=normal", "1 pull c1", "2 pull c1"]
            return try Difference.first(in: steps, gateway: [gateway, "; d1:s1::200 ; d1=s1"], bridge: ["429 ; ;", "429 ; ;"])
        }
        #expect(try after("401 ; ;") == nil)
        #expect(try after("; ;") != nil)
    }

    @Test("Only Sync Gateway 2.8 accepts a deletion that makes a refused branch win, and the comparison ends")
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
}

extension Difference {
    /// The first difference in a history whose steps and observations are given as text.
    static func first(in steps: [String], gateway: [String], bridge: [String], dialect: String = "3.2") throws -> Difference? {
        let history = try History(parsing: ["history seed=1 dialect=\(dialect)"] + steps)
        return first(
            in: history, gateway: try gateway.map { try Observation(parsing: $0) }, bridge: try bridge.map { try Observation(parsing: $0) })
    }
}
