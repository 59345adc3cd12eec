import Testing

/// Documents that become visible, and limits.
@Suite("Wanted differences of grants")
struct WantedGrantTests {
    @Test("Only the bridge sends documents of a role that is created late; both send other documents")
    func lateRoles() throws {
        func after(_ made: String, _ gateway: String, _ bridge: String) throws -> Difference? {
            let steps = [
                "client c1 user=anna feed=normal", "1 write by=ADMIN | d1 channels=a access=role:crew>a role=anna>role:crew", "2 pull c1",
                "3 \(made)", "4 pull c1",
            ]
            let before = ["201 ; ;", "; ;", "201 ; ;"]
            return try Difference.first(in: steps, gateway: before + [gateway], bridge: before + [bridge])
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
            return try Difference.first(in: steps, gateway: before + ["; ;"], bridge: before + [given])
        }
        #expect(try filtered(" channels=a", role: "crew") == nil)
        #expect(try filtered(" channels=a", role: "crew", has: "b") != nil)
        #expect(try filtered("", role: "crew") != nil)
        #expect(try filtered(" channels=a", role: "") != nil)
    }

    @Test(
        "Only the bridge may send a late role's successor of a revision that the client has; both send others"
    )
    func followedInLateRoles() throws {
        func after(role: String) throws -> Difference? {
            let steps = [
                "client c1 user=anna feed=blip channels=a,b", "1 account role:crew channels=a", "2 write by=ADMIN | d1 channels=b",
                "3 pull c1",
                "4 account anna channels=", "5 write by=ADMIN | d1 channels=a", "6 account anna roles=\(role)", "7 pull c1",
            ]
            let before = ["201 ; ;", "201 ; ;", "; d1:s2::200 ; d1=s2", "201 ; ;", "201 ; ;", "201 ; ;"]
            return try Difference.first(in: steps, gateway: before + ["; ; d1=s2"], bridge: before + ["; d1:s5::200 ; d1=s5"])
        }
        #expect(try after(role: "crew") == nil)
        #expect(try after(role: "") != nil)
    }

    @Test("Only a Sync Gateway may report departures from a role's channels before the user had the role; both report others")
    func leftBeforeRoles() throws {
        func after(role: String, _ gateway: String, _ bridge: String = "; ; d1=s2") throws -> Difference? {
            let steps = [
                "client c1 user=anna feed=blip channels=a", "1 account role:crew channels=a", "2 write by=ADMIN | d1 channels=a",
                "3 pull c1",
                "4 write by=ADMIN | d1 channels=b", "5 account anna channels= roles=\(role)", "6 pull c1",
            ]
            let before = ["201 ; ;", "201 ; ;", "; d1:s2::200 ; d1=s2", "201 ; ;", "201 ; ;"]
            return try Difference.first(in: steps, gateway: before + [gateway], bridge: before + [bridge])
        }
        let (left, gone) = ("; d1:s4::200 ; d1=s4", "; d1:s4:deleted,removed:deleted ;")
        #expect(try after(role: "crew", left) == nil)
        #expect(try after(role: "crew", gone) == nil)
        #expect(try after(role: "", left) != nil)
        #expect(try after(role: "", gone) != nil)
        #expect(try after(role: "crew", left, "; d1:s4::other ; d1=s2") != nil)
    }

    @Test("Such a departure may be reported together with later revisions that the user sees by other channels")
    func followedBeforeRoles() throws {
        func after(role: String, _ gateway: String = "; d1:s4,s6:removed-a:200,removed ; d1=s6 ; d1=s6") throws -> Difference? {
            let steps = [
                "client c1 user=anna feed=normal channels=a", "1 account role:crew channels=a", "2 write by=ADMIN | d1 channels=a",
                "3 pull c1",
                "4 write by=ADMIN | d1 channels=z", "5 account anna channels=b roles=\(role)", "6 write by=ADMIN | d1 channels=b",
                "7 pull c1",
            ]
            let before = ["201 ; ;", "201 ; ;", "; d1:s2::200 ; d1=s2", "201 ; ;", "201 ; ;", "201 ; ;"]
            return try Difference.first(in: steps, gateway: before + [gateway], bridge: before + ["; ; d1=s2 ; d1=s6"])
        }
        #expect(try after(role: "crew") == nil)
        #expect(try after(role: "") != nil)
        #expect(try after(role: "crew", "; d1:s6:removed-a:200 ; d1=s6 ; d1=s6") != nil)
    }

