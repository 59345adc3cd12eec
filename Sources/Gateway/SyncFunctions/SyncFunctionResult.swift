import Access
import Documents
import Storage

/// What a collection's sync function says of a revision that may be written.
struct SyncFunctionResult: Sendable {
    var channels: Set<String> = []

    /// The channels that the document grants, by user name, or by role name after `role:`.
    var access: [String: Set<String>] = [:]

    /// The roles that the document grants, by user name.
    var roles: [String: Set<String>] = [:]

    /// When the document expires, if the function says so: it goes before the writer's `_exp`.
    var expiry: DocumentExpiry?

    /// What a document's flags have to say, so that later revisions know what to look for.
    var flags: DocumentFlags {
        var flags: DocumentFlags = []
        if !channels.isEmpty { flags.insert(.inChannels) }
        if !access.isEmpty || !roles.isEmpty { flags.insert(.grants) }
        return flags
    }

    func grants(in collection: CollectionKey) -> Set<Grant> {
        var grants: Set<Grant> = []
        for (name, channels) in access {
            for channel in channels { grants.insert(Grant(to: Self.grantee(name), .channel(channel, collection))) }
        }
        for (name, roles) in roles {
            for role in roles { grants.insert(Grant(to: .user(name), .role(role))) }
        }
        return grants
    }

    /// The same without some of what it gives.
    func without(_ grants: Set<Grant>, in collection: CollectionKey) -> SyncFunctionResult {
        func rest(_ given: [String: Set<String>], _ permission: (String) -> Permission) -> [String: Set<String>] {
            var result: [String: Set<String>] = [:]
            for (name, values) in given {
                let kept = values.filter { !grants.contains(Grant(to: Self.grantee(name), permission($0))) }
                if !kept.isEmpty { result[name] = kept }
            }
            return result
        }
        var verdict = self
        verdict.access = rest(access) { .channel($0, collection) }
        verdict.roles = rest(roles) { .role($0) }
        return verdict
    }

    private static func grantee(_ name: String) -> Grantee {
        name.hasPrefix("role:") ? .role(String(name.dropFirst(5))) : .user(name)
    }

    /// Says where Sync Gateway's default functions put a document: in the channels of its `channels` property, and, in a named
    /// collection, in the channel of the collection's name.
    static func byDefault(_ body: [UInt8], in collection: CollectionName) -> SyncFunctionResult {
        byDefault(property: Channels.ofProperty(in: body), in: collection)
    }

    /// As ``byDefault(_:in:)``, where the body's `channels` property has been read already.
    static func byDefault(property: Set<String>, in collection: CollectionName) -> SyncFunctionResult {
        var channels = property.filter { !$0.isEmpty && !$0.utf8.contains(UInt8(ascii: ",")) && !CollectionChannel.isOne($0) }
        if collection != .default { channels.insert(CollectionChannel.name(of: collection.name)) }
        return SyncFunctionResult(channels: channels)
    }
}

/// The channels of a document where no sync function says otherwise.
enum Channels {
    /// The `channels` property: a string or a list of strings, as in Sync Gateway's default sync function.
    static func ofProperty(in body: [UInt8]) -> Set<String> {
        // A body has been checked when it came in, so that reading it again does not fail.
        (try? JSONReader.read(body) { try ofProperty(reading: &$0) }) ?? []
    }

    /// As ``ofProperty(in:)``, for a body that is being checked.
    static func ofProperty(reading body: inout JSONReader) throws -> Set<String> {
        var channels: Set<String> = []
        func add(_ name: inout JSONReader) throws {
            do {
                channels.insert(try name.string().composed)
            } catch  where error.code == .loneSurrogate {
                // JSON all the same, though no text: no channel can have that name.
            }
        }
        try body.object(uniqueKeys: false) { key, value in
            guard key == "channels" else { return }
            switch value.kind {
            case .string: try add(&value)
            case .array: try value.array { if $0.kind == .string { try add(&$0) } }
            default: break
            }
        }
        return channels
    }
}
