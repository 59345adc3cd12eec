/// Waits until a condition holds, and looks at it two hundred times a second: a loop without a pause takes the processor from that
/// which it waits for.
///
/// Ends when the task is cancelled, as that of a test is whose time is over.
public func eventually(
    isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async rethrows {
    while try await !condition() {
        do { try await Task.sleep(for: .milliseconds(5)) } catch { return }
    }
}
