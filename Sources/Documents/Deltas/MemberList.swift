/// The members of one object, each where it stands in the text.
struct MemberList {
    struct Member {
        /// The key as text, escapes replaced.
        let name: [UInt8]
        /// The key as it stands, with its quotes.
        let key: ArraySlice<UInt8>
        let value: ArraySlice<UInt8>
    }

    private(set) var members: [Member] = []
    private var places: [[UInt8]: Int] = [:]

    /// `nil` if a key comes twice: which of both counts is everybody's own affair.
    init?(_ object: ArraySlice<UInt8>) throws {
        var isUnique = true
        var members: [Member] = []
        var places: [[UInt8]: Int] = [:]
        try JSONReader.read(object) { reader in
            try reader.object(uniqueKeys: false) { key, value in
                let name = key.text
                let raw = value.bytes(key.offset..<key.offset + key.raw.count + 2)
                if places.updateValue(members.count, forKey: name) != nil { isUnique = false }
                members.append(Member(name: name, key: raw, value: try value.raw()))
            }
        }
        guard isUnique else { return nil }
        self.members = members
        self.places = places
    }

    subscript(name: [UInt8]) -> ArraySlice<UInt8>? { places[name].map { members[$0].value } }
}