    @Test("Only the bridge sends branches that become visible by * to clients that ask for certain channels")
    func branchesByEverything() throws {
        func after(_ channels: String, filter: String = " channels=a", _ bridge: String = "; d1:s1,s2::200 ; d1=s1,s2") throws
            -> Difference?
        {
            let steps = [
                "client c1 user=anna feed=normal leaves\(filter)", "1 write by=ADMIN | d1 channels=a",
                "2 write by=ADMIN replicated | d1 digest=0 channels=b", "3 pull c1", "4 account anna channels=\(channels)", "5 pull c1",
            ]
            let before = ["201 ; ;", "201 ; ;", "; d1:s1::200 ; d1=s1", "200 ; ;"]
            return try Difference.first(in: steps, gateway: before + ["; ; d1=s1"], bridge: before + [bridge])
        }
        #expect(try after("*") == nil)
        #expect(try after("a,b") != nil)
        #expect(try after("*", filter: "") != nil)
        #expect(try after("*", "; ; ;") != nil)
    }

    @Test("Only a disabled guest may be refused a new feed where a Sync Gateway goes on with the old one")
    func guestsFeeds() throws {
        func after(user: String, _ gateway: String = "; ;", _ bridge: String = "401 ; ;") throws -> Difference? {
            let steps = ["client c1 user=\(user) feed=blip", "1 open c1", "2 account \(user) channels= disabled", "3 open c1"]
            let before = ["; ;", "200 ; ;"]
            return try Difference.first(in: steps, gateway: before + [gateway], bridge: before + [bridge])
        }
        #expect(try after(user: "GUEST") == nil)
        #expect(try after(user: "anna") != nil)
        #expect(try after(user: "GUEST", "401 ; ;", "; ;") != nil)
    }

    @Test("A Sync Gateway's open feed may show a state within a push, if another document of the push granted the access")
    func seenBetween() throws {
        func after(_ gift: String, listed: String = "", feed: String = "blip") throws -> Difference? {
            let steps = [
                "client c1 user=anna feed=\(feed)", "1 write by=ADMIN | d2 channels=z\(gift)",
                "2 write by=ADMIN pushed | d1 channels=a | d2 channels=z",
                "3 pull c1",
            ]
            let before = ["201 ; ;", "201,201 ; ;"]
            return try Difference.first(
                in: steps, gateway: before + ["; d1:s2::200 ; d1=s2 ; \(listed)"], bridge: before + ["; ; ; \(listed)"])
        }
        #expect(try after(" access=anna>a") == nil)
        #expect(try after("") != nil)
        #expect(try after(" access=anna>a", listed: "d1=s2") != nil)
        #expect(try after(" access=anna>a", feed: "normal") != nil)
    }

    @Test("A document of one server's limited reply may be invisible in the other server's next reply, but not in one reply")
    func broughtBetween() throws {
        func after(_ first: (String, String), _ last: (String, String), listed: String = "", once: Bool = true) throws -> Difference? {
            let steps = [
                "client c1 user=anna feed=normal active limit=1", "1 pull c1\(once ? " once" : "")", "2 account anna channels=",
                "3 pull c1",
            ]
            return try Difference.first(
                in: steps, gateway: [first.0, "200 ; ;", "\(last.0) ; \(listed)"], bridge: [first.1, "200 ; ;", "\(last.1) ; \(listed)"])
        }
        let (given, kept, none) = ("; d1:s1::200 ; d1=s1", "; ; d1=s1", "; ;")
        #expect(try after((none, given), (none, kept)) == nil)
        #expect(try after((given, none), (kept, none)) == nil)
        #expect(try after((none, given), (none, kept), once: false) != nil)
        #expect(try after((given, none), (kept, none), once: false) != nil)
        #expect(try after((none, given), (none, kept), listed: "d1=s1") == nil, "a limit of active documents")
        #expect(try after((given, none), (kept, none), listed: "d1=s1") != nil)
        #expect(try after((none, none), (none, given)) != nil)
        #expect(try after((none, none), (given, none)) != nil)
    }

