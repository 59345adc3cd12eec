import Foundation
import Synchronization

/// Runs JavaScript functions, bounded in time and memory, on threads of its own.
///
/// Each function has a context to itself on each thread, so that functions of two databases share nothing. What a function
/// gets is JSON, what it gives is a value; it reaches nothing else.
public final class ScriptEngine: Sendable {
    private let queue: ScriptQueue
    private let limits: ScriptLimits

    /// - Parameter workers: threads, each with contexts of its own.
    public init(workers: Int = 2, limits: ScriptLimits = ScriptLimits()) {
        let queue = ScriptQueue()
        self.queue = queue
        self.limits = limits
        for number in 1...max(1, workers) {
            let thread = Thread {
                var worker = ScriptWorker(limits: limits)
                while let job = queue.next() { job(&worker) }
            }
            thread.name = "script-\(number)"
            // JavaScript recurses deeply before its own check stops it.
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    deinit {
        queue.close()
    }

    /// Compiles a function.
    ///
    /// - Throws: ``ScriptError`` with code `compile`.
    public func validate(_ function: ScriptFunction) async throws {
        try await perform { worker in Result { try worker.compile(function) } }.get()
    }

    /// Calls a predicate for many documents in one go.
    ///
    /// - Parameter arguments: for each call its arguments, each a JSON text.
    /// - Returns: for each call whether the function returned something true, or why it failed.
    /// - Throws: ``ScriptError`` with code `compile` or `stopped`.
    public func test(_ function: ScriptFunction, _ arguments: [[[UInt8]]]) async throws -> [Result<Bool, ScriptError>] {
        try await perform { worker -> Result<[Result<Bool, ScriptError>], any Error> in
            Result {
                try worker.compile(function)
                return arguments.map { arguments in
                    Result { () throws(ScriptError) in try worker.test(function, arguments) }
                }
            }
        }.get()
    }

    private func perform<Value: Sendable>(_ work: @escaping @Sendable (inout ScriptWorker) -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let isTaken = queue.add { worker in continuation.resume(returning: work(&worker)) }
            if !isTaken { continuation.resume(throwing: ScriptError(.stopped, "the script engine has been stopped")) }
        }
    }
}
