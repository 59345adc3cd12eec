/// One thread's contexts: one for each function that it has met. It stays on its thread.
struct ScriptWorker {
    private let limits: ScriptLimits
    private var contexts: [ScriptFunction: FunctionContext] = [:]

    init(limits: ScriptLimits) {
        self.limits = limits
    }

    mutating func compile(_ function: ScriptFunction) throws(ScriptError) {
        _ = try context(of: function)
    }

    mutating func test(_ function: ScriptFunction, _ arguments: [[UInt8]]) throws(ScriptError) -> Bool {
        let size = arguments.reduce(0) { $0 + $1.count }
        guard size <= limits.argumentSize else {
            throw ScriptError(.badArguments, "the document has \(size) bytes; a function may be given \(limits.argumentSize)")
        }
        let context = try context(of: function)
        defer {
            // A function that was stopped, or hoards memory, gets a fresh context.
            if context.isSpent { contexts[function] = nil }
        }
        return try context.test(arguments)
    }

    private mutating func context(of function: ScriptFunction) throws(ScriptError) -> FunctionContext {
        if let context = contexts[function] { return context }
        let context = try FunctionContext(function, limits: limits)
        contexts[function] = context
        return context
    }
}
