import Documents
import Scripting

@testable import AdminPage
@testable import Server

/// The page's functions, called in a JavaScript engine without a browser.
///
/// The modules have names: `Model` has the exports of `model.js`.
struct PageScript {
    /// The value of an expression in which `input` is a reply of the admin port. `NOW` in it is noon of 2026-11-21.
    static func value(_ expression: String, _ input: String = "{}") async throws -> JSONValue {
        let files = PageFile.functions.map { module($0) }.joined(separator: "\n")
        let source = """
            function (conflict) {
            const NOW = Date.parse('2026-11-21T12:00:00Z');
            const modules = {};
            \(files)
            const input = conflict.localDocument.input;
            return { value: \(expression) };
            }
            """
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

    /// A module as a function call, because the engine has no modules.
    private static func module(_ file: PageFile) -> String {
        var text = String(decoding: file.bytes, as: UTF8.self)
        text = text.replacing(/import \* as (\w+) from "\.\/([\w.]+)";/) { "const \($0.output.1) = modules[\"\($0.output.2)\"];" }
        text = text.replacing(/import \{ ([^}]*) \} from "\.\/([\w.]+)";/) {
            "const { \($0.output.1.replacing(" as ", with: ": ")) } = modules[\"\($0.output.2)\"];"
        }
        let names = text.matches(of: /export const (\w+)/).map { String($0.output.1) }
        text = text.replacing("export const ", with: "const ")
        let name = file.rawValue.prefix(1).uppercased() + file.rawValue.dropFirst().dropLast(".js".count)
        return "const \(name) = modules[\"\(file.rawValue)\"] = (() => {\n\(text)\nreturn { \(names.joined(separator: ", ")) };\n})();"
    }
}
