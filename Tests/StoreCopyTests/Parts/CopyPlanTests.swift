import Foundation
import Storage
import Testing

@testable import StoreCopy

@Suite("The plan of a copy")
struct CopyPlanTests {
    private let record = CopyRecord(copy: "1", source: "a", store: "00")

    private func key(_ number: Int64) -> StoredKey { StoredKey([.integer(number)]) }

    @Test("All tables are copied, then compared in the same order, and then only changes are left")
    func order() {
        var plan = CopyPlan(record)
        var visited: [String] = []
        while let (table, after) = plan.next {
            #expect(after == nil)
            visited.append("\(plan.record.phase) \(table.name)")
            let middle = plan.after(rows: 5, bytes: 50, upTo: key(5))
            #expect(middle.next?.after == key(5))
            #expect(middle.next?.table == table)
            plan = middle.atEndOfTable()
        }
        let names = CopiedTable.all.map(\.name)
        #expect(visited == names.map { "copying \($0)" } + names.map { "verifying \($0)" })
        #expect(plan.record.phase == .following)
        #expect(plan.record.rows == 5 * names.count)
        #expect(plan.record.bytes == 50 * names.count)
    }

    @Test("Changes concern the rows that are there: those up to the place of the copy, and all once every row is there")
    func ranges() throws {
        var plan = CopyPlan(record).applying(upTo: 10)
        for current in CopiedTable.all.indices {
            for position in [nil, key(7)] {
                let here = position.map { plan.after(rows: 1, bytes: 1, upTo: $0) } ?? plan
                for (index, table) in CopiedTable.all.enumerated() {
                    let range = here.range(of: table, upTo: 20)
                    #expect((range == nil) == (index > current || index == current && position == nil))
                    #expect(range?.last == (index == current ? position : nil))
                    #expect(range.map { $0.start == 10 && $0.end == 20 } ?? true)
                }
            }
            plan = plan.atEndOfTable()
        }
        #expect(plan.record.phase == .verifying)
        for table in CopiedTable.all { #expect(plan.range(of: table, upTo: 20)?.last == nil && plan.range(of: table, upTo: 20) != nil) }
    }

    @Test("A record that was written goes on with the same plan")
    func written() throws {
        var plan = CopyPlan(record)
        for step in 0..<100 {
            let text = try CopyMarkText.text(plan.record)
            let read: CopyRecord = try CopyMarkText.read(text, at: "")
            #expect(read == plan.record)
            #expect(CopyPlan(read).next?.table == plan.next?.table)
            #expect(CopyPlan(read).next?.after == plan.next?.after)
            plan =
                step % 2 == 0 ? plan.after(rows: 1, bytes: 1, upTo: StoredKey([.bytes([0, 255]), .integer(.min)])) : plan.atEndOfTable()
        }
    }

    @Test("Writers wait when few changes are left, or when passes do not get shorter")
    func lastPass() {
        #expect(CopyPlan.isLastPassDue(changes: CopyPlan.smallRest, passes: 1))
        #expect(!CopyPlan.isLastPassDue(changes: CopyPlan.smallRest + 1, passes: CopyPlan.mostPasses - 1))
        #expect(CopyPlan.isLastPassDue(changes: .max, passes: CopyPlan.mostPasses))
    }
}
