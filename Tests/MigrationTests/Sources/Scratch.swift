import Documents
import Foundation

/// A folder that is deleted with its test.
final class Scratch {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/dualgauge-tests-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// A copy of one of the fixtures.
    func fixture(_ name: String) throws -> String {
        let source = Bundle.module.bundlePath + "/Fixtures/" + name
        let copy = "\(path)/\((name as NSString).lastPathComponent)"
        try FileManager.default.copyItem(atPath: source, toPath: copy)
        return copy
    }

    static func fixtureText(_ name: String) throws -> String {
        try String(contentsOfFile: Bundle.module.bundlePath + "/Fixtures/" + name, encoding: .utf8)
    }

    func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
        let file = "\(path)/\(name)"
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        return file
    }

    /// Digests of all files of a folder by name, which have to be the same after a reading.
    static func digests(_ folder: String) throws -> [String: String] {
        var digests: [String: String] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            let contents = FileManager.default.contents(atPath: "\(folder)/\(name)")
            digests[name] = contents.map { AttachmentDigest.sha1(of: $0).description } ?? "folder"
        }
        return digests
    }
}
