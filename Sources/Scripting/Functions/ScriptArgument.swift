/// One argument of a call.
enum ScriptArgument: Sendable {
    /// JSON text in UTF-8; nil is null.
    case json([UInt8]?)
    case text(String)
    /// Becomes `[name, [roles], [channels]]`; nil is null.
    case user(SyncFunctionUser?)
}
