import Documents
import Gateway

extension GatewayImport {
    /// Stands for a function that cannot be carried over. A database without it would let everything in, and show it by the documents' own
    /// `channels`, so nothing is let in until somebody has looked.
    private static let refusal =
        #"function () { throw({ forbidden: "the sync function was not carried over; see dualgauge.yaml" }); }"#

    /// The sync functions, by collection.
    mutating func readCollections(_ section: GatewaySection) -> [(name: CollectionName, value: YAMLNode)] {
        var collections: [(name: CollectionName, value: YAMLNode)] = []
        if let function = syncFunction(section) { collections.append((.default, .mapping([function]))) }
        importFilter(section)
        for scope in section["scopes"]?.members ?? [] where scope.value != .null {
            for member in scope.value["collections"]?.members ?? [] {
                let part = GatewaySection(member.value, path: section.path("scopes.\(scope.key).collections.\(member.key)"))
                guard let name = CollectionName("\(scope.key).\(member.key)") else {
                    drop(part.path, "this cannot be the name of a collection")
                    continue
                }
                importFilter(part)
                let function = syncFunction(part)
                if name == .default, function == nil { continue }
                collections.removeAll { $0.name == name }
                collections.append((name, .mapping(function.map { [$0] } ?? [])))
                for other in part.members where !["sync", "import_filter"].contains(other.key.lowercased()) {
                    drop(part.path(other.key), "not known; is it a setting of Sync Gateway?")
                }
            }
        }
        return collections
    }

    private mutating func syncFunction(_ section: GatewaySection) -> YAMLEntry? {
        guard let json = section["sync"] else { return nil }
        let source = GatewayFunctions.trimmed(json.string ?? "")
        if json.string != nil, source.isEmpty { return nil }
        // Sync Gateway also takes a URL or a path for a function's source: neither compiles to a function.
        if json.string != nil, faults[source] == nil { return YAMLEntry("sync", .text(source)) }
        let fault = faults[source] ?? "it is no text"
        drop(section.path("sync"), "the function does not compile: \(fault). Write it into the file; until then nothing can be written")
        return YAMLEntry("sync", .text(Self.refusal))
    }

    private mutating func importFilter(_ section: GatewaySection) {
        guard let json = section["import_filter"] else { return }
        let source = json.string.map { "\n" + GatewayFunctions.trimmed($0) } ?? ""
        drop(
            section.path("import_filter"),
            "documents come in through clients and migrations, not from a bucket. Where it kept documents from clients, leave them out of "
                + "what you migrate, or refuse them in the sync function. It was:\(source)")
    }
}
