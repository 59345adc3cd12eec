import Testing

@testable import Storage

@Suite("The lease of the work that must run once")
struct BridgeMemberTests {
    /// A world of bridges with one roster. Each bridge has a clock of its own that differs from the others.
    private struct World {
        var roster = BridgeRoster()
        var members: [BridgeMember]
        var now = Duration.zero

        init(_ count: Int) {
            members = (0..<count).map { BridgeMember(id: "b\($0)", name: "bridge \($0)", started: Int64($0)) }
        }

        mutating func beat(_ index: Int) {
            var changed = roster
            let next = members[index].beating(&changed, at: now + .seconds(index * 1_000), clients: 0)
            (roster, members[index]) = (changed, next)
        }

        mutating func expire(_ index: Int) { members[index].expire(at: now + .seconds(index * 1_000)) }

        /// The bridges whose writes of the work the store accepts.
        var writers: [Int] { members.indices.filter { index in members[index].lease.map { roster.permits("b\(index)", $0) } ?? false } }
    }

    @Test("The first bridge gets the lease, and keeps it while it lives")
    func first() {
        var world = World(2)
        world.beat(0)
        for _ in 0..<100 {
            world.beat(1)
            world.beat(0)
            world.now += BridgeMember.interval
            #expect(world.writers == [0])
        }
        #expect(world.roster.fence == 1)
        #expect(world.roster.bridges.count == 2)
    }

    @Test("A bridge is overdue before its first sign of life, and when the last one is older than its patience")
    func overdue() {
        var roster = BridgeRoster()
        let member = BridgeMember(id: "b", name: "bridge", started: 0)
        #expect(member.isOverdue(at: .zero))
        let next = member.beating(&roster, at: .seconds(5), clients: 0)
        #expect(!next.isOverdue(at: .seconds(5)))
        #expect(!next.isOverdue(at: .seconds(5) + BridgeMember.patience))
        #expect(next.isOverdue(at: .seconds(5) + BridgeMember.patience + .nanoseconds(1)))
        #expect(BridgeMember.patience < BridgeMember.deathTime)
    }

    @Test("The lease of a bridge that has died is taken over within 15 seconds, and not before it has given up")
    func takeover() {
        var world = World(2)
        world.beat(0)
        world.beat(1)
        let death = world.now
        var end: Duration?
        while end == nil, world.now < .seconds(60) {
            world.now += .milliseconds(500)
            world.expire(0)
            if world.now - death <= BridgeMember.patience { #expect(world.members[0].lease == 1) }
            if world.now.components.seconds % 2 == 0 { world.beat(1) }
            if world.members[1].lease != nil { end = world.now }
        }
        #expect(world.members[0].lease == nil)
        #expect((end ?? .zero) - death <= .seconds(15))
        #expect((end ?? .zero) - death > BridgeMember.patience)
        #expect(world.roster.fence == 2)
    }

    @Test("A bridge that was paused is refused by the fence, and does not get the lease back while the other one lives")
    func paused() {
        var world = World(2)
        world.beat(0)
        for _ in 0..<10 {
            world.beat(1)
            world.now += BridgeMember.interval
        }
        // It has not looked at its clock.
        #expect(world.members[0].lease == 1)
        #expect(world.writers == [1])
        world.beat(0)
        #expect(world.members[0].lease == nil)
        #expect(world.writers == [1])
    }

    @Test("A bridge that stops hands the lease over at once")
    func leave() {
        var world = World(2)
        world.beat(0)
        world.beat(1)
        world.members[0].leave(&world.roster)
        #expect(world.roster.bridges.keys.sorted() == ["b1"])
        world.beat(1)
        #expect(world.writers == [1])
    }

    @Test("A bridge that stops soon gives the lease up with its next sign of life, and takes it never again")
    func resigning() {
        var world = World(2)
        world.beat(0)
        world.beat(1)
        world.members[0].resign()
        #expect(world.members[0].lease == nil)
        world.beat(0)
        #expect(world.roster.holder == nil && world.roster.bridges["b0"]?.isStopping == true)
        world.beat(1)
        #expect(world.writers == [1] && world.roster.fence == 2)
        world.members[1].leave(&world.roster)
        world.beat(0)
        #expect(world.writers == [] && world.roster.holder == nil)
    }

    @Test("The silence of a bridge is measured from its last new sign of life, by the observer's clock")
    func silence() {
        var world = World(2)
        world.beat(0)
        world.beat(1)
        world.now += .seconds(3)
        world.beat(1)
        #expect(world.members[1].silence(of: "b0", at: world.now + .seconds(1_000)) == .seconds(3))
        #expect(world.members[1].silence(of: "b1", at: world.now + .seconds(1_002)) == .seconds(2))
        #expect(world.members[1].silence(of: "b2", at: world.now) == nil)
        world.beat(0)
        world.beat(1)
        #expect(world.members[1].silence(of: "b0", at: world.now + .seconds(1_000)) == .zero)
    }

    @Test("A bridge whose sign of life was lost on the way counts it as not given")
    func lostBeat() {
        var world = World(1)
        world.beat(0)
        world.now += .seconds(5)
        var lost = world.roster
        _ = world.members[0].beating(&lost, at: world.now, clients: 0)
        world.now += .seconds(3)
        world.expire(0)
        #expect(world.members[0].lease == nil)
    }

    @Test("A bridge without a sign of life for a minute leaves the roster")
    func removal() {
        var world = World(2)
        world.beat(0)
        for _ in 0..<40 {
            world.beat(1)
            world.now += BridgeMember.interval
        }
        #expect(world.roster.bridges.keys.sorted() == ["b1"])
    }

    @Test("In every order of beats, pauses, deaths and leaves, the store accepts the work of one bridge at most, and fences only rise")
    func exhaustive() {
        // Each step: which bridge acts (0, 1), how, and how much time passes. All sequences of six steps.
        let choices = 2 * 3
        var last: Int64 = 0
        for code in 0..<Int(Double(choices).power(6)) {
            var (world, rest) = (World(2), code)
            last = 0
            for _ in 0..<6 {
                let (bridge, act) = (rest % 2, rest / 2 % 3)
                rest /= choices
                switch act {
                case 0:
                    world.beat(bridge)
                    world.now += .seconds(2)
                case 1:
                    world.now += .seconds(6)
                    world.expire(bridge)
                default: world.members[bridge].leave(&world.roster)
                }
                if world.writers.count > 1 || world.roster.fence < last {
                    Issue.record("two writers, or a lower fence, in the order \(code)")
                }
                last = world.roster.fence
            }
        }
    }
}

extension Double {
    fileprivate func power(_ exponent: Int) -> Double { (0..<exponent).reduce(1) { product, _ in product * self } }
}
