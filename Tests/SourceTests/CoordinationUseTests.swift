import Testing

/// Calls of the system and the runtime for which Coordination has better ones.
@Suite("Locks and suspended tasks")
struct CoordinationUseTests {
    /// The thread sanitizer does not see `Synchronization.Mutex` on Linux, and reports its critical sections as races.
    @Test(
        "Code and tests use the lock of Coordination, which the thread sanitizer sees",
        arguments: ["Sources", "Tests", "samples/app/Sources"])
    func visible(folder: String) {
        for file in SourceFile.all(in: folder) where !file.path.hasSuffix("Coordination/Lock.swift") {
            for (number, line) in file.lines.enumerated() where line.contains(/\bMutex[<(]/) && !line.contains("contains(/") {
                Issue.record("\(file.path):\(number + 1) uses Mutex")
            }
        }
    }

    /// The job of a cancelled `Task.sleep` stays in memory until its time is over, and a bridge runs for months.
    @Test("Code suspends tasks by the function of Coordination, which keeps nothing when it is cancelled")
    func cancellable() {
        for file in SourceFile.all(in: "Sources") {
            for (number, line) in file.lines.enumerated() where line.contains("Task.sleep(") {
                Issue.record("\(file.path):\(number + 1) uses Task.sleep")
            }
        }
    }
}
