import CJavaScriptCore

/// A syntax error in a source. JavaScriptCore reports the line, but not the column.
struct SyntaxError {
    /// From 1.
    let line: Int
    /// From 1, in UTF-16 units: the start of the unexpected token, if known.
    let column: Int
    let message: String

    private static let atEnd = "SyntaxError: Unexpected end of script"

    /// Checks a source; `nil` if it is valid JavaScript.
    init?(in source: String, context: JSContextRef) {
        let units = Array(source.utf16)
        guard let error = Self.check(units[...], context) else { return nil }
        message = error.message
        guard error.message != Self.atEnd else {
            let lineStart = units.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
            line = units.count { $0 == 0x0A } + 1
            column = units.count - lineStart + 1
            return
        }
        // A parser stops at the first error. Truncating the source behind the error does not change the error; truncating it before gives another
        // one.
        var isBefore = 0
        var isBehind = units.count
        while isBehind - isBefore > 1 {
            let middle = (isBefore + isBehind) / 2
            if let cut = Self.check(units[..<middle], context), cut == error { isBehind = middle } else { isBefore = middle }
        }
        let start = isBehind - Self.quotedCount(at: units[..<isBehind], in: error.message)
        let lineStart = units[..<start].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        line = error.line
        column = start - lineStart + 1
    }

    /// Number of units at the source's end that the message quotes as unexpected; at least one.
    private static func quotedCount(at end: ArraySlice<UInt16>, in message: String) -> Int {
        var text = ""
        for count in 1...end.count {
            let longer = String(decoding: end.suffix(count), as: UTF16.self)
            guard message.contains(longer) else { break }
            text = longer
        }
        return max(1, text.drop { $0.isWhitespace }.utf16.count)
    }

    private static func check(_ units: ArraySlice<UInt16>, _ context: JSContextRef) -> (message: String, line: Int)? {
        guard
            let script = units.withUnsafeBufferPointer({ JSStringCreateWithCharacters($0.baseAddress, $0.count) })
        else { return nil }
        defer { JSStringRelease(script) }
        var exception: JSValueRef?
        if JSCheckScriptSyntax(context, script, nil, 1, &exception) { return nil }
        guard let exception, let object = JSValueToObject(context, exception, nil) else { return nil }
        let message = JSValueToStringCopy(context, exception, nil)
        let name = JSStringCreateWithUTF8CString("line")
        defer {
            if let message { JSStringRelease(message) }
            JSStringRelease(name)
        }
        guard let message else { return nil }
        let line = JSValueToNumber(context, JSObjectGetProperty(context, object, name, nil), nil)
        let text = UnsafeBufferPointer(start: JSStringGetCharactersPtr(message), count: JSStringGetLength(message))
        return (String(decoding: text, as: UTF16.self), Int(exactly: line) ?? 0)
    }
}
