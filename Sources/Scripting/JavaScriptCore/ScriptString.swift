import CJavaScriptCore

/// A JavaScript string with an owner.
final class ScriptString {
    let reference: JSStringRef?

    init(_ text: String) {
        reference = JSStringCreateWithUTF8CString(text)
    }

    /// From UTF-8 that may hold NUL, which a C string cannot.
    init(utf8: [UInt8]) {
        let units = Array(String(decoding: utf8, as: UTF8.self).utf16)
        reference = JSStringCreateWithCharacters(units, units.count)
    }

    private init(owning reference: JSStringRef) {
        self.reference = reference
    }

    deinit {
        if let reference { JSStringRelease(reference) }
    }

    var text: String {
        guard let reference, let characters = JSStringGetCharactersPtr(reference) else { return "" }
        return String(decoding: UnsafeBufferPointer(start: characters, count: JSStringGetLength(reference)), as: UTF16.self)
    }

    /// What a thrown value says of itself, whatever it is, shortened.
    static func describe(_ value: JSValueRef, in context: JSContextRef) -> String {
        var exception: JSValueRef?
        guard let string = JSValueToStringCopy(context, value, &exception), exception == nil else {
            return "the function threw a value that has no text"
        }
        return String(ScriptString(owning: string).text.prefix(500))
    }
}
