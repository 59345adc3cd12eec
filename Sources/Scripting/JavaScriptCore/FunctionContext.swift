import CJavaScriptCore

/// A JavaScript context with one function in it. Not Sendable: it lives and dies on one thread.
final class FunctionContext {
    private let group: JSContextGroupRef
    private let context: JSGlobalContextRef
    private let function: JSObjectRef
    private let limits: ScriptLimits
    private var wasStopped = false

    init(_ source: ScriptFunction, limits: ScriptLimits) throws(ScriptError) {
        guard let group = JSContextGroupCreate(), let context = JSGlobalContextCreateInGroup(group, nil) else {
            throw ScriptError(.compile, "JavaScript could not be started")
        }
        self.group = group
        self.context = context
        self.limits = limits
        JSContextGroupSetExecutionTimeLimit(group, limits.seconds, { _, _ in true }, nil)
        do {
            function = try Self.evaluate(source.source, in: context)
        } catch {
            JSGlobalContextRelease(context)
            JSContextGroupRelease(group)
            throw error
        }
        JSValueProtect(context, function)
    }

    deinit {
        JSValueUnprotect(context, function)
        JSGlobalContextRelease(context)
        JSContextGroupRelease(group)
    }

    /// Whether the context should be thrown away.
    var isSpent: Bool { wasStopped || heapSize > limits.heapSize }

    /// Calls the function; whether what it returned is true for JavaScript.
    func test(_ arguments: [[UInt8]]) throws(ScriptError) -> Bool {
        var values: [JSValueRef?] = []
        for argument in arguments { values.append(try value(ofJSON: argument)) }
        // Each call has its own time.
        JSContextGroupSetExecutionTimeLimit(group, limits.seconds, { _, _ in true }, nil)
        var exception: JSValueRef?
        let result = JSObjectCallAsFunction(context, function, nil, values.count, &values, &exception)
        if let exception { throw error(for: exception) }
        guard let result else {
            wasStopped = true
            throw ScriptError(.timeout, "the function was stopped after \(limits.seconds) s")
        }
        return JSValueToBoolean(context, result)
    }

    private func value(ofJSON json: [UInt8]) throws(ScriptError) -> JSValueRef? {
        let text = ScriptString(utf8: json)
        guard let value = JSValueMakeFromJSONString(context, text.reference) else {
            throw ScriptError(.badArguments, "the document is not JSON that JavaScript can read")
        }
        return value
    }

    private func error(for exception: JSValueRef) -> ScriptError {
        let text = ScriptString.describe(exception, in: context)
        if text.contains("execution terminated") {
            wasStopped = true
            return ScriptError(.timeout, "the function was stopped after \(limits.seconds) s")
        }
        return ScriptError(.exception, text)
    }

    /// Bytes of the heap, by JavaScriptCore's own count.
    private var heapSize: Int {
        guard let statistics = JSGetMemoryUsageStatistics(context) else { return 0 }
        let name = ScriptString("heapSize")
        guard let value = JSObjectGetProperty(context, statistics, name.reference, nil) else { return 0 }
        let number = JSValueToNumber(context, value, nil)
        return number.isFinite ? Int(number) : 0
    }

    private static func evaluate(_ source: String, in context: JSGlobalContextRef) throws(ScriptError) -> JSObjectRef {
        let text = ScriptString("(\(source)\n)")
        var exception: JSValueRef?
        let value = JSEvaluateScript(context, text.reference, nil, nil, 1, &exception)
        if let exception { throw ScriptError(.compile, ScriptString.describe(exception, in: context)) }
        guard let value, let object = JSValueToObject(context, value, nil), JSObjectIsFunction(context, object) else {
            throw ScriptError(.compile, "the source is not a function; write `function (doc) { return … }`")
        }
        return object
    }
}
