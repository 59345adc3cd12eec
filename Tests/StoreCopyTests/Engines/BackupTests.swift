import Foundation
import Testing

@testable import SQLiteStorage
@testable import Storage
@testable import StoreCopy

@Suite("Backups beside copies")
struct BackupsBesideCopiesTests {
    @Test("A backup that was made during a copy is restored without the journal, and can be copied")
    func duringCopy() async throws {
        let (first, second, third) = (try CopyPlaceForTests(.sqlite), try CopyPlaceForTests(.sqlite), try CopyPlaceForTests(.sqlite))
        let store = try SQLiteStore(path: first.name)
        try await store.write { _ = try $0.add("a") }
        try first.source().begin(OutgoingCopy(copy: "1", target: "x"))
        try await store.write { _ = try $0.add("b") }
        let file = (first.name as NSString).deletingLastPathComponent + "/backup"
        try await store.backup(to: file)
        try await store.close()
        try SQLiteStore.restore(from: file, to: second.name)
        #expect(try second.source().outgoing() == nil)
        let triggers = try RowDatabase(second.name).integer("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'outgoing%'")
        #expect(triggers == 0)
        _ = try StoreCopier(second.source(), third.target()).run()
        #expect(try differences(second, third).isEmpty)
    }
}
