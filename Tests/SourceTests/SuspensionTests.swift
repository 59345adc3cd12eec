import Testing

@Suite("Suspended tasks")
struct SuspensionTests {
    /// The job of a cancelled `Task.sleep` stays in memory until its time is over, and a bridge runs for months.
    @Test("The bridge's code suspends tasks by the function of Coordination, which keeps nothing when it is cancelled")
    func cancellable() {
        let measuring = ["Sources/Benchmarks/", "Sources/Soak/"]
        for file in SourceFile.all(in: "Sources") where !measuring.contains(where: { file.path.contains($0) }) {
            for (number, line) in file.lines.enumerated() where line.contains("Task.sleep(") {
                Issue.record("\(file.path):\(number + 1) uses Task.sleep")
            }
        }
    }
}
