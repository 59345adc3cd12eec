import Documents
import Foundation
import HTTPTypes
import Storage

/// Replies of a server that refuses some revisions to receive and to send.
extension LegacyTransport {
    /// - Returns: The remaining request, and the reply for the rest; `nil` in place of the request if nothing remains.
    func refuse(_ method: HTTPTypes.HTTPRequest.Method, _ target: String, _ body: [UInt8], by refuser: inout Refuser) async throws
        -> (body: [UInt8]?, refused: [JSONValue])
    {
        let path = target.split(separator: "?")[0].split(separator: "/").dropFirst().map(String.init)
        switch path.first {
        case "_bulk_docs": return try refuseDocuments(body, by: &refuser)
        case "_bulk_get": return (try await without(body, by: &refuser), [])
        case let id? where !id.hasPrefix("_") && path.count == 1:
            let name = id.removingPercentEncoding ?? id
            let isRefused =
                method == .put
                ? refuser.refuses(name, Self.revision(in: body), body: Self.document(in: body), .push)
                : try await refuser.refuses(name, Self.asked(target))
            return (isRefused ? nil : body, [])
        default: return (body, [])
        }
    }

    /// All or none of a document's revisions are refused: the reply's rows name documents.
    private func refuseDocuments(_ body: [UInt8], by refuser: inout Refuser) throws -> (body: [UInt8], refused: [JSONValue]) {
        let documents = try JSONValue(body)["docs"]?.array ?? []
        let names = Set(
            documents.filter { $0["_deleted"]?.bool != true && refuser.refusal.isAbout($0["n"]?.int) }.compactMap { $0["_id"]?.string })
        var rows: [JSONValue] = []
        var rest: [JSONValue] = []
        for document in documents {
            guard let id = document["_id"]?.string, names.contains(id) else {
                rest.append(document)
                continue
            }
            refuser.record(.push, id, document["_rev"]?.string ?? "")
            rows.append(
                .object([
                    JSONMember("id", .string(id)), JSONMember("status", .number("403")), JSONMember("error", .string("forbidden")),
                    JSONMember("reason", .string("not now")),
                ]))
        }
        return (bytes(.object([JSONMember("docs", .array(rest)), JSONMember("new_edits", .bool(false))])), rows)
    }

    /// The revisions of a `_bulk_get` that are sent.
    private func without(_ body: [UInt8], by refuser: inout Refuser) async throws -> [UInt8] {
        var rest: [JSONValue] = []
        for document in try JSONValue(body)["docs"]?.array ?? [] {
            guard let id = document["id"]?.string, let revision = document["rev"]?.string, try await refuser.refuses(id, revision) else {
                rest.append(document)
                continue
            }
        }
        return bytes(.object([JSONMember("docs", .array(rest))]))
    }

    private func bytes(_ value: JSONValue) -> [UInt8] {
        var bytes: [UInt8] = []
        value.append(to: &bytes)
        return bytes
    }

    /// The document of a `PUT`, which may be followed by its attachments.
    private static func document(in body: [UInt8]) -> JSONValue? {
        guard let start = body.firstIndex(of: UInt8(ascii: "{")) else { return nil }
        let text = body[start...]
        // The document is on a line of its own, without line breaks inside.
        return try? JSONValue(Array(text.prefix { $0 != 0x0d }))
    }

    private static func revision(in body: [UInt8]) -> String { document(in: body)?["_rev"]?.string ?? "" }

    /// The revision of a `GET`.
    private static func asked(_ target: String) -> String {
        let query = target.split(separator: "?").dropFirst().first ?? ""
        return query.split(separator: "&").first { $0.hasPrefix("rev=") }.map { String($0.dropFirst(4)) } ?? ""
    }
}
