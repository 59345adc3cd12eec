import Testing

@Suite("Locks")
struct LockTests {
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
}
