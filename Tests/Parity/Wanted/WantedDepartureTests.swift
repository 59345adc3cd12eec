import Testing

/// Documents that leave channels, and stay visible or do not.
@Suite("Wanted differences of departures")
struct WantedDepartureTests {
    @Test("A Sync Gateway's older departure may have a replaced revision where the bridge reports the document as gone")
    func olderDepartures() throws {
        func after(_ gateway: String, _ bridge: String) throws -> Difference? {
            let steps = [
                "client c1 user=anna feed=normal", "1 write by=ADMIN | d1 channels=a", "2 pull c1", "3 write by=ADMIN | d1 channels=b",
                "4 write by=ADMIN | d1 channels=z", "5 pull c1",
            ]
            let before = ["201 ; ;", "; d1:s1::200 ; d1=s1", "201 ; ;", "201 ; ;"]
            return try Difference.first(in: steps, gateway: before + [gateway], bridge: before + [bridge])
        }
        let gone = "; d1:s4:removed-a:removed ;"
        #expect(try after("; d1:s3:removed-a:200 ; d1=s3", gone) == nil)
        #expect(try after("; d1:s3:removed-a:200 ; d1=s3", "; ; d1=s1") != nil)
        #expect(try after("; d1:s4:removed-a:200 ; d1=s4", gone) != nil)
        #expect(try after("; d1:s4:removed-a:removed ;", "; d1:s3:removed-a:200 ; d1=s3") != nil)
    }

    @Test("A client that has lost its position may get a departure older than its revision, but not a later one")
    func departuresBeforeWhatIsHeld() throws {
        func after(_ gateway: String, _ bridge: String = "; ; d1=s2") throws -> Difference? {
            let steps = [
                "client c1 user=anna feed=normal", "1 write by=ADMIN | d1 channels=a", "2 write by=ADMIN | d1 channels=b", "3 pull c1",
                "4 write by=ADMIN | d1 channels=z", "5 forget c1", "6 pull c1",
            ]
            let before = ["201 ; ;", "201 ; ;", "; d1:s2::200 ; d1=s2", "201 ; ;", "; ;"]
            return try Difference.first(in: steps, gateway: before + [gateway], bridge: before + [bridge])
        }
        #expect(try after("; d1:s1:removed-a:200 ; d1=s1") == nil)
        #expect(try after("; d1:s4:removed-b:200 ; d1=s4") != nil)
        #expect(try after("; d1:s1:removed-a:200 ; d1=s1", "; d1:s4:removed-b:200 ; d1=s4") != nil)
    }

    @Test("Only the bridge may report a departure from the requested channels, independently of later losses")
    func departuresToldAlone() throws {
        func after(_ client: String, writing other: String = "b", _ bridge: String = "; d1:s4:removed-a:200 ; d1=s4") throws -> Difference?
        {
            let steps = [
                "client c1 user=anna feed=normal\(client)", "2 write by=ADMIN | d1 channels=a", "3 pull c1",
                "4 write by=ADMIN | d1 channels=\(other)", "6 pull c1",
            ]
            let before = ["201 ; ;", "; d1:s2::200 ; d1=s2", "201 ; ;"]
            return try Difference.first(in: steps, gateway: before + ["; ; d1=s2 ; d1=s4"], bridge: before + ["\(bridge) ; d1=s4"])
        }
        #expect(try after(" channels=a") == nil)
        #expect(try after(" channels=c") != nil)
        #expect(try after("") != nil)
        #expect(try after(" channels=a", writing: "a") != nil)
    }

    @Test("A departure may be reported to a new client only for documents that were in the requested channels")
    func leftBefore() throws {
        let given = "; d1:s2:removed-a:200 ; d1=s2"
        func after(_ channels: String, _ bridge: String = given, gateway: String = "; ;") throws -> Difference? {
            let steps = [
                "client c1 user=anna feed=normal channels=a", "1 write by=ADMIN | d1 channels=\(channels)",
                "2 write by=ADMIN | d1 channels=b", "3 pull c1",
            ]
            let before = ["201 ; ;", "201 ; ;"]
            return try Difference.first(in: steps, gateway: before + [gateway], bridge: before + [bridge])
        }
        #expect(try after("a") == nil)
        #expect(try after("a", gateway: "; d1:s1:removed-a:200 ; d1=s1") == nil)
        #expect(try after("a", "; d1:s1:removed-a:200 ; d1=s1", gateway: given) != nil)
        // Without the later one, the older departure has no effect on a new client.
        #expect(try after("a", "; d1:s1:removed-a:200 ; d1=s1") == nil)
        #expect(try after("a", "; ;", gateway: "; d1:s1:removed-a:200 ; d1=s1") == nil)
        #expect(try after("a", "; d1:s1::200 ; d1=s1") != nil)
        #expect(try after("b") != nil)
        #expect(try after("b deleted") != nil)
        #expect(try after("a deleted", "; d1:s1,s2:removed-a:200,deleted ; d1=s2") == nil)
    }

