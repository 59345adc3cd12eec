import Testing

/// Documents that become invisible, and deletions.
@Suite("Wanted differences of losses")
struct WantedLossTests {
    @Test("Only the bridge revokes a document that the user cannot see; a visible document is revoked by both or neither")
    func outOfSight() throws {
        func after(_ client: String, _ gateway: String, _ bridge: String) throws -> Difference? {
            let steps = ["client c1 user=anna feed=blip \(client)", "1 pull c1", "2 pull c1"]
            let given = "; d1:s1::200 ; d1=s1"
            return try Difference.first(in: steps, gateway: [given, gateway], bridge: [given, bridge])
        }
        let (revoked, kept) = ("; d1:s1:revoked: ;", "; ; d1=s1")
        #expect(try after("revocations", "\(kept) ;", "\(revoked) ;") == nil)
        #expect(try after("revocations", "\(kept) ; d1=s1", "\(revoked) ; d1=s1") != nil)
        #expect(try after("revocations", revoked, kept) != nil)
        // An open feed has added the revision, and removed it.
        #expect(try after("revocations", "; d1:s2::200 ; d1=s2 ;", "; d1:s2:revoked:200 ; ;") == nil)
        #expect(try after("revocations", "; d1:s2::200 ; d1=s2 ; d1=s2", "; d1:s2:revoked:200 ; ; d1=s2") != nil)
        #expect(try after("", "\(kept) ;", "; d1:s1:removed: ; ;") != nil, "not to 3.x clients without revocations")
        func modern(_ listed: String) throws -> Difference? {
            let steps = ["client c1 user=anna feed=blip", "1 pull c1", "2 pull c1"]
            let (given, taken) = ("; d1:s1::200 ; d1=s1", "; d1:s1::removed ;")
            return try Difference.first(
                in: steps, gateway: [given, "\(kept) ; \(listed)"], bridge: [given, "\(taken) ; \(listed)"], dialect: "2.8")
        }
        #expect(try modern("") == nil)
        #expect(try modern("d1=s1") != nil)
    }

    @Test("Only the bridge may report a deletion after a loss; other departures are not reported without revocations")
    func deletionsBeforeLosses() throws {
        func after(_ gateway: String, _ bridge: String) throws -> Difference? {
            let steps = ["client c1 user=anna feed=blip", "1 pull c1", "2 pull c1"]
            let given = "; d1:s1::200 ; d1=s1"
            return try Difference.first(in: steps, gateway: [given, gateway], bridge: [given, bridge])
        }
        let (gone, kept) = ("; d1:s3:deleted,removed:deleted ;", "; ; d1=s1")
        #expect(try after(kept, gone) == nil)
        #expect(try after(gone, kept) != nil)
        #expect(try after(kept, "; d1:s3:removed:removed ;") != nil)
    }

    @Test("A deletion may also be reported as a loss, and with branches that have ended")
    func deletionsAndLosses() throws {
        func after(_ gateway: String, _ bridge: String, _ client: String = "feed=blip revocations") throws -> Difference? {
            let steps = ["client c1 user=anna \(client)", "1 pull c1", "2 pull c1"]
            let given = "; d1:s1::200 ; d1=s1"
            return try Difference.first(in: steps, gateway: [given, gateway], bridge: [given, bridge])
        }
        let revoked = "; d1:s2:deleted,revoked: ;"
        #expect(try after("; d1:s2:deleted,removed:deleted ;", revoked) == nil)
        #expect(
            try after("; d1:s2,s3,s4:removed-a:deleted,removed ;", "; d1:s2,s3:deleted,removed-a:deleted ;", "feed=normal leaves") == nil)
        #expect(try after("; d1:s2:deleted:deleted ;", "; d1:s2:removed:removed ;") != nil)
        #expect(try after("; d1:s2:deleted:deleted ;", "; ; d1=s1") != nil)
    }

    @Test("The deletion of a replaced revision may be in other channels, if the sync function uses oldDoc")
    func oldRevisions() throws {
        func after(parent: String, tombstones: String = " tombstones") throws -> Difference? {
            let steps = [
                "client c1 user=anna feed=blip", "1 write by=ADMIN | d1 channels=a", "2 pull c1", "3 write by=ADMIN | d1 channels=a",
                "4 write by=ADMIN replicated | d1 deleted parent=\(parent) digest=f", "5 pull c1",
            ]
            let history = try History(parsing: ["history seed=1 dialect=3.2\(tombstones)"] + steps)
            let before = ["201 ; ;", "; d1:s1::200 ; d1=s1", "201 ; ;", "201 ; ;"]
            return Difference.first(
                in: history, gateway: try (before + ["; d1:s4:deleted,removed:deleted ;"]).map { try Observation(parsing: $0) },
                bridge: try (before + ["; ; d1=s1"]).map { try Observation(parsing: $0) })
        }
        #expect(try after(parent: "s1") == nil)
        #expect(try after(parent: "s3") != nil)
        #expect(try after(parent: "s1", tombstones: "") != nil)
    }

    @Test("A Sync Gateway's row before the loss, in the same reply, does not cancel the loss")
    func lostBehind() throws {
        func after(_ listed: String) throws -> Difference? {
            let steps = ["client c1 user=anna feed=continuous", "1 pull c1", "2 pull c1"]
            let given = "; d1:s1::200 ; d1=s1"
            return try Difference.first(
                in: steps, gateway: [given, "; d1:s1:: ; d1=s1 ; \(listed)"], bridge: [given, "; d1:s1:removed-a:removed ; ; \(listed)"])
        }
        #expect(try after("") == nil)
        #expect(try after("d1=s1") != nil)
    }
}
