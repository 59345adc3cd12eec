import Synchronization

/// Counts the steps of SQLite's virtual machine: some ten for each row that a statement looks at, whether or not it is one of the answer's.
///
/// Unlike time, they are the same each time for the same work on the same data, whatever else the machine does. So they tell what grows with what.
final class StepCounter: Sendable {
    private let count = Atomic<UInt64>(0)

    var value: UInt64 { count.load(ordering: .relaxed) }

    func add(_ steps: UInt64) {
        count.wrappingAdd(steps, ordering: .relaxed)
    }
}