    @Test("A granting document that leaves its channels may be removed by open feeds of named collections, without revocations")
    func givers() throws {
        func after(_ gift: String, client: String = "", dialect: String = "3.2-collections") throws -> Difference? {
            let place = dialect == "3.2" ? "" : " in=sales.orders"
            let steps = [
                "client c1 user=anna feed=blip\(place)\(client)", "1 write by=ADMIN\(place) | d1 channels=a\(gift)", "2 pull c1",
                "3 write by=ADMIN\(place) | d1 channels=b", "4 pull c1",
            ]
            let before = ["201 ; ;", "; d1:s1::200 ; d1=s1", "201 ; ;"]
            return try Difference.first(
                in: steps, gateway: before + ["; d1:s3::200,removed ; ;"], bridge: before + ["; ; d1=s1 ;"], dialect: dialect)
        }
        #expect(try after(" access=anna>a") == nil)
        #expect(try after("") != nil)
        #expect(try after(" access=anna>a", client: " revocations") != nil)
        #expect(try after(" access=anna>a", dialect: "3.2") != nil)
    }

    @Test("With Sync Gateway 2.8 a departure may remove a document that another grant has just added")
    func lateDepartures() throws {
        func after(_ gateway: String, _ bridge: String, dialect: String = "2.8") throws -> Difference? {
            let steps = ["client c1 user=anna feed=blip", "1 pull c1", "2 pull c1"]
            return try Difference.first(in: steps, gateway: ["; ;", gateway], bridge: ["; ;", bridge], dialect: dialect)
        }
        let (given, taken) = ("; d1:s1::200 ; d1=s1", "; d1:s1::200,removed ;")
        #expect(try after(taken, given) == nil)
        #expect(try after(taken, given, dialect: "3.2") != nil)
        #expect(try after(given, taken) != nil)
        #expect(try after("; d1:s1::removed ;", given) != nil)
    }

    @Test("A document that only the bridge has removed is sent again when a Sync Gateway names it")
    func regained() throws {
        func after(_ gateway: String, _ bridge: String) throws -> Difference? {
            let steps = ["client c1 user=anna feed=normal channels=a", "1 pull c1", "2 pull c1", "3 pull c1"]
            let (given, kept) = ("; d1:s1::200 ; d1=s1", "; ; d1=s1")
            return try Difference.first(in: steps, gateway: [given, kept, gateway], bridge: [given, "; d1:s1:removed:removed ;", bridge])
        }
        let (named, nothing) = ("; d1:s1:: ; d1=s1", "; ;")
        #expect(try after("\(named) ; d1=s1", "; d1:s1::200 ; d1=s1") == nil)
        #expect(try after("\(named) ; d1=s1", nothing) != nil)
        #expect(try after("\(named) ;", nothing) == nil)
        #expect(try after("; ; d1=s1 ; d1=s1", nothing) == nil)
    }

    @Test("A branch that the user cannot see may stay with a client that has the winner, if the client had it before")
    func keptBranches() throws {
        func after(_ bridge: String) throws -> Difference? {
            let steps = ["client c1 user=anna feed=normal leaves", "1 pull c1", "2 pull c1"]
            let given = "; d1:s1::200 ; d1=s1"
            return try Difference.first(in: steps, gateway: [given, "; d1:s1,s2::200,removed ; d1=s2"], bridge: [given, bridge])
        }
        #expect(try after("; d1:s1,s2::200 ; d1=s1,s2") == nil)
        #expect(try after("; d1:s2,s3::200 ; d1=s2,s3") != nil)
        #expect(try after("; ; d1=s1") != nil)
        // A limited reply had the branch.
        let steps = ["client c1 user=anna feed=normal leaves limit=1", "1 pull c1 once", "2 pull c1"]
        let given = "; d1:s1::200 ; d1=s1"
        let taken = [given, "; d1:s1,s2::200,removed ; d1=s2"]
        #expect(try Difference.first(in: steps, gateway: taken, bridge: [given, "; d1:s1,s2::200 ; d1=s1,s2"]) == nil)
    }
}
