import CJavaScriptCore
import Foundation

/// One function in a global environment of its own. Belongs to one thread.
final class Realm {
    /// When it was last used, by its isolate's clock.
    var lastUse = 0

    private let owner: String
    private let context: JSGlobalContextRef
    private let watch: Watch
    private let limits: ScriptLimits
    private let function: JSObjectRef
    private var scratch: [UInt8] = []

    /// Makes the environment and the function. What the source does when it is evaluated is bounded like a call.
    init(_ key: ScriptKey, group: JSContextGroupRef, watch: Watch, limits: ScriptLimits) throws(ScriptError) {
        guard let context = JSGlobalContextCreateInGroup(group, nil) else {
            throw ScriptError(.memory, "no JavaScript context could be made", owner: key.owner)
        }
        do {
            function = try RealmBuilder(context: context, key: key, watch: watch, limits: limits).build()
        } catch {
            JSGlobalContextRelease(context)
            throw error
        }
        JSValueProtect(context, function)
        owner = key.owner
        self.context = context
        self.watch = watch
        self.limits = limits
    }

    deinit {
        JSValueUnprotect(context, function)
        JSGlobalContextRelease(context)
    }

    /// Calls the function once.
    func call<Output>(
        _ arguments: [ScriptArgument], decode: (inout OutcomeReader) throws(OutcomeError) -> Output
    ) throws(ScriptError) -> Output {
        var values: [JSValueRef?] = []
        values.reserveCapacity(arguments.count)
        // The collector finds what is on the stack, but not what is in this array.
        defer { for value in values { JSValueUnprotect(context, value) } }
        for argument in arguments {
            let value = try value(of: argument)
            JSValueProtect(context, value)
            values.append(value)
        }
        var exception: JSValueRef?
        let result = JSObjectCallAsFunction(context, function, nil, values.count, values, &exception)
        if let verdict = watch.verdict { throw ScriptError(verdict, owner: owner) }
        guard exception == nil, let result, let text = JSValueToStringCopy(context, result, nil) else {
            throw ScriptError(.exception, "the call ended without an answer", owner: owner)
        }
        defer { JSStringRelease(text) }
        return try Outcome.read(text, owner: owner, decode: decode)
    }

    private func value(of argument: ScriptArgument) throws(ScriptError) -> JSValueRef? {
        switch argument {
        case .json(nil):
            return JSValueMakeNull(context)
        case .json(let bytes?):
            guard bytes.count <= limits.argumentLimit else {
                throw ScriptError(
                    .tooLarge, "an argument has \(bytes.count) bytes; \(limits.argumentLimit) are allowed", owner: owner)
            }
            // JSON has no NUL, and JavaScriptCore would take the text to end there.
            guard !bytes.contains(0), let value = parse(bytes) else {
                throw ScriptError(.badArgument, "an argument is not JSON", owner: owner)
            }
            return value
        case .text(let text):
            let units = Array(text.utf16)
            let string = JSStringCreateWithCharacters(units, units.count)
            defer { JSStringRelease(string) }
            return JSValueMakeString(context, string)
        }
    }

    private func parse(_ bytes: [UInt8]) -> JSValueRef? {
        scratch.removeAll(keepingCapacity: scratch.capacity < 1 << 20)
        scratch.reserveCapacity(bytes.count + 1)
        scratch.append(contentsOf: bytes)
        scratch.append(0)
        let string = scratch.withUnsafeBytes { JSStringCreateWithUTF8CString($0.bindMemory(to: CChar.self).baseAddress) }
        guard let string else { return nil }
        defer { JSStringRelease(string) }
        return JSValueMakeFromJSONString(context, string)
    }
}
