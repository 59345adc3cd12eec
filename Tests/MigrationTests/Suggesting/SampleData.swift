import Documents
import Migration
import Testing

/// Documents as sources read them.
enum SampleData {
    static func document(_ id: String, _ body: String, isDeleted: Bool = false) throws -> SourceItem {
        let history = [try #require(RevisionID("1-abc"))]
        return .document(
            SourceDocument(id: id, revisions: [SourceRevision(history: history, isDeleted: isDeleted, body: Array(body.utf8))]))
    }

    static func sample(_ documents: [(id: String, body: String)], tombstones: [String] = [], size: Int = 100_000) throws -> DocumentSample {
        var sample = DocumentSample(size: size)
        for (id, body) in documents { sample.add(try document(id, body)) }
        for id in tombstones { sample.add(try document(id, "{}", isDeleted: true)) }
        return sample
    }

    static func suggest(
        _ documents: [(id: String, body: String)], tombstones: [String] = [], scope: String = "_default"
    ) throws -> RouteSuggestion {
        RouteSuggester(try sample(documents, tombstones: tombstones)).suggest(scope: scope)
    }

    /// Documents of a type, each with the properties of the type.
    static func typed(_ property: String, _ type: String, count: Int, id: (Int) -> String, also: String) -> [(id: String, body: String)] {
        (0..<count).map {
            (id($0), #"{"\#(property)":"\#(type)",\#(also),"created":"2015-0\#($0 % 9 + 1)","country":"\#(["at", "ch"][$0 % 2])"}"#)
        }
    }
}
