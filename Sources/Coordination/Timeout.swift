/// Runs `work` with a time limit.
///
/// At the limit, `work` is cancelled. The call returns when `work` has ended, so `work` has to respond to cancellation.
///
/// - Parameter begin: Returns when the time begins. It has to respond to cancellation.
/// - Returns: The result; `nil` if the limit passes, or the task is cancelled, before there is one.
/// - Throws: The error of `work`.
package func withTimeout<Value: Sendable, Failure: Error>(
    _ limit: Duration, from begin: @escaping @Sendable () async -> Void = {}, _ work: @escaping @Sendable () async throws(Failure) -> Value
) async throws(Failure) -> Value? {
    let result = await withTaskGroup(of: Result<Value, Failure>?.self) { group in
        group.addTask {
            do throws(Failure) {
                return .success(try await work())
            } catch {
                return .failure(error)
            }
        }
        group.addTask {
            // The other task's result cancels this one.
            await begin()
            try? await suspend(for: limit)
            return nil
        }
        defer { group.cancelAll() }
        return await group.next() ?? nil
    }
    return try result?.get()
}
