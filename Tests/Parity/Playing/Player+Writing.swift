import Documents
import Foundation
import HTTPTypes

extension Player {
    /// - Returns: a status for each document, or the status of a refused batch.
    func write(_ write: Write, step: Int) async throws -> [Int] {
        guard !write.isPushed else { return try await push(write, step: step) }
        var sent: [(edit: Edit, revision: String?, parent: String?, body: JSONValue)] = []
        for edit in write.edits {
            let parent = try await parent(of: edit, write)
            let revision = write.isReplicated ? Self.revision(after: parent, edit, step: step) : nil
            let history = revision.map { [$0] + (parent.map { names.history(of: $0, of: edit.id, in: write.keyspace) } ?? []) }
            var edit = edit
            // A Sync Gateway may have lost the attachment to keep.
            if edit.file == .kept, try await !hasFile(parent, edit.id, write.keyspace) { edit.file = nil }
            let file = attachments(of: edit, step: step)
            sent.append((edit, revision, parent, body(edit, step: step, parent: parent, history: history, file)))
        }
        guard write.isBatch else {
            guard let one = sent.first else { return [] }
            let answer = try await exchange.ask(.put, "\(path(write.keyspace))/\(one.edit.id)", as: write.by, one.body)
            record(answer.json["rev"]?.string, one.parent, one.edit, write, step)
            return [answer.status]
        }
        var members = [JSONMember("docs", .array(sent.map(\.body)))]
        if write.isReplicated { members.insert(JSONMember("new_edits", .bool(false)), at: 0) }
        let answer = try await exchange.ask(.post, "\(path(write.keyspace))/_bulk_docs", as: write.by, .object(members))
        guard answer.status < 300 else { return [answer.status] }
        let rows = answer.json.array ?? []
        return sent.map { one in
            // An accepted replicated revision may have no row.
            let row = rows.first { $0["id"]?.string == one.edit.id } ?? .null
            if let status = row["status"]?.int, status >= 300 { return status }
            record(row["rev"]?.string ?? one.revision, one.parent, one.edit, write, step)
            return 201
        }
    }

    func record(_ revision: String?, _ parent: String?, _ edit: Edit, _ write: Write, _ step: Int) {
        guard let revision else { return }
        let file: Int? =
            switch edit.file {
            case .new: step
            case .kept: parent.flatMap { names.file(of: $0, of: edit.id, in: write.keyspace) }
            case nil: nil
            }
        names.record(revision, parent: parent, step: step, file: file, of: edit.id, in: write.keyspace)
    }

    /// The ID of the parent. An ordinary edit follows the winner; an edit of a tombstone names no parent.
    func parent(of edit: Edit, _ write: Write) async throws -> String? {
        if let name = edit.parent { return names.id(named: name, of: edit.id, in: write.keyspace) }
        guard !write.isReplicated, names.isKnown(edit.id, in: write.keyspace) else { return nil }
        return try await exchange.ask(.get, "\(path(write.keyspace))/\(edit.id)", as: Write.administrator).json["_rev"]?.string
    }

    static func revision(after parent: String?, _ edit: Edit, step: Int) -> String {
        let generation = parent.flatMap { $0.split(separator: "-").first }.flatMap { Int($0) } ?? 0
        let number = String(step)
        let digest = String(repeating: edit.digest ?? "0", count: 32 - number.count) + number
        return "\(generation + 1)-\(digest)"
    }

    private func hasFile(_ revision: String?, _ id: String, _ keyspace: String) async throws -> Bool {
        guard let revision, names.file(of: revision, of: id, in: keyspace) != nil else { return false }
        return try await readFile(of: id, names.name(of: revision, of: id, in: keyspace), as: Write.administrator, keyspace) == 200
    }

    /// `_attachments` of a request.
    private func attachments(of edit: Edit, step: Int) -> [JSONMember] {
        switch edit.file {
        case .new: [Self.attached([JSONMember("data", .string(Data(Edit.File.content(of: edit.id, step: step)).base64EncodedString()))])]
        case .kept: [Self.attached([JSONMember("stub", .bool(true)), JSONMember("revpos", .number("1"))])]
        case nil: []
        }
    }

    static func attached(_ members: [JSONMember]) -> JSONMember {
        JSONMember("_attachments", .nested(Edit.File.name, .object([JSONMember("content_type", .string("text/plain"))] + members)))
    }

    private func body(_ edit: Edit, step: Int, parent: String?, history: [String]?, _ attachments: [JSONMember]) -> JSONValue {
        var members = [JSONMember("_id", .string(edit.id))]
        if let history, let first = history.first {
            let start = first.split(separator: "-").first.map(String.init) ?? "1"
            let digests = history.compactMap { $0.split(separator: "-").last.map(String.init) }
            members.append(JSONMember("_rev", .string(first)))
            members.append(
                JSONMember("_revisions", .object([JSONMember("start", .number(start)), JSONMember("ids", .texts(digests))])))
        } else if let parent {
            members.append(JSONMember("_rev", .string(parent)))
        }
        if edit.isDeleted { members.append(JSONMember("_deleted", .bool(true))) }
        return .object(members + Self.properties(edit, step: step) + attachments)
    }

    /// The members of a document that the writer has chosen.
    static func properties(_ edit: Edit, step: Int) -> [JSONMember] {
        var members: [JSONMember] = []
        members.append(JSONMember("step", .number(String(step))))
        if let channels = edit.channels { members.append(JSONMember("channels", .texts(channels))) }
        if let access = edit.access {
            members.append(
                JSONMember("access", .object([JSONMember("to", .string(access.to)), JSONMember("channels", .texts(access.what))])))
        }
        if let role = edit.role {
            members.append(JSONMember("role", .object([JSONMember("to", .string(role.to)), JSONMember("roles", .texts(role.what))])))
        }
        if let owner = edit.owner { members.append(JSONMember("owner", .string(owner))) }
        if let needs = edit.needs { members.append(JSONMember("needs", .string(needs))) }
        return members
    }
}
