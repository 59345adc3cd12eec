import Crypto
package import HTTP
package import NIOCore

/// Which devices the bridge serves at the stage `dual`. It passes the requests of all others on to the old server.
///
/// The choice depends on the user alone, or on the address of a client without a login. So all devices of a user are on one side, at every bridge
/// with the same rules, and a larger share only adds users.
package struct DeviceRules: Hashable, Sendable {
    /// The most names, channels or addresses of a list.
    package static let maximumCount = 10_000

    /// The share of users and addresses that are moved, beside the named ones.
    package var share = Share.none

    /// The users that are moved.
    package var users: [NamePattern] = []

    /// The users of these channels are moved.
    package var channels: Set<String> = []

    /// Clients without a login are moved if their address is in one of these networks.
    package var addresses: [AddressRange] = []

    /// The users that are not moved, whatever the other rules say.
    package var except: [NamePattern] = []

    package init() {}

    /// Whether the rules can move any device.
    package var isEmpty: Bool { share == .none && users.isEmpty && channels.isEmpty && addresses.isEmpty }

    /// Whether a device is served by the bridge.
    ///
    /// - Parameter granted: The channels of the user here. Only needed if there are ``channels``.
    package func moves(_ device: DeviceIdentity, channels granted: Set<String> = []) -> Bool {
        switch device {
        case .user(let name):
            if except.contains(where: { $0.matches(name) }) { return false }
            return users.contains { $0.matches(name) } || !channels.isDisjoint(with: granted) || share.contains(device)
        case .address(let address):
            return address.map { address in addresses.contains { $0.contains(address) } } == true || share.contains(device)
        }
    }

    /// Whether these rules may pass on a device that `earlier` ones moved.
    package func movesBack(from earlier: DeviceRules) -> Bool {
        share.hundredths < earlier.share.hundredths || !Set(users).isSuperset(of: earlier.users)
            || !channels.isSuperset(of: earlier.channels)
            || !Set(addresses).isSuperset(of: earlier.addresses) || !Set(earlier.except).isSuperset(of: except)
    }

    /// The differences from earlier rules, for the audit: `percent 5 to 25, users +anna -bob`.
    package func change(from earlier: DeviceRules) -> String {
        var parts: [String] = []
        if share != earlier.share { parts.append("percent \(earlier.share.text) to \(share.text)") }
        func add(_ name: String, _ before: [String], _ after: [String]) {
            let added = after.filter { !before.contains($0) }.map { "+\($0)" }
            let removed = before.filter { !after.contains($0) }.map { "-\($0)" }
            let shown = (added + removed).prefix(20)
            guard !shown.isEmpty else { return }
            let more = added.count + removed.count - shown.count
            parts.append("\(name) \(shown.joined(separator: " "))\(more > 0 ? " and \(more) more" : "")")
        }
        add("users", earlier.users.map(\.text), users.map(\.text))
        add("channels", earlier.channels.sorted(), channels.sorted())
        add("addresses", earlier.addresses.map(\.description), addresses.map(\.description))
        add("except", earlier.except.map(\.text), except.map(\.text))
        return parts.joined(separator: ", ")
    }

    /// The rules that also move a user.
    package func moving(_ user: String) -> DeviceRules {
        var rules = self
        let name = NamePattern(exactly: user)
        rules.except.removeAll { $0 == name }
        if !rules.users.contains(name) { rules.users.append(name) }
        return rules
    }

    /// The rules that move a user back. Patterns that match the user stay; the exception comes first.
    package func movingBack(_ user: String) -> DeviceRules {
        var rules = self
        let name = NamePattern(exactly: user)
        rules.users.removeAll { $0 == name }
        if !rules.except.contains(name) { rules.except.append(name) }
        return rules
    }
}

/// The server of a device while devices are moved from the old server.
package enum DeviceSide: String, Hashable, Sendable, CaseIterable {
    /// The bridge serves the device.
    case here
    /// The bridge passes the device's requests on to the old server.
    case oldServer
}

/// The sender of a request, as far as the choice of the server depends on it.
package enum DeviceIdentity: Hashable, Sendable {
    case user(String)

    /// A client without a login; `nil` if its address is unknown.
    case address(SocketAddress?)

    /// The bytes by which ``Share`` decides. Devices of one IPv6 network count as one, because they change their addresses.
    fileprivate var key: [UInt8] {
        switch self {
        case .user(let name): return Array("user:".utf8) + Array(name.utf8)
        case .address(let address):
            let bytes = address.flatMap { AddressRange.bytes(of: $0) } ?? []
            return Array("address:".utf8) + (bytes.count == 16 ? bytes.prefix(8) : bytes[...])
        }
    }
}

/// A share of all users, in hundredths of a percent.
package struct Share: Hashable, Sendable {
    package static let none = Share(hundredths: 0)
    package static let all = Share(hundredths: 10_000)

    /// 0 to 10,000.
    package let hundredths: Int

    /// - Parameter hundredths: Values beyond the range count as its bounds.
    package init(hundredths: Int) {
        self.hundredths = min(max(hundredths, 0), 10_000)
    }

    /// - Parameter percent: 0 to 100, rounded to hundredths.
    /// - Returns: `nil` outside the range.
    package init?(percent: Double) {
        guard (0...100).contains(percent) else { return nil }
        self.init(hundredths: Int((percent * 100).rounded()))
    }

    package var percent: Double { Double(hundredths) / 100 }

    /// Whether a device is in the share. The order of the devices is that of a digest, the same for all databases and bridges.
    fileprivate func contains(_ device: DeviceIdentity) -> Bool {
        let number = SHA256.hash(data: device.key).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return number % 10_000 < UInt64(hundredths)
    }
}

/// A user's name, or a pattern of names in which `*` stands for any characters, also none.
package struct NamePattern: Hashable, Sendable {
    /// The longest pattern, in bytes.
    package static let maximumLength = 250

    /// As written. A name that has a star itself cannot be told from a pattern, and no server allows such a name.
    package let text: String

    /// - Returns: `nil` if the text is empty or too long.
    package init?(_ text: String) {
        guard 1...Self.maximumLength ~= text.utf8.count else { return nil }
        self.text = text
    }

    package init(exactly name: String) {
        text = name
    }

    /// Whether a name matches, byte by byte.
    package func matches(_ name: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map { Array($0) }
        guard parts.count > 1 else { return text.utf8.elementsEqual(name.utf8) }
        var rest = Array(name.utf8)[...]
        guard rest.starts(with: parts[0]) else { return false }
        rest = rest.dropFirst(parts[0].count)
        for part in parts[1..<(parts.count - 1)] where !part.isEmpty {
            guard let end = Self.end(of: part, in: rest) else { return false }
            rest = rest[end...]
        }
        let last = parts[parts.count - 1]
        return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
    }

    /// The end of the first occurrence.
    private static func end(of part: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        var start = bytes.startIndex
        while bytes.endIndex - start >= part.count {
            if bytes[start...].starts(with: part) { return start + part.count }
            start += 1
        }
        return nil
    }
}
