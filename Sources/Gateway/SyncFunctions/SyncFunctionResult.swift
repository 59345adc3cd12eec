import Access
import Documents
import Storage

/// The result of a sync function that accepts a revision.
struct SyncFunctionResult: Sendable {
    var channels: Set<String> = []

    /// The channels that the document grants, by user name, or by role name after `role:`.
    var access: [String: Set<String>] = [:]

    /// The roles that the document grants, by user name.
    var roles: [String: Set<String>] = [:]

    /// When the document expires, if the function sets it. It takes precedence over the writer's `_exp`.
    var expiry: DocumentExpiry?

    /// The document's flags for this result, so that later revisions read only what exists.
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

    /// The result without some of its grants.
    func without(_ grants: Set<Grant>, in collection: CollectionKey) -> SyncFunctionResult {
        func rest(_ given: [String: Set<String>], _ permission: (String) -> Permission) -> [String: Set<String>] {
            var result: [String: Set<String>] = [:]
            for (name, values) in given {
                let kept = values.filter { !grants.contains(Grant(to: Self.grantee(name), permission($0))) }
                if !kept.isEmpty { result[name] = kept }
            }
            return result
        }
        var limited = self
        limited.access = rest(access) { .channel($0, collection) }
        limited.roles = rest(roles) { .role($0) }
        return limited
    }

    private static func grantee(_ name: String) -> Grantee {
        name.hasPrefix("role:") ? .role(String(name.dropFirst(5))) : .user(name)
    }

    /// The result of Sync Gateway's default functions: the channels of the `channels` property, and, in a named collection, the channel of the
    /// collection's name.
    static func byDefault(_ body: [UInt8], in collection: CollectionName) -> SyncFunctionResult {
        byDefault(property: Channels.ofProperty(in: body), in: collection)
    }

    /// Like ``byDefault(_:in:)``, for a `channels` property that has been read already.
    static func byDefault(property: Set<String>, in collection: CollectionName) -> SyncFunctionResult {
        var channels = property.filter { !$0.isEmpty && !$0.utf8.contains(UInt8(ascii: ",")) && !CollectionChannel.isOne($0) }
        if collection != .default { channels.insert(CollectionChannel.name(of: collection.name)) }
        return SyncFunctionResult(channels: channels)
    }
}

/// Reads the channels of the default sync function.
enum Channels {
    /// The `channels` property: a string or a list of strings, as in Sync Gateway's default sync function.
    static func ofProperty(in body: [UInt8]) -> Set<String> {
        // Bodies are validated when they are received, so reading them again does not fail.
        (try? JSONReader.read(body) { try ofProperty(reading: &$0) }) ?? []
    }

    /// Like ``ofProperty(in:)``, for a body during its validation.
    static func ofProperty(reading body: inout JSONReader) throws -> Set<String> {
        var channels: Set<String> = []
        func add(_ name: inout JSONReader) throws {
            do {
                channels.insert(try name.string().composed)
            } catch  where error.code == .loneSurrogate {
                // Valid JSON, but not valid text: no channel can have that name.
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
