import CJavaScriptCore

/// One function in a global environment of its own. Belongs to one thread.
final class Realm {
    /// When it was last used, by its isolate's clock.
    var lastUse = 0

    private let owner: String

    /// Whether numbers are given as what they are: what a resolver makes of a document takes the document's place.
    private let keepsNumbers: Bool
    private let context: JSGlobalContextRef
    private let watch: Watch
    private let limits: ScriptLimits
    private let function: JSObjectRef
    private var scratch: [UInt8] = []
    /// The user of the last call, and what JavaScript knows of it: the writes of a batch have one.
    private var lastUser: (user: SyncFunctionUser, value: JSValueRef?)?

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
        keepsNumbers = key.kind == .resolver
        self.context = context
        self.watch = watch
        self.limits = limits
    }

    deinit {
        forgetUser()
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
        forgetUser()
        let made = JSObjectMakeArray(context, 0, nil, nil)
        JSValueProtect(context, made)
        lastUser = (user, made)
        JSObjectSetPropertyAtIndex(context, made, 0, value(of: user.name), nil)
        for (index, names) in [user.roles, user.channels].enumerated() {
            let list = JSObjectMakeArray(context, 0, nil, nil)
            // From here on the collector finds it.
            JSObjectSetPropertyAtIndex(context, made, UInt32(index + 1), list, nil)
            for (place, name) in names.enumerated() { JSObjectSetPropertyAtIndex(context, list, UInt32(place), value(of: name), nil) }
        }
        return made
    }

    private func forgetUser() {
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
