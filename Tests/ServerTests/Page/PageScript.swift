import Documents
import Scripting

@testable import Server

/// The page's functions, called in a JavaScript engine without a browser.
struct PageScript {
    /// The value of an expression in which `input` is what the admin port would have answered.
    static func value(_ expression: String, _ input: String = "{}") async throws -> JSONValue {
        let files = [PageFile.model, .views, .elements].map { String(decoding: $0.bytes, as: UTF8.self) }.joined(separator: "\n")
        let source = "function (conflict) {\n\(files)\nconst input = conflict.localDocument.input;\nreturn { value: \(expression) };\n}"
        var limits = ScriptLimits()
        limits.timeLimit = .seconds(10)
        let engine = ScriptEngine(workers: 1, limits: limits)
        let conflict = ConflictInput(documentID: "page", localDocument: Array(#"{"input":\#(input)}"#.utf8), remoteDocument: nil)
        let result: Result<ConflictResolution, any Error>
        do {
            result = .success(try await engine.call(.resolver(source, owner: "page"), conflict))
        } catch {
            result = .failure(error)
        }
        await engine.stop()
        guard case .merged(let bytes) = try result.get() else { return .null }
        return try JSONValue(bytes)["value"] ?? .null
    }

    /// The same as text: JSON without spaces.
    static func json(_ expression: String, _ input: String = "{}") async throws -> String {
        var bytes: [UInt8] = []
        try await value(expression, input).append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
