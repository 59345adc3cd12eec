/// What a sync function decided about a write.
public struct SyncFunctionOutput: Hashable, Sendable {
    /// The function refused the write.
    public struct Rejection: Hashable, Sendable {
        /// The HTTP status: 403 for `throw({forbidden})` and failed `require…`, 401 for `throw({unauthorized})`.
        public let status: Int
        /// The text that was thrown, or Sync Gateway's for the `require…` that failed (`sg wrong user`, …).
        public let message: String
    }

    /// The channels that the document is in. `*` alone, if it is in `*`.
    public internal(set) var channels: Set<String> = []
    /// The channels that the document grants, by user name, or role name after `role:`. `*` can't be granted, as in Sync Gateway.
    public internal(set) var access: [String: Set<String>] = [:]
    /// The roles, without `role:`, that the document grants, by user name.
    public internal(set) var roles: [String: Set<String>] = [:]
    /// When the document expires, in Couchbase's form: seconds from now up to 30 days, seconds since 1970 above that. Nil if the
    /// function did not say, or gave something that is no time.
    public internal(set) var expiry: UInt32?
    /// Why the write is refused, if it is; then the rest is empty.
    public internal(set) var rejection: Rejection?

    /// A result that no function was asked for, such as that of Sync Gateway's default sync function.
    public init(channels: Set<String> = []) {
        self.channels = channels
    }
}

extension SyncFunctionOutput.Rejection {
    /// How a write is answered whose sync function came to no decision: 503 when it could not be asked, else 500.
    ///
    /// The text says that the sync function failed and how, with Sync Gateway's words for an exception. What a function throws may
    /// quote the old document, which the writer need not be allowed to read, so it goes to the log only (``ScriptError/description``).
    public init(_ error: ScriptError) {
        switch error.code {
        case .busy, .stopped:
            self.init(status: 503, message: "The JS sync function cannot be asked now; try again later")
        case .timeout:
            self.init(status: 500, message: "The JS sync function was ended: it took too long")
        case .memory, .tooLarge:
            self.init(status: 500, message: "The JS sync function was ended: it took too much memory")
        case .compile:
            self.init(status: 500, message: "The JS sync function cannot be loaded")
        default:
            self.init(status: 500, message: "Exception in JS sync function")
        }
    }
}

extension SyncFunctionOutput {
    /// From the sync function's outcome, the form of which `Harness.kinds` describes.
    init(from reader: inout OutcomeReader) throws(OutcomeError) {
        self.init()
        switch reader.letter() {
        case "F": rejection = Rejection(status: 403, message: reader.rest())
        case "U": rejection = Rejection(status: 401, message: reader.rest())
        case "K": try readFields(&reader)
        default: throw .unknown
        }
    }

    private mutating func readFields(_ reader: inout OutcomeReader) throws(OutcomeError) {
        var grantee = ""
        while let field = try reader.field() {
            switch field.letter {
            case "c": channels.insert(try Self.channel(field.text))
            case "u": grantee = field.text
            case "a":
                let channel = try Self.channel(field.text)
                if channel != "*" { access[grantee, default: []].insert(channel) }
            case "r":
                guard field.text.hasPrefix("role:") else {
                    throw .refused("role() was given \"\(field.text)\": a role's name begins with \"role:\"")
                }
                let role = try Self.channel(String(field.text.dropFirst("role:".count)))
                if role != "*" { roles[grantee, default: []].insert(role) }
            case "x": expiry = UInt32(field.text)
            default: throw .unknown
            }
        }
        if channels.contains("*") { channels = ["*"] }
    }

    /// Sync Gateway's rule (channels/set.go, `IsValidChannel`), which it applies to roles as well.
    private static func channel(_ name: String) throws(OutcomeError) -> String {
        guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: ",")) else {
            throw .refused("\"\(name)\" is not a channel's or role's name: it is empty or has a comma")
        }
        return name
    }
}
