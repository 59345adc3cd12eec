import Documents

/// An HTTP response as received.
struct RawAnswer {
    let head: String
    let body: [UInt8]

    var status: Int { Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0 }
    var text: String { String(decoding: body, as: UTF8.self) }

    var json: JSONValue {
        get throws { try JSONValue(body) }
    }

    /// A header's value, for any case of its name.
    subscript(name: String) -> String? { Self.header(name, of: head) }

    static func header(_ name: String, of head: String) -> String? {
        for line in head.split(separator: "\r\n").dropFirst() where line.lowercased().hasPrefix(name.lowercased() + ":") {
            return line.dropFirst(name.count + 1).drop { $0 == " " }.description
        }
        return nil
    }
}

extension RawSocket {
    /// Reads one response, of a known length or in chunks; a response to HEAD has no body, for any head.
    func answer(toHead: Bool = false) async throws -> RawAnswer {
        let head = try await read(until: "\r\n\r\n")
        guard !toHead else { return RawAnswer(head: head, body: []) }
        if let length = RawAnswer.header("Content-Length", of: head).flatMap({ Int($0) }) {
            return RawAnswer(head: head, body: try await read(count: length))
        }
        guard RawAnswer.header("Transfer-Encoding", of: head) == "chunked" else { return RawAnswer(head: head, body: []) }
        var body: [UInt8] = []
        while let chunk = try await chunk() { body += chunk }
        return RawAnswer(head: head, body: body)
    }

    /// Reads one chunk; `nil` for the last.
    func chunk() async throws -> [UInt8]? {
        let line = try await read(until: "\r\n").dropLast(1)
        guard let size = Int(line, radix: 16) else { throw Failure(message: "\(line) is no chunk's size") }
        let bytes = try await read(count: size + 2).dropLast(2)
        return size == 0 ? nil : Array(bytes)
    }

    /// Sends a request with a body and reads its answer.
    func ask(_ method: String, _ path: String, _ body: String = "", headers: String = "") async throws -> RawAnswer {
        let type = body.isEmpty ? "" : "Content-Type: application/json\r\n"
        try await send("\(method) \(path) HTTP/1.1\r\nHost: a\r\n\(type)\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return try await answer(toHead: method == "HEAD")
    }
}
