import Access
public import Documents
import Scripting
import Storage

extension Keyspace {
    /// A filter function by its name: one of ``DatabaseConfiguration/filters``, or, by a name such as `app/byOwner`, the member `byOwner` of `filters`
    /// in the design document `_design/app`.
    ///
    /// Design documents belong to the database: a filter holds in the feed of each of its collections, too. Who may read a feed may name
    /// a filter, whether or not he may read the design document.
    ///
    /// - Parameter parameters: the request's parameters, a JSON object, which the function gets as `req.query`. Headers and cookies never
    ///   are among what it gets.
    /// - Throws: ``GatewayError``: `notFound` if there is no such design document or filter, `script` if it is no function.
    public func filter(_ name: String, parameters: [UInt8]) async throws -> ChangesFilter {
        let source = if let own = database.configuration.filters[name] { own } else { try await designed(name) }
        let function = ScriptFunction<FilterInput, Bool>.filter(source, owner: database.name)
        do {
            try await database.scripts.compile(function)
        } catch let error as ScriptError {
            guard error.code != .busy, error.code != .stopped else {
                throw GatewayError(.unavailable, "The filter \(name) cannot be run now: \(error.message)", cause: error)
            }
            throw GatewayError(.script, "The filter \(name) is no function that can be run: \(error.message)", cause: error)
        }
        return ChangesFilter(name: name, keyspace: self, rule: .function(function, request: try await request(parameters)))
    }

    /// The source of a filter of a design document.
    private func designed(_ name: String) async throws -> String {
        let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw GatewayError(.badRequest, "\(name) is no filter; name one by designDocument/function") }
        let content = try await database.unified.revision(.current, of: "\(DocumentID.designPrefix)\(parts[0])")
        let design = try JSONValue(content.body.properties)
        guard let source = design["filters"]?[String(parts[1])]?.string else { throw GatewayError(.notFound, "missing") }
        if let language = design["language"]?.string, language != "javascript" {
            throw GatewayError(.script, "The filter \(name) is written in \(language); only javascript can be run")
        }
        return source
    }

    /// The filter that wants the documents that fulfil a selector.
    public func filter(selecting selector: DocumentSelector) -> ChangesFilter {
        ChangesFilter(name: "_selector", keyspace: self, rule: .selector(selector))
    }

    /// What a filter gets as `req`.
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
