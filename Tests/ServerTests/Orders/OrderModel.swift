import TestSupport

/// A document by this model, not by the product.
struct OrderedDocument {
    var channels: Set<String>
    var type: String

    /// The recipient of a channel by `access()`, where the functions grant one.
    var member: String?
    var gives: String?
}

/// The rule of a collection's function.
enum OrderedFunction {
    case standard
    case adding(String)
    case dropping(String)

    func source(givesAccess: Bool) -> String {
        let access = givesAccess ? " if (doc.member) access(doc.member, doc.gives);" : ""
        return switch self {
        case .standard: "function (doc) { channel(doc.channels);\(access) }"
        case .adding(let name): "function (doc) { channel(doc.channels); channel('\(name)');\(access) }"
        case .dropping(let name):
            "function (doc) { channel((doc.channels || []).filter(function (c) { return c != '\(name)'; }));\(access) }"
        }
    }

    func channels(of document: OrderedDocument) -> Set<String> {
        switch self {
        case .standard: document.channels
        case .adding(let name): document.channels.union([name])
        case .dropping(let name): document.channels.subtracting([name])
        }
    }
}

extension AccessModel {
    /// The initial grants.
    static var ordered: AccessModel {
        AccessModel(
            general: ["anna": ["a"], "bert": ["b", "orders"], "cleo": ["*"], "dora": [], "role:team": ["z"]], roles: ["dora": ["role:team"]]
        )
    }

    static let orderedUsers = ["anna", "bert", "cleo", "dora"]
}

/// The sync functions of a database, and the visibility of documents.
struct OrderedRules {
    /// Whether functions are configured; otherwise the default function applies.
    let isScripted: Bool
    let givesAccess: Bool

    /// The functions of named collections that have their own.
    let functions: [String: OrderedFunction]

    static let standard = "_default._default"

    func function(of collection: String) -> OrderedFunction { functions[collection] ?? .standard }

    /// - Parameter places: the collections of the documents.
    func sees(
        _ user: String, _ document: OrderedDocument, in collection: String, _ grants: AccessModel, _ documents: [String: OrderedDocument],
        _ places: [String: String]
    ) -> Bool {
        var held = grants.channels(of: user, in: collection)
        if givesAccess {
            for (name, giver) in documents where giver.member == user {
                let place = places[name] ?? Self.standard
                // Grants of the default collection's function hold in every collection.
                if functions[place] == nil || place == collection, let channel = giver.gives { held.insert(channel) }
            }
        }
        if !isScripted, collection != Self.standard, grants.hasOwnChannel(user, of: collection) { return true }
        return AccessModel.shows(function(of: collection).channels(of: document), to: held)
    }
}
