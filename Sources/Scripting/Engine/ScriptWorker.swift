import Foundation
import Synchronization

/// Runs batches on its own thread, in an isolate that is replaced after a termination.
final class ScriptWorker {
    /// Bytes of arguments between two checks of the heap size.
    private static let heapCheckInterval = 16 << 20

    private let queue: ScriptQueue
    private let counters: ScriptCounters
    private let limits: ScriptLimits
    private let watch: Watch
    private var isolate: Isolate?
    private var counts = ScriptStatistics()
    private var bytesSinceCheck = 0

    private init(queue: ScriptQueue, counters: ScriptCounters, limits: ScriptLimits) {
        self.queue = queue
        self.counters = counters
        self.limits = limits
        watch = Watch(limits: limits) { queue.isClosed.load(ordering: .relaxed) }
    }

    /// Starts a worker's thread. Its stack is larger than JavaScriptCore's limit for a script (5 MB), so that infinite recursion fails in
    /// JavaScript.
    static func start(queue: ScriptQueue, counters: ScriptCounters, limits: ScriptLimits) {
        EngineOptions.apply
        let thread = Thread {
            let worker = ScriptWorker(queue: queue, counters: counters, limits: limits)
            while let (job, share) = queue.next() {
                let answer = job.run(worker)
                queue.finished(share)
                answer()
            }
            worker.isolate = nil
            queue.workerEnded()
        }
        thread.name = "script"
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// Calls the function with each input in order.
    func evaluate<Input, Output>(
        _ function: ScriptFunction<Input, Output>, _ inputs: [Input]
    ) -> [Result<Output, ScriptError>] {
        watch.beginBatch()
        var broken: ScriptError?
        let results = inputs.map { input -> Result<Output, ScriptError> in
            counts.calls += 1
            if let broken { return fail(broken) }
            do throws(ScriptError) {
                let realm = try realm(for: function.key)
                return .success(try call(function, input, in: realm))
            } catch {
                if error.code == .compile { broken = error }
                return fail(error)
            }
        }
        report()
        return results
    }

    /// Compiles a function.
    func compile(_ key: ScriptKey) -> Result<Void, ScriptError> {
        defer { report() }
        watch.beginBatch()
        do throws(ScriptError) {
            _ = try realm(for: key)
            return .success(())
        } catch {
            return fail(error)
        }
    }

    private func realm(for key: ScriptKey) throws(ScriptError) -> Realm {
        guard !queue.isClosed.load(ordering: .relaxed) else {
            throw ScriptError(.stopped, "the script engine was stopped", owner: key.owner)
        }
        guard watch.beginCall() else {
            throw ScriptError(.timeout, "the batch has used up its time", owner: key.owner)
        }
        if bytesSinceCheck > Self.heapCheckInterval {
            bytesSinceCheck = 0
            if let isolate, isolate.heapSize() > limits.memoryLimit { self.isolate = nil }
        }
        guard let isolate = isolate ?? Isolate(watch: watch, limits: limits) else {
            throw ScriptError(.memory, "no JavaScript context could be made", owner: key.owner)
        }
        self.isolate = isolate
        if let realm = isolate.readyRealm(for: key) { return realm }
        counts.compilations += 1
        defer { replaceIfEnded() }
        return try isolate.makeRealm(for: key)
    }

    private func call<Input, Output>(
        _ function: ScriptFunction<Input, Output>, _ input: Input, in realm: Realm
    ) throws(ScriptError) -> Output {
        defer { replaceIfEnded() }
        let arguments = function.arguments(input)
        for case .json(let bytes?) in arguments { bytesSinceCheck += bytes.count }
        bytesSinceCheck += 4_096
        return try realm.call(arguments, decode: function.decode)
    }

    /// Discards the isolate after a termination; its virtual machine must not be used again.
    private func replaceIfEnded() {
        guard watch.termination != nil else { return }
        counts.terminations += 1
        isolate = nil
    }

    private func fail<Output>(_ error: ScriptError) -> Result<Output, ScriptError> {
        counts.failures[error.code, default: 0] += 1
        return .failure(error)
    }

    private func report() {
        counters.add(counts)
        counts = ScriptStatistics()
    }
}
