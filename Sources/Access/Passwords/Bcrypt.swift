import CCrypt

/// Hashes that Sync Gateway has made: `$2a$10$` and 53 characters.
struct Bcrypt {
    /// Each step doubles the work. Sync Gateway's own is 10; a hash beyond this one would hold a worker for seconds.
    private static let maximumCost = 14

    private let text: String

    /// Reads a hash; `nil` if it is of another function, malformed, or too dear.
    init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].isEmpty, ["2a", "2b", "2y"].contains(String(decoding: parts[1], as: UTF8.self)),
            parts[2].count == 2, let cost = Int(String(decoding: parts[2], as: UTF8.self)), (4...Self.maximumCost).contains(cost),
            parts[3].count == 53, parts[3].allSatisfy(Self.isDigit)
        else { return nil }
        self.text = text
    }

    /// Whether this is the password, in a time that does not depend on where the hashes differ.
    func matches(_ password: String) -> Bool {
        // What follows a zero would not be looked at.
        guard !password.utf8.contains(0) else { return false }
        let area = UnsafeMutableRawPointer.allocate(byteCount: dualgauge_crypt_size(), alignment: 16)
        area.initializeMemory(as: UInt8.self, repeating: 0, count: dualgauge_crypt_size())
        defer {
            // It holds what the password was made into.
            area.initializeMemory(as: UInt8.self, repeating: 0, count: dualgauge_crypt_size())
            area.deallocate()
        }
        guard let result = dualgauge_crypt(password, text, area) else { return false }
        return ConstantTime.equal(Array(String(cString: result).utf8), Array(text.utf8))
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: ".")...UInt8(ascii: "9"): true
        default: false
        }
    }
}
