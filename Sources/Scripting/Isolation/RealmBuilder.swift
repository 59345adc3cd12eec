import CJavaScriptCore

/// Turns a new context into a function's realm.
struct RealmBuilder {
    let context: JSGlobalContextRef
    let key: ScriptKey
    let watch: Watch
    let limits: ScriptLimits

    /// Builds the callable function, which is not yet protected from the garbage collector.
    func build() throws(ScriptError) -> JSObjectRef {
        let reason = JSStringCreateWithUTF8CString("code can't be made from text here")
        JSGlobalContextSetEvalEnabled(context, false, reason)
        JSStringRelease(reason)

        let kind = string(key.kind.rawValue)
        let arguments = [
            kind, JSValueMakeNumber(context, Double(limits.resultLimit)), JSValueMakeNumber(context, Double(limits.stringLimit)),
        ]
        let (harness, _) = evaluate(Harness.source, name: "harness")
        let (bind, failure) = call(harness, arguments)
        guard failure == nil, let bind else { throw ended("the function's environment could not be made") }
        JSValueProtect(context, bind)
        defer { JSValueUnprotect(context, bind) }

        let source = script
        let (value, exception) = evaluate(source, name: Harness.functionName)
        if let termination = watch.termination { throw ScriptError(termination, owner: key.owner) }
        if exception != nil, let error = SyntaxError(in: source, context: context) {
            throw ScriptError(
                .compile, error.message, owner: key.owner, isSyntaxError: true, line: error.line - 1, column: error.column)
        }
        let (answer, _) = call(bind, [value ?? exception ?? JSValueMakeUndefined(context), JSValueMakeBoolean(context, exception != nil)])
        if let termination = watch.termination { throw ScriptError(termination, owner: key.owner) }
        guard let answer else { throw ended("the source could not be loaded") }
        if let function = JSValueToObject(context, answer, nil), JSObjectIsFunction(context, function) { return function }
        guard let text = JSValueToStringCopy(context, answer, nil) else { throw ended("the source could not be loaded") }
        defer { JSStringRelease(text) }
        let units = UnsafeBufferPointer(start: JSStringGetCharactersPtr(text), count: JSStringGetLength(text))
        throw Outcome.loadingFailure(in: units, owner: key.owner) ?? ended("the source could not be loaded")
    }

    /// The source as a script whose value is the function.
    ///
    /// - The prefix turns `function (doc) {}` into an expression. It is a line of its own, so that columns do not change.
    /// - A semicolon, a comment or other functions may follow the function, as in any script.
    /// - Configurations enclose functions in backquotes, as Sync Gateway's do. Spaces replace the backquotes, so that lines and columns do not
    ///   change.
    private var script: String {
        var source = Substring(key.source)
        while let last = source.last, last.isWhitespace { source = source.dropLast() }
        let start = source.prefix(while: \.isWhitespace)
        let function = source[start.endIndex...]
        if function.count > 1, function.first == "`", function.last == "`" { source = start + " " + function.dropFirst().dropLast() }
        return "0,\n" + source
    }

    private func ended(_ message: String) -> ScriptError {
        watch.termination.map { ScriptError($0, owner: key.owner) } ?? ScriptError(.compile, message, owner: key.owner)
    }

    private func string(_ text: String) -> JSValueRef? {
        let string = JSStringCreateWithUTF8CString(text)
        defer { JSStringRelease(string) }
        return JSValueMakeString(context, string)
    }

    private func evaluate(_ source: String, name: String) -> (value: JSValueRef?, exception: JSValueRef?) {
        let units = Array(source.utf16)
        let script = JSStringCreateWithCharacters(units, units.count)
        let url = JSStringCreateWithUTF8CString(name)
        defer {
            JSStringRelease(script)
            JSStringRelease(url)
        }
        var exception: JSValueRef?
        let value = JSEvaluateScript(context, script, nil, url, 1, &exception)
        return (exception == nil ? value : nil, exception)
    }

    private func call(_ function: JSValueRef?, _ arguments: [JSValueRef?]) -> (value: JSValueRef?, exception: JSValueRef?) {
        guard let function, JSValueIsObject(context, function) else { return (nil, nil) }
        var exception: JSValueRef?
        let value = JSObjectCallAsFunction(context, JSValueToObject(context, function, nil), nil, arguments.count, arguments, &exception)
        return (exception == nil ? value : nil, exception)
    }
}
