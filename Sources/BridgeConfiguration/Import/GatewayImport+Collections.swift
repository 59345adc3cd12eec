import Documents
import Gateway

extension GatewayImport {
    /// A sync function that refuses every document, in place of a function that cannot be imported.
    ///
    /// A database without a sync function would accept every document and assign channels by the documents' own `channels`. Refusing is safe until
    /// an administrator has reviewed the import.
    private var refusal: String {
        let text = "the sync function was not carried over; see \(fileName)".filter { !$0.isNewline && $0 != "\"" && $0 != "\\" }
        return "function () { throw({ forbidden: \"\(text)\" }); }"
    }

    /// The sync functions, by collection.
    mutating func readCollections(_ section: GatewaySection) -> [(name: CollectionName, value: YAMLNode)] {
        var collections: [(name: CollectionName, value: YAMLNode)] = []
        if let function = syncFunction(section) { collections.append((.default, .mapping([function]))) }
        importFilter(section)
        for scope in section["scopes"]?.members ?? [] where scope.value != .null {
            dropOthers(GatewaySection(scope.value, path: section.path("scopes.\(scope.key)")), read: ["collections"])
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
                dropOthers(part, read: ["sync", "import_filter"])
            }
        }
        return collections
    }

    private mutating func syncFunction(_ section: GatewaySection) -> YAMLEntry? {
        guard let json = section["sync"] else { return nil }
        guard let text = json.string else { return refused(section.path("sync"), "it is not a string") }
        guard !GatewayFunctions.trimmed(text).isEmpty else { return nil }
        guard let source = functions.source(text) else { return refused(section.path("sync"), functions.fault(text) ?? "") }
        if GatewayFunctions.isURL(GatewayFunctions.trimmed(text)) {
            notes.append(
                "\(section.path("sync")): the function was fetched from \(GatewayFunctions.trimmed(text)), and is a part of this file now")
        }
        return YAMLEntry("sync", .text(source))
    }

    private mutating func refused(_ path: String, _ fault: String) -> YAMLEntry {
        drop(path, "the sync function cannot be carried over: \(fault). Write it into the file; until then nothing can be written")
        return YAMLEntry("sync", .text(refusal))
    }

    private mutating func importFilter(_ section: GatewaySection) {
        guard let json = section["import_filter"] else { return }
        let source = json.string.map { "\n" + GatewayFunctions.trimmed($0) } ?? ""
        drop(
            section.path("import_filter"),
            "documents come from clients and migrations, not from a bucket. If the filter kept documents from clients, leave them out of the "
                + "migration, or refuse them in the sync function. The filter was:\(source)")
    }
}
