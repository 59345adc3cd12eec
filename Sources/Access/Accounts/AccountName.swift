import Foundation

/// Validates the names of users, roles and channels, and emails, as Sync Gateway does.
enum AccountName {
    /// Sync Gateway's limit, in bytes.
    private static let maximumLength = 239

    /// Checks the name of a user or role.
    ///
    /// In addition to Sync Gateway's rules, a name has to be in Unicode's composed form (NFC). Names are compared by bytes here, so two accounts
    /// could otherwise have names that look the same and are equal elsewhere.
    ///
    /// - Throws: ``AccessError`` `badRequest` with Sync Gateway's text.
    static func validate(_ name: String) throws(AccessError) {
        var complaints: [String] = []
        if name.utf8.count > maximumLength { complaints.append("length exceeds \(maximumLength)") }
        if name.unicodeScalars.contains(where: { "/:,`".unicodeScalars.contains($0) }) {
            complaints.append("contains '/', ':', ',', or '`'")
        }
        if name.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f }) { complaints.append("contains control characters") }
        if !name.unicodeScalars.contains(where: { $0.properties.isAlphabetic || $0.properties.numericType != nil }) {
            complaints.append("must contain at least one alphanumeric character")
        }
        if !name.utf8.elementsEqual(name.precomposedStringWithCanonicalMapping.utf8) {
            complaints.append("is not in Unicode's composed form")
        }
        guard complaints.isEmpty else { throw AccessError(.badRequest, "invalid name: \(complaints.joined(separator: ", "))") }
    }

    /// Checks the name of a channel: it is not empty and has no comma.
    static func validate(channel: String) throws(AccessError) {
        guard !channel.isEmpty, channel.utf8.count <= 1024, !channel.utf8.contains(UInt8(ascii: ",")) else {
            throw AccessError(.badRequest, "Illegal channel name \"\(channel)\"")
        }
    }

    /// Checks an email: exactly one `@`, with text on both sides.
    static func validate(email: String) throws(AccessError) {
        let parts = email.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), email.utf8.count <= 320 else {
            throw AccessError(.badRequest, "Invalid email address")
        }
    }
}

extension String {
    /// The text in Unicode's composed form (NFC), in which names of channels and roles are stored and compared.
    ///
    /// The store compares bytes, and `String` compares canonically equivalent texts as equal. So names with several spellings are normalised on
    /// input.
    package var composed: String {
        utf8.allSatisfy { $0 < 0x80 } ? self : precomposedStringWithCanonicalMapping
    }
}