    @Test("A branch of a Sync Gateway's limited reply may be invisible in the bridge's later reply, but not in one reply")
    func lostBetween() throws {
        func after(_ bridge: String, once: Bool = true) throws -> Difference? {
            let steps = [
                "client c1 user=anna feed=normal leaves limit=1", "1 write by=ADMIN | d1 channels=a",
                "2 write by=ADMIN replicated | d1 digest=f channels=b", "3 pull c1\(once ? " once" : "")", "4 pull c1",
            ]
            let before = ["201 ; ;", "201 ; ;"]
            return try Difference.first(
                in: steps, gateway: before + ["; d1:s1,s2::200 ; d1=s1,s2", "; ; d1=s1,s2"], bridge: before + ["; ;", bridge])
        }
        #expect(try after("; d1:s1,s2::200,404 ; d1=s1") == nil)
        #expect(try after("; d1:s1,s2::200,404 ; d1=s1", once: false) != nil)
        #expect(try after("; d1:s1,s2::200 ; d1=s1") != nil)
        #expect(try after("; d1:s1::404 ; d1=s1") != nil)
    }

    @Test("A branch of the bridge's limited reply may stay with the client, if it was followed before the Sync Gateway's reply")
    func followedBetween() throws {
        func after(_ parent: String) throws -> Difference? {
            let steps = [
                "client c1 user=anna feed=normal leaves limit=1", "1 write by=ADMIN | d1 channels=a",
                "2 write by=ADMIN replicated | d1 digest=f channels=a", "3 write by=ADMIN | d1 channels=z", "4 pull c1 once",
                "5 write by=ADMIN replicated | d1 parent=\(parent) digest=0 channels=b", "6 pull c1",
            ]
            let before = ["201 ; ;", "201 ; ;", "201 ; ;"]
            return try Difference.first(
                in: steps, gateway: before + ["; ;", "201 ; ;", "; d1:s3,s5:removed-a:removed ; ;"],
                bridge: before + ["; d1:s2,s3:removed-a:200,removed ; d1=s2", "201 ; ;", "; ; d1=s2 ;"])
        }
        #expect(try after("s2") == nil)
        #expect(try after("s1") != nil)
    }

    @Test("A branch that a Sync Gateway's limited reply names may be visible in the bridge's later reply, which has the loss")
    func seenByLater() throws {
        func after(_ bridge: String) throws -> Difference? {
            let steps = [
                "client c1 user=anna feed=normal leaves limit=1", "1 write by=ADMIN | d1 channels=a",
                "2 write by=ADMIN replicated | d1 digest=f channels=b", "3 write by=ADMIN | d1 channels=z", "4 pull c1 once",
                "5 account anna channels=b", "6 pull c1",
            ]
            let before = ["201 ; ;", "201 ; ;", "201 ; ;"]
            return try Difference.first(
                in: steps, gateway: before + ["; d1:s2,s3:removed-a:removed ; ;", "201 ; ;", "; ; ;"],
                bridge: before + ["; d1:s3:removed-a:removed ; ;", "201 ; ;", bridge])
        }
        #expect(try after("; d1:s2,s3:removed-a:200,removed ; d1=s2 ;") == nil)
        #expect(try after("; d1:s2,s3::200 ; d1=s2,s3 ;") != nil)
    }

    @Test("Only a Sync Gateway may leave out documents of a limited request for active documents")
    func passedOver() throws {
        func after(_ client: String, _ gateway: String, _ bridge: String) throws -> Difference? {
            let steps = ["client c1 user=anna feed=normal\(client)", "1 pull c1"]
            return try Difference.first(in: steps, gateway: ["\(gateway) ; d1=s1"], bridge: ["\(bridge) ; d1=s1"])
        }
        let (given, none) = ("; d1:s1::200 ; d1=s1", "; ;")
        #expect(try after(" active limit=1", none, given) == nil)
        #expect(try after(" active limit=1", given, none) != nil)
        #expect(try after(" active", none, given) != nil)
        #expect(try after(" limit=1", none, given) != nil)
    }

    @Test("The end of a limited reply may differ, also if the client is refused afterwards")
    func limits() throws {
        func after(_ steps: [String]) throws -> Difference? {
            let answers = ["; d1:s1::200 ; d1=s1", "401 ; ; d1=s1"]
            let more = ["; d1:s1::200 d2:s2::200 ; d1=s1 d2=s2", "401 ; ; d1=s1 d2=s2"]
            let steps = ["client c1 user=anna feed=normal limit=1"] + steps
            return try Difference.first(in: steps, gateway: answers, bridge: more)
                ?? Difference.first(in: steps, gateway: more, bridge: answers)
        }
        #expect(try after(["1 pull c1 once", "2 pull c1"]) == nil)
        #expect(try after(["1 pull c1", "2 pull c1"]) != nil)
    }
}
