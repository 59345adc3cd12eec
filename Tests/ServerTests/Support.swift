import Foundation

@testable import BridgeConfiguration
@testable import Server

/// A configuration with one database, whose further lines are given with their indentation.
func shop(_ lines: String = "", environment: [String: String] = [:], folder: URL = URL(fileURLWithPath: "/etc/bridge", isDirectory: true))
    throws -> ServerConfiguration
{
    let indented = lines.split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)" }.joined(separator: "\n")
    return try parse("databases:\n  shop:\n    store: ./shop.dualgauge\n\(indented)\n", environment: environment, folder: folder)
}

func parse(
    _ text: String, environment: [String: String] = [:], folder: URL = URL(fileURLWithPath: "/etc/bridge", isDirectory: true)
) throws -> ServerConfiguration {
    try ConfigurationFile.parse(text, folder: folder, environment: environment)
}

/// The error of a configuration; `nil` if there is none.
func complaint(_ body: () throws -> ServerConfiguration) throws -> ConfigurationError? {
    do {
        _ = try body()
        return nil
    } catch let error as ConfigurationError {
        return error
    }
}

/// A folder that is removed with the test.
final class TemporaryFolder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("dualgauge-server-\(UUID().uuidString)", isDirectory: true)

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ text: String, to name: String) throws -> String {
        let file = url.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        return file.path
    }
}
