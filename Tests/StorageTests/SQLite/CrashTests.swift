import Documents
import Foundation
import SQLiteStorage
import Storage
import TestSupport
import Testing

@Suite("Crashes")
struct CrashTests {
    @Test("Acknowledged writes survive kill -9 at any moment", arguments: 0..<6)
    func killed(seed: Int) async throws {
        let folder = try TemporaryFolder()
        let path = folder.store
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, seed = seed as Int] in
            try await CrashingWriter(path: path, seed: UInt64(seed)).run()
        }
        let acknowledged = try String(contentsOfFile: path + "/acknowledged", encoding: .utf8).split(separator: "\n")
        let store = try folder.open()
        let missing = try await store.read { snapshot in
            try acknowledged.filter { try snapshot.document(unifiedID: String($0)) == nil }
        }
        #expect(missing.isEmpty)
        let report = try await store.check()
        #expect(report.problems.isEmpty)
        try await store.close()
    }
}

/// Writes as fast as possible in a process of its own, records acknowledged writes, and kills itself.
private struct CrashingWriter {
    let path: String
    let seed: UInt64

    func run() async throws {
        var options = SQLiteStore.Options()
        // So that the log is copied into the database all the time.
        options.checkpointPages = 50
        let store = try SQLiteStore(path: path, options: options)
        let log = open(path + "/acknowledged", O_WRONLY | O_CREAT | O_APPEND, 0o644)
        var generator = SeededGenerator(seed: seed)
        let delay = Int.random(in: 20...250, using: &generator)
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(delay)) { _ = kill(getpid(), SIGKILL) }
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for index in 0... {
                        let id = "d-\(writer)-\(index)"
                        let done: Void? = try? await store.write { transaction in
                            try transaction.add(id)
                            try transaction.edit(id, ["2-aa", "1-aa"])
                            let bytes = Array(id.utf8)
                            _ = try transaction.insertAttachment(bytes, digest: .sha1(of: bytes))
                        }
                        guard done != nil else { continue }
                        let line = Array((id + "\n").utf8)
                        write(log, line, line.count)
                    }
                }
            }
        }
    }
}
