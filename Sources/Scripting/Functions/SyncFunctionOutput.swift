/// The result of a sync function.
package struct SyncFunctionOutput: Hashable, Sendable {
    /// A refusal of the write.
    package struct Rejection: Hashable, Sendable {
        /// The HTTP status: 403 for `throw({forbidden})` and failed `require…`, 401 for `throw({unauthorized})`.
        package let status: Int
        /// The thrown text, or Sync Gateway's text for the failed `require…` (`sg wrong user`, …).
        package let message: String
    }

    /// The document's channels. If `*` is among them, it is the only one.
    package internal(set) var channels: Set<String> = []
    /// The channels that the document grants, by user name, or by role name with the prefix `role:`. `*` cannot be granted, as in Sync Gateway.
    package internal(set) var access: [String: Set<String>] = [:]
    /// The roles, without `role:`, that the document grants, by user name.
    package internal(set) var roles: [String: Set<String>] = [:]
    /// The document's expiry in Couchbase's form: seconds from now up to 30 days, seconds since 1970 above that. `nil` if the function did not
    /// set it, or set an invalid time.
    package internal(set) var expiry: UInt32?
    /// Set if the write is refused; the other properties are then empty.
    package internal(set) var rejection: Rejection?

    /// Creates a result without a function, such as that of Sync Gateway's default sync function.
    package init(channels: Set<String> = []) {
        self.channels = channels
    }
}

extension SyncFunctionOutput.Rejection {
    /// The reply to a write whose sync function failed: 503 if it could not be called, otherwise 500.
    ///
    /// The text contains the kind of failure, with Sync Gateway's text for an exception. It omits the thrown value, which may quote the old
    /// document, which the writer may not be allowed to read. The thrown value appears only in the log (``ScriptError/description``).
    package init(_ error: ScriptError) {
        switch error.code {
        case .busy, .stopped:
            self.init(status: 503, message: "The JS sync function cannot be run now; try again later")
        case .timeout:
            self.init(status: 500, message: "The JS sync function was ended: it took too long")
        case .memory, .tooLarge:
            self.init(status: 500, message: "The JS sync function was ended: it took too much memory")
        case .compile:
            self.init(status: 500, message: "The JS sync function cannot be loaded")
        case .exception, .badResult, .badArgument:
            self.init(status: 500, message: "Exception in JS sync function")
        }
    }
}

extension SyncFunctionOutput {
    /// Decodes the sync function's outcome, in the format of `Harness.kinds`.
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

    /// Validates a name by Sync Gateway's rule (channels/set.go, `IsValidChannel`), which also applies to roles.
    private static func channel(_ name: String) throws(OutcomeError) -> String {
        guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: ",")) else {
            throw .refused("\"\(name)\" is not a channel's or role's name: it is empty or has a comma")
        }
        return name
    }
}
