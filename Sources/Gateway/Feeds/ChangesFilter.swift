import Access
package import Documents
import Scripting
import Storage

/// Selects the rows of a feed by their documents.
package struct ChangesFilter: Sendable {
    /// How the filter selects documents.
    enum Rule: Sendable {
        /// A filter function of a design document, and its `req` argument.
        case function(ScriptFunction<FilterInput, Bool>, request: [UInt8])
        case selector(DocumentSelector)
    }

    /// `app/byOwner`: the design document, and the function in it; or `_selector`.
    package let name: String
    let keyspace: Keyspace
    let rule: Rule

    /// The approximate number of document bytes per call of the function.
    private static let batchSize = 4 << 20

    /// The rows whose documents pass the filter, each reduced to its passing leaves. The filter reads documents with the feed reader's rights.
    ///
    /// Departure notices always pass: the function has no document to evaluate, and a client that has the document must receive the notice.
    ///
    /// - Throws: ``GatewayError`` with code `script` if the function fails on a document.
    package func select(_ rows: [ChangeRow]) async throws -> [ChangeRow] {
        var selected: [ChangeRow] = []
        var rest = rows[...]
        while !rest.isEmpty {
            let part = rest
            // Functions run outside of snapshots, many documents per call.
            let (count, candidates) = try await keyspace.read { try Self.candidates(part, in: $0) }
            let wanted = try await evaluate(candidates)
            for index in rest.startIndex..<(rest.startIndex + count) {
                guard !rest[index].isRemoval else {
                    selected.append(rest[index])
                    continue
                }
                if let row = rest[index].limited(to: wanted[index] ?? []) { selected.append(row) }
            }
            rest = rest.dropFirst(count)
        }
        return selected
    }

    /// A leaf of a document in the feed.
    private struct Candidate: Sendable {
        let row: Int
        let id: String
        let revision: String
        let document: [UInt8]
    }

    /// Reads the documents of the first rows. A document that has been written again has another row further on.
    private static func candidates(_ rows: ArraySlice<ChangeRow>, in snapshot: KeyspaceSnapshot) throws -> (Int, [Candidate]) {
        var candidates: [Candidate] = []
        var count = 0
        var size = 0
        for index in rows.indices where size < batchSize {
            count += 1
            let row = rows[index]
            guard !row.isRemoval, let document = try snapshot.document(row.id), !document.isWithheld else { continue }
            for text in [row.revision] + row.otherLeaves {
                guard let revision = RevisionID(text), let content = try document.content(of: revision) else { continue }
                let json = ScriptedDocument.json(
                    content.id, content.revision, content.isDeleted, content.body.properties, content.body.attachments)
                size += json.count
                candidates.append(Candidate(row: index, id: row.id, revision: text, document: json))
            }
        }
        return (count, candidates)
    }

    /// - Returns: the passing leaves by row.
    private func evaluate(_ candidates: [Candidate]) async throws -> [Int: [String]] {
        switch rule {
        case .function(let function, let request): try await evaluate(candidates, by: function, request)
        case .selector(let selector):
            Dictionary(grouping: try candidates.filter { try selector.matches($0.document) }, by: \.row)
                .mapValues { $0.map(\.revision) }
        }
    }

    private func evaluate(
        _ candidates: [Candidate], by function: ScriptFunction<FilterInput, Bool>, _ request: [UInt8]
    ) async throws -> [Int: [String]] {
        let inputs = candidates.map { FilterInput(document: $0.document, request: request) }
        let answers: [Result<Bool, ScriptError>]
        do {
            answers = try await keyspace.database.scripts.call(function, each: inputs)
        } catch let error as ScriptError {
            throw GatewayError(.unavailable, "The filter \(name) cannot be run now: \(error.message)", cause: error)
        }
        var wanted: [Int: [String]] = [:]
        for (candidate, answer) in zip(candidates, answers) {
            switch answer {
            case .success(true): wanted[candidate.row, default: []].append(candidate.revision)
            case .success(false): break
            case .failure(let error):
                throw GatewayError(.script, "The filter \(name) failed on the document \(candidate.id): \(error.message)", cause: error)
            }
        }
        return wanted
    }
}

