import Foundation

/// Runs work that blocks on a thread of its own, so that no thread of Swift's pool and no event loop blocks.
///
/// The wait, like the work, does not end when the task is cancelled.
///
/// - Throws: The error of `work`.
package func onNewThread<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    let result = await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, Failure>, Never>) in
        Thread.detachNewThread {
            continuation.resume(returning: Result { () throws(Failure) -> Value in try work() })
        }
    }
    return try result.get()
}
