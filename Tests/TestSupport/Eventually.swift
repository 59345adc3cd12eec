/// Waits until a condition holds. Checks it two hundred times a second: a loop without a pause would take the processor from the work that
/// it waits for.
///
/// Ends when the task is cancelled, as a test's task is at its time limit.
package func eventually(
    isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async rethrows {
    while try await !condition() {
        do { try await Task.sleep(for: .milliseconds(5)) } catch { return }
    }
}
