import TestSupport

/// What a document is: by this model, not by the product.
struct OrderedDocument {
    var channels: Set<String>
    var type: String

    /// Whom it gives a channel by `access()`, where the functions do that.
    var member: String?
    var gives: String?
}

/// How a collection's function judges.
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
    /// Who is given what before anything is done.
    static var ordered: AccessModel {
        AccessModel(
            general: ["anna": ["a"], "bert": ["b", "orders"], "cleo": ["*"], "dora": [], "role:team": ["z"]], roles: ["dora": ["role:team"]]
        )
    }

    static let orderedUsers = ["anna", "bert", "cleo", "dora"]
}

/// How a database judges its documents, and who sees them.
struct OrderedRules {
    /// Whether functions were said; without them the default function judges.
    let isScripted: Bool
    let givesAccess: Bool

    /// The functions of named collections that have their own.
    let functions: [String: OrderedFunction]

    static let standard = "_default._default"

    func function(of collection: String) -> OrderedFunction { functions[collection] ?? .standard }

    /// - Parameter places: where the documents live.
    func sees(
        _ user: String, _ document: OrderedDocument, in collection: String, _ grants: AccessModel, _ documents: [String: OrderedDocument],
        _ places: [String: String]
    ) -> Bool {
        var held = grants.channels(of: user, in: collection)
        if givesAccess {
            for (name, giver) in documents where giver.member == user {
                let place = places[name] ?? Self.standard
                // What the default collection's function gives holds everywhere.
                if functions[place] == nil || place == collection, let channel = giver.gives { held.insert(channel) }
            }
        }
        if !isScripted, collection != Self.standard, grants.hasOwnChannel(user, of: collection) { return true }
        return AccessModel.shows(function(of: collection).channels(of: document), to: held)
    }
}
