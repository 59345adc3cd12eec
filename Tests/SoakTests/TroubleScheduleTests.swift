import Testing

@testable import Soak

@Suite("The schedule of faults")
struct TroubleScheduleTests {
    private let hour = TroubleSchedule(Trouble.ofBridge, over: .seconds(3_600), longest: .seconds(20), seed: 1)

    @Test("A seed decides the order")
    func seeded() {
        let again = TroubleSchedule(Trouble.ofBridge, over: .seconds(3_600), longest: .seconds(20), seed: 1)
        #expect(again.spells.map(\.trouble) == hour.spells.map(\.trouble))
        let orders = Set(
            (0..<10).map { TroubleSchedule(Trouble.ofBridge, over: .seconds(3_600), longest: .seconds(20), seed: $0).spells.map(\.trouble) }
        )
        #expect(orders.count > 1)
    }

    @Test("The process is killed once, first, and each other fault occurs in turn")
    func kinds() {
        #expect(hour.spells.first?.trouble == .killed)
        #expect(hour.spells.count { $0.trouble == .killed } == 1)
        let others = Set(Trouble.ofBridge).subtracting([.killed])
        #expect(Set(hour.spells.dropFirst().prefix(others.count).map(\.trouble)) == others)
        #expect(TroubleSchedule([.killed], over: .seconds(3_600), longest: .seconds(20), seed: 1).spells.map(\.trouble) == [.killed])
        #expect(TroubleSchedule([], over: .seconds(3_600), longest: .seconds(20), seed: 1).spells.isEmpty)
    }

    @Test("A trouble has at most the chosen length, and a cluster's troubles take turns")
    func length() {
        let spells = TroubleSchedule(Trouble.ofCluster, over: .seconds(3_600), longest: .seconds(6), seed: 1).spells
        #expect(spells.allSatisfy { $0.length == .seconds(6) && $0.recovery == .seconds(6) })
        #expect(spells.count == 149)
        #expect(Set(spells.prefix(Trouble.ofCluster.count).map(\.trouble)) == Set(Trouble.ofCluster))
    }

    @Test("Calm periods are before, between and after the faults", arguments: [15, 60, 3_600])
    func calm(seconds: Int) {
        let spells = TroubleSchedule(Trouble.ofBridge, over: .seconds(seconds), longest: .seconds(20), seed: 7).spells
        var end = Duration.zero
        for spell in spells {
            #expect(spell.start > end)
            end = spell.start + spell.length + spell.recovery
        }
        #expect(end < .seconds(seconds))
        #expect(Set(spells.map(\.trouble)) == Set(Trouble.ofBridge))
    }
}
