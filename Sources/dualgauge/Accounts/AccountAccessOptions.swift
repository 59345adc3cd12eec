import ArgumentParser
import Documents

/// The options that grant channels to users and roles.
struct AccountAccessOptions: ParsableArguments {
    @Option(
        name: .customLong("channel"), parsing: .singleValue,
        help: ArgumentHelp(
            "A channel of the default collection and of all collections that legacy clients see; repeat it for more, '' for none.",
            valueName: "name"))
    var channels: [String] = []

    @Option(
        name: .customLong("collection-channel"), parsing: .singleValue,
        help: ArgumentHelp(
            "A channel of one collection, in place of those of --channel there: sales.orders=paid. Without a name after the = no channel holds there.",
            valueName: "collection=name"))
    var collectionChannels: [String] = []

    func validate() throws {
        for text in collectionChannels {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].split(separator: ".").count == 2 else {
                throw ValidationError("--collection-channel takes scope.collection=channel, not \(text).")
            }
        }
    }

    /// The options as members of the admin port's JSON. Omitted options are absent, so that the request does not change them.
    var members: [JSONMember] {
        var members: [JSONMember] = []
        if !channels.isEmpty { members.append(JSONMember("admin_channels", JSONValue(texts: channels))) }
        if !collectionChannels.isEmpty { members.append(JSONMember("collection_access", collectionAccess)) }
        return members
    }

    private var collectionAccess: JSONValue {
        var scopes: [String: [String: [String]]] = [:]
        for text in collectionChannels {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let names = parts[0].split(separator: ".").map(String.init)
            scopes[names[0], default: [:]][names[1], default: []].append(String(parts[1]))
        }
        return .object(
            scopes.sorted { $0.key < $1.key }.map { scope, collections in
                JSONMember(
                    scope,
                    .object(
                        collections.sorted { $0.key < $1.key }.map { name, channels in
                            JSONMember(name, .object([JSONMember("admin_channels", JSONValue(texts: channels))]))
                        }))
            })
    }
}

extension JSONValue {
    /// The texts of a repeated option; a single empty text stands for an empty list.
    init(texts: [String]) {
        self = .array(texts.filter { !$0.isEmpty }.map { .string($0) })
    }
}
