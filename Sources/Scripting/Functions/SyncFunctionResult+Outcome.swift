extension SyncFunctionResult {
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