extension ChangeRow {
    /// The row reduced to these leaves; `nil` if there are none.
    fileprivate func limited(to leaves: [String]) -> ChangeRow? {
        guard let first = leaves.first else { return nil }
        guard leaves.count <= otherLeaves.count else { return self }
        var row = self
        row.revision = first
        row.otherLeaves = Array(leaves.dropFirst())
        return row
    }
}

extension Keyspace {
    /// A filter function by its name: one of ``DatabaseConfiguration/filters``, or, for a name such as `app/byOwner`, the member `byOwner` of
    /// `filters` in the design document `_design/app`.
    ///
    /// Design documents belong to the database: a filter applies to the feed of each of its collections, too. A user who may read a feed may use
    /// any filter, even without access to the design document.
    ///
    /// - Parameter parameters: the request's parameters, a JSON object, which the function receives as `req.query`. The function never receives
    ///   headers or cookies.
    /// - Throws: ``GatewayError``: `notFound` if there is no such design document or filter, `script` if it does not compile.
    package func filter(_ name: String, parameters: [UInt8]) async throws -> ChangesFilter {
        let source = if let own = database.configuration.filters[name] { own } else { try await designed(name) }
        let function = ScriptFunction<FilterInput, Bool>.filter(source, owner: database.name)
        do {
            try await database.scripts.compile(function)
        } catch let error as ScriptError {
            guard error.code != .busy, error.code != .stopped else {
                throw GatewayError(.unavailable, "The filter \(name) cannot be run now: \(error.message)", cause: error)
            }
            throw GatewayError(.script, "The filter \(name) is not a function that can be run: \(error.message)", cause: error)
        }
        return ChangesFilter(name: name, keyspace: self, rule: .function(function, request: try await request(parameters)))
    }

    /// The source of a filter in a design document.
    private func designed(_ name: String) async throws -> String {
        let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw GatewayError(.badRequest, "\(name) is not a filter; name a filter as designDocument/function") }
        let content = try await database.unified.revision(.current, of: "\(DocumentID.designPrefix)\(parts[0])")
        let design = try JSONValue(content.body.properties)
        guard let source = design["filters"]?[String(parts[1])]?.string else { throw GatewayError(.notFound, "missing") }
        if let language = design["language"]?.string, language != "javascript" {
            throw GatewayError(.script, "The filter \(name) is written in \(language); only javascript can be run")
        }
        return source
    }

    /// A filter for the documents that match a selector.
    package func filter(selecting selector: DocumentSelector) -> ChangesFilter {
        ChangesFilter(name: "_selector", keyspace: self, rule: .selector(selector))
    }

    /// The `req` argument of a filter function.
    private func request(_ parameters: [UInt8]) async throws -> [UInt8] {
        let keyspace = self
        let roles = try await store.read(as: share) { try keyspace.rights(in: $0).roles.sorted() }
        var json: [UInt8] = []
        JSONWriter.append(raw: "{\"query\":", to: &json)
        json += parameters
        JSONWriter.append(raw: ",\"userCtx\":{\"db\":", to: &json)
        JSONWriter.append(database.name, to: &json)
        JSONWriter.append(raw: ",\"name\":", to: &json)
        if let name = principal.userName { JSONWriter.append(name, to: &json) } else { JSONWriter.append(raw: "null", to: &json) }
        JSONWriter.append(raw: ",\"roles\":[", to: &json)
        for (index, role) in roles.enumerated() {
            if index > 0 { JSONWriter.append(raw: ",", to: &json) }
            JSONWriter.append(role, to: &json)
        }
        JSONWriter.append(raw: "]}}", to: &json)
        return json
    }
}
