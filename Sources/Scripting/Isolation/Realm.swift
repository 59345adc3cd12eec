import CJavaScriptCore

/// One function in its own global environment. Confined to one thread.
final class Realm {
    /// Time of the last use, by its isolate's clock.
    var lastUse = 0

    private let owner: String

    /// Whether inexact numbers stay numbers: a resolver's result replaces the document, so its numbers must not become strings.
    private let keepsNumbers: Bool
    private let context: JSGlobalContextRef
    private let watch: Watch
    private let limits: ScriptLimits
    private let function: JSObjectRef
    private var scratch: [UInt8] = []
    /// The user of the last call and its JavaScript value, because the writes of a batch have the same user.
    private var lastUser: (user: SyncFunctionUser, value: JSValueRef?)?

    /// Creates the environment and the function. The evaluation of the source has the same limits as a call.
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
        keepsNumbers = key.kind == .resolver
        self.context = context
        self.watch = watch
        self.limits = limits
    }

    deinit {
        releaseUser()
        JSValueUnprotect(context, function)
        JSGlobalContextRelease(context)
    }

    /// Calls the function once.
    func call<Output>(
        _ arguments: [ScriptArgument], decode: (inout OutcomeReader) throws(OutcomeError) -> Output
    ) throws(ScriptError) -> Output {
        var values: [JSValueRef?] = []
        values.reserveCapacity(arguments.count)
        // The garbage collector scans the stack, but not this array.
        defer { for value in values { JSValueUnprotect(context, value) } }
        for argument in arguments {
            let value = try value(of: argument)
            JSValueProtect(context, value)
            values.append(value)
        }
        var exception: JSValueRef?
        let result = JSObjectCallAsFunction(context, function, nil, values.count, values, &exception)
        if let termination = watch.termination { throw ScriptError(termination, owner: owner) }
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
            // JSON contains no NUL, and JavaScriptCore would truncate the text there.
            guard !bytes.contains(0), let value = parse(bytes) else {
                throw ScriptError(.badArgument, "an argument is not JSON", owner: owner)
            }
            return value
        case .text(let text):
            return value(of: text)
        case .user(nil):
            return JSValueMakeNull(context)
        case .user(let user?):
            return value(of: user)
        }
    }

    private func value(of text: String) -> JSValueRef? {
        let units = Array(text.utf16)
        let string = JSStringCreateWithCharacters(units, units.count)
        defer { JSStringRelease(string) }
        return JSValueMakeString(context, string)
    }

    private func value(of user: SyncFunctionUser) -> JSValueRef? {
        if let lastUser, lastUser.user == user { return lastUser.value }
        releaseUser()
        let made = JSObjectMakeArray(context, 0, nil, nil)
        JSValueProtect(context, made)
        lastUser = (user, made)
        JSObjectSetPropertyAtIndex(context, made, 0, value(of: user.name), nil)
        for (index, names) in [user.roles, user.channels].enumerated() {
            let list = JSObjectMakeArray(context, 0, nil, nil)
            // From here on `made` references the list, which protects it from the garbage collector.
            JSObjectSetPropertyAtIndex(context, made, UInt32(index + 1), list, nil)
            for (place, name) in names.enumerated() { JSObjectSetPropertyAtIndex(context, list, UInt32(place), value(of: name), nil) }
        }
        return made
    }

    private func releaseUser() {
        if let lastUser { JSValueUnprotect(context, lastUser.value) }
        lastUser = nil
    }

    private func parse(_ json: [UInt8]) -> JSValueRef? {
        let bytes = keepsNumbers ? json : ExactNumbers.quoted(json) ?? json
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
