import Foundation

/// A Swift file of the package.
struct SourceFile: Sendable {
    /// Relative to the package's folder.
    let path: String
    let text: String

    /// The package's folder.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The Swift files in a folder of the package.
    static func all(in folder: String) -> [SourceFile] {
        let start = root.path + "/"
        let found = FileManager.default.enumerator(at: root.appendingPathComponent(folder), includingPropertiesForKeys: nil)
        return (found?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }.compactMap { file in
            (try? String(contentsOf: file, encoding: .utf8)).map {
                SourceFile(path: file.path.replacingOccurrences(of: start, with: ""), text: $0)
            }
        }
    }

    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

    /// The code of a line, with its string literals emptied, and the comment behind the code.
    static func parts(of line: Substring) -> (code: String, comment: String?) {
        let code = String(line.replacing(/"(\\.|[^"\\])*"/, with: "\"\""))
        guard let slashes = code.range(of: "//") else { return (code, nil) }
        return (String(code[..<slashes.lowerBound]), String(code[slashes.upperBound...]))
    }
}
