import ArgumentParser
import BridgeConfiguration
import Documents
import Foundation
import Gateway
import Server

/// The options that select the documents to replicate.
struct ReplicateSelection: ParsableArguments {
    @Option(help: ArgumentHelp("The collections; by default everything that legacy clients see.", valueName: "a.b,c.d"))
    var collections: String?

    @Option(help: ArgumentHelp("Pull only documents of these channels.", valueName: "a,b"))
    var channels: String?

    @Option(name: .customLong("doc-ids"), help: ArgumentHelp("Replicate only these documents.", valueName: "id,id"))
    var documentIDs: String?

    @Option(
        help: ArgumentHelp(
            "A filter of a 1.x server, such as app/byYear, or a FILE.js with a function that is called here.", valueName: "name"))
    var filter: String?

    @Option(name: .customLong("filter-param"), parsing: .singleValue, help: ArgumentHelp("A parameter of the filter.", valueName: "k=v"))
    var filterParameters: [String] = []

    @Option(help: ArgumentHelp("The resolver of conflicts: default, local-wins, remote-wins or FILE.js.", valueName: "rule"))
    var resolver = "default"

    @Flag(help: "Keep local copies of documents to which the user loses access; 2.x+.")
    var noAutoPurge = false

    @Flag(help: "Create the database at the server if it does not exist; for a push to 1.x.")
    var createTarget = false

    func validate() throws {
        _ = try names()
        guard filter != nil || filterParameters.isEmpty else { throw ValidationError("--filter-param goes with --filter.") }
        for text in filterParameters where !text.contains("=") { throw ValidationError("--filter-param takes k=v, not \(text).") }
        guard ReplicationResolver(name: resolver) != nil || resolver.hasSuffix(".js") else {
            throw ValidationError("--resolver takes default, local-wins, remote-wins or a file whose name ends in .js, not \(resolver).")
        }
    }

    func names() throws -> [CollectionName] {
        try Self.list(collections).map { text in
            guard let name = CollectionName(text) else { throw ValidationError("\(text) is not a collection; write scope.name.") }
            return name
        }
    }

    func apply(to definition: inout ReplicationDefinition) throws {
        definition.channels = Self.list(channels)
        definition.documentIDs = Self.list(documentIDs)
        if let filter {
            let parameters = filterParameters.map { text in
                let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                return (parts[0], JSONValue.string(parts[1]))
            }
            definition.filter = ReplicationFilterChoice(
                filter.hasSuffix(".js") ? .javaScript(try OptionFile.text(filter)) : .named(filter),
                parameters: Dictionary(parameters) { _, last in last })
        }
        definition.purgesOnRemoval = !noAutoPurge
        definition.createsTarget = createTarget
        definition.resolver = try ReplicationResolver(name: resolver) ?? .javaScript(try OptionFile.text(resolver))
    }

    private static func list(_ text: String?) -> [String] {
        text?.split(separator: ",").map(String.init) ?? []
    }
}
