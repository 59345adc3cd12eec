package import Documents
import HTTP

/// The rules in JSON, for the admin port and the store: the keys of the configuration.
extension DeviceRules {
    package static let keys = ["percent", "users", "channels", "addresses", "except"]

    package var json: JSONValue {
        .object([
            JSONMember("percent", .number(share.text)),
            JSONMember("users", .array(users.map { .string($0.text) })),
            JSONMember("channels", .array(channels.sorted().map { .string($0) })),
            JSONMember("addresses", .array(addresses.map { .string($0.description) })),
            JSONMember("except", .array(except.map { .string($0.text) })),
        ])
    }

    /// Reads rules; members that are missing have their defaults.
    ///
    /// - Throws: ``CutoverError`` `badRules` for unknown members and for values of other forms.
    package init(_ json: JSONValue) throws(CutoverError) {
        self.init()
        try merge(json)
    }

    /// Replaces the rules that an object has.
    ///
    /// - Throws: ``CutoverError`` `badRules` for unknown members and for values of other forms.
    package mutating func merge(_ json: JSONValue) throws(CutoverError) {
        guard let members = json.members else { throw Self.bad("an object with \(Self.keys.joined(separator: ", ")) is expected") }
        for member in members {
            switch member.key {
            case "percent": share = try Self.share(member.value)
            case "users": users = try Self.patterns(member)
            case "channels": channels = Set(try Self.texts(member))
            case "addresses": addresses = try Self.ranges(member)
            case "except": except = try Self.patterns(member)
            default: throw Self.bad("unknown \"\(member.key)\": there are \(Self.keys.joined(separator: ", "))")
            }
        }
    }

    private static func share(_ value: JSONValue) throws(CutoverError) -> Share {
        guard case .number(let text) = value, let share = Double(text).flatMap({ Share(percent: $0) }) else {
            throw bad("\"percent\" has to be a number from 0 to 100")
        }
        return share
    }

    private static func texts(_ member: JSONMember) throws(CutoverError) -> [String] {
        guard let items = member.value.array, items.count <= maximumCount else {
            throw bad("\"\(member.key)\" has to be a list of at most \(maximumCount) texts")
        }
        var texts: [String] = []
        for item in items {
            guard let text = item.string, !text.isEmpty else { throw bad("\"\(member.key)\" has to be a list of texts that are not empty") }
            texts.append(text)
        }
        return texts
    }

    private static func patterns(_ member: JSONMember) throws(CutoverError) -> [NamePattern] {
        var patterns: [NamePattern] = []
        for text in try texts(member) {
            guard let pattern = NamePattern(text) else {
                throw bad("\"\(member.key)\" has a name of more than \(NamePattern.maximumLength) bytes")
            }
            patterns.append(pattern)
        }
        return patterns
    }

    private static func ranges(_ member: JSONMember) throws(CutoverError) -> [AddressRange] {
        var ranges: [AddressRange] = []
        for text in try texts(member) {
            guard let range = AddressRange(text) else {
                throw bad("`\(text)` is no address or network, such as `10.1.2.3` or `10.0.0.0/8`")
            }
            ranges.append(range)
        }
        return ranges
    }

    private static func bad(_ reason: String) -> CutoverError { CutoverError(.badRules, "Bad rules for devices: \(reason)") }
}

extension Share {
    /// The percentage without superfluous zeros: `5`, `12.5`, `0.01`.
    package var text: String {
        let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
        guard rest > 0 else { return "\(whole)" }
        return "\(whole)." + (rest % 10 == 0 ? "\(rest / 10)" : (rest < 10 ? "0" : "") + "\(rest)")
    }
}
