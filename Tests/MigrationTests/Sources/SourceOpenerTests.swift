import Foundation
import GRDB
import Migration
import Testing

@Suite("Detection of the source at a path")
struct SourceOpenerTests {
    private func code(_ path: String) -> SourceError.Code? {
        do {
            _ = try SourceOpener.open(path: path)
            return nil
        } catch {
            return (error as? SourceError)?.code
        }
    }

    private func folder(_ scratch: Scratch, _ name: String) throws -> String {
        let folder = "\(scratch.path)/\(name)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    @Test("An unreadable path is refused with a remedy")
    func refused() throws {
        let scratch = try Scratch()
        #expect(code("\(scratch.path)/nothing") == .unreachable)
        #expect(code(try folder(scratch, "empty.cblite2")) == .unsupported)
        _ = try folder(scratch, "forest.cblite2")
        _ = try scratch.write([1, 2, 3], to: "forest.cblite2/db.forest.0")
        #expect(code("\(scratch.path)/forest.cblite2") == .unsupported)
        let noise = (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 97 &+ 13) }
        _ = try folder(scratch, "crypt.cblite2")
        _ = try scratch.write(noise, to: "crypt.cblite2/db.sqlite3")
        #expect(code("\(scratch.path)/crypt.cblite2") == .encrypted)
        #expect(code(try scratch.write(noise, to: "crypt.cblite")) == .encrypted)
        #expect(code(try scratch.write(noise, to: "noise.json")) == .unsupported)
        #expect(code(try scratch.write(Array("hello".utf8), to: "text.json")) == .unsupported)
    }

    @Test("Encrypted attachments are refused")
    func encryptedAttachments() throws {
        let scratch = try Scratch()
        let path = try scratch.fixture("cbl-1.4/java144-seeded.cblite2")
        _ = try scratch.write(Array("AES".utf8), to: "java144-seeded.cblite2/attachments/_encryption")
        #expect(code(path) == .encrypted)
    }

    @Test("A SQLite database of another program is refused")
    func somethingElse() throws {
        let scratch = try Scratch()
        let queue = try DatabaseQueue(path: "\(scratch.path)/x.sqlite")
        try queue.write { try $0.execute(sql: "CREATE TABLE things (name)") }
        try queue.close()
        #expect(code("\(scratch.path)/x.sqlite") == .unsupported)
    }

    @Test("Version vectors of Couchbase Lite 4 are refused")
    func versionVectors() async throws {
        let scratch = try Scratch()
        let path = try scratch.fixture("cbl-3.2/lite32.cblite2")
        let queue = try DatabaseQueue(path: "\(path)/db.sqlite3")
        try await queue.writeWithoutTransaction { database in
            try database.execute(sql: "UPDATE kv_info SET body = x'0000000000000002' WHERE key = 'versioning'")
        }
        try queue.close()
        #expect(code(path) == .unsupported)
    }
}
