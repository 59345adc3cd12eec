import Foundation
package import Gateway
import Yams

/// Reads `dualgauge.yaml` and route files. One pass reports all errors. An unknown key is reported with the nearest known key.
package enum ConfigurationFile {
    /// Reads a whole configuration and runs all checks that are possible without serving it.
    ///
    /// - Compiles the JavaScript.
    /// - Checks the files that the configuration names.
    /// - Reports settings that are valid but probably unintended.
    ///
    /// - Parameters:
    ///   - path: the file. Relative paths in it are resolved against its folder.
    ///   - environment: the variables for `${NAME}`; `nil` for the environment of the process.
    package static func check(_ path: String, environment: [String: String]? = nil) async -> CheckedFile<ServerConfiguration> {
        await Reading(path, environment).checked { root, reading in
            let configuration = try ServerConfiguration(root, folder: reading.folder)
            FileRules.check(configuration, root)
            return configuration
        }
    }

    /// Checks a file that has only collections and routes; `nil` for a whole configuration and for an unreadable file.
    package static func checkRoutesAlone(_ path: String, environment: [String: String]? = nil) async -> CheckedFile<CheckedRoutes>? {
        let reading = Reading(path, environment)
        guard let root = try? reading.root(), let keys = root.node.mapping?.keys.compactMap(\.string), !keys.isEmpty,
            Set(keys).isSubset(of: RoutePlan.keys)
        else { return nil }
        return await Reading(path, environment).checked { root, _ in
            let plan = try RoutePlan(root)
            plan.check()
            return CheckedRoutes(collections: plan.collections, routes: plan.routes)
        }
    }

    /// Reads a whole configuration without checking its JavaScript and the files that it names.
    ///
    /// - Throws: ``ConfigurationError``.
    package static func read(_ path: String, environment: [String: String]? = nil) throws -> ServerConfiguration {
        try Reading(path, environment).content { root, reading in try ServerConfiguration(root, folder: reading.folder) }
    }

    /// Reads a file of routes and collections, as for `migrate --routes` and `routesFile`.
    ///
    /// A whole configuration with exactly one database is accepted, too.
    ///
    /// - Throws: ``ConfigurationError``.
    package static func readRoutes(
        _ path: String, environment: [String: String]? = nil
    ) throws -> (collections: [CollectionConfiguration], routes: [Route]) {
        try Reading(path, environment).content { root, reading in
            guard root.node.mapping?["databases"] != nil else {
                let plan = try RoutePlan(root)
                plan.check()
                return (plan.collections, plan.routes)
            }
            let databases = try ServerConfiguration(root, folder: reading.folder).databases
            guard databases.count == 1, let only = databases.first else {
                throw root.error(.badValue, "the file has \(databases.count) databases; routes are taken from a file with one")
            }
            return (only.configuration.collections, only.configuration.routes)
        }
    }

    static func parse(_ text: String, folder: URL, environment: [String: String]) throws -> ServerConfiguration {
        try content(of: text, environment: environment) { try ServerConfiguration($0, folder: folder) }
    }

    /// Reads a configuration from a string.
    ///
    /// - Throws: ``ConfigurationError`` with all errors.
    static func content<Content: Sendable>(
        of text: String, environment: [String: String] = [:], _ body: (ConfigurationNode) throws -> Content
    ) throws -> Content {
        let findings = ConfigurationFindings()
        let source = ConfigurationSource(text, file: nil, environment: environment)
        let content = try ConfigurationDocument.root(source, text: text, findings: findings).read(body)
        return try CheckedFile(content, findings.all).get()
    }
}

/// One pass over a file.
private struct Reading {
    let path: String
    let environment: [String: String]
    let findings = ConfigurationFindings()

    init(_ path: String, _ environment: [String: String]?) {
        self.path = path
        self.environment = environment ?? ProcessInfo.processInfo.environment
    }

    var folder: URL { URL(fileURLWithPath: path).deletingLastPathComponent() }

    func root() throws -> ConfigurationNode {
        let text = try ConfigurationDocument.text(of: path)
        let source = ConfigurationSource(text, file: path, environment: environment)
        return try ConfigurationDocument.root(source, text: text, findings: findings)
    }

    /// - Throws: ``ConfigurationError`` with all errors.
    func content<Content: Sendable>(_ body: (ConfigurationNode, Reading) throws -> Content) throws -> Content {
        let content = try root().read { try body($0, self) }
        return try CheckedFile(content, findings.all).get()
    }

    func checked<Content: Sendable>(_ body: (ConfigurationNode, Reading) throws -> Content) async -> CheckedFile<Content> {
        do {
            let content = try root().read { try body($0, self) }
            let faults = await ConfigurationScripts.faults(in: findings.scripts)
            return CheckedFile(content, findings.all + faults, databases: findings.databases)
        } catch let error as ConfigurationError {
            return CheckedFile(nil, error.findings)
        } catch {
            return CheckedFile(nil, [ConfigurationFinding(.error, .unreadable, at: ConfigurationPlace(file: path), path: "", "\(error)")])
        }
    }
}
