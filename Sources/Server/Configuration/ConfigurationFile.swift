import Foundation
public import Gateway
import Yams

/// Reads `dualgauge.yaml` and files of routes. Unknown keys are errors that name the key and the nearest known one.
public enum ConfigurationFile {
    /// Reads a whole configuration.
    ///
    /// - Parameters:
    ///   - path: the file. Paths in it are relative to its folder.
    ///   - environment: where `${NAME}` is looked up; `nil` for the process's own.
    /// - Throws: ``ConfigurationError``.
    public static func read(
        _ path: String, environment: [String: String]? = nil
    ) throws -> ServerConfiguration {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        return try naming(path) {
            try parse(try text(of: path), folder: folder, environment: environment ?? ProcessInfo.processInfo.environment)
        }
    }

    /// Reads a file of routes and collections, as `migrate --routes` and `routesFile` take it. A whole configuration with
    /// one database does, too.
    public static func readRoutes(
        _ path: String, environment: [String: String]? = nil
    ) throws -> (collections: [CollectionConfiguration], routes: [Route]) {
        try naming(path) { try readPlan(path, environment: environment ?? ProcessInfo.processInfo.environment) }
    }

    /// Reads a file that has collections and routes and nothing else, and tries the routes out; `nil` if it is a whole configuration.
    public static func readRoutesAlone(
        _ path: String, environment: [String: String]? = nil
    ) throws -> (collections: [CollectionConfiguration], routes: [Route])? {
        try naming(path) {
            let root = try node(try text(of: path), environment: environment ?? ProcessInfo.processInfo.environment)
            guard let keys = root.node.mapping?.keys.compactMap(\.string), !keys.isEmpty, Set(keys).isSubset(of: RoutePlan.keys) else {
                return nil
            }
            let plan = try RoutePlan(root)
            try plan.check(root)
            return (plan.collections, plan.routes)
        }
    }

    private static func readPlan(
        _ path: String, environment: [String: String]
    ) throws -> (collections: [CollectionConfiguration], routes: [Route]) {
        let root = try node(try text(of: path), environment: environment)
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        if root.node.mapping?["databases"] != nil {
            let databases = try ServerConfiguration(root, folder: folder).databases
            guard databases.count == 1, let only = databases.first else {
                throw root.error(.badValue, "the file has \(databases.count) databases; routes are taken from a file with one")
            }
            return (only.configuration.collections, only.configuration.routes)
        }
        let plan = try RoutePlan(root)
        return (plan.collections, plan.routes)
    }

    /// Has errors say which file they are about, those of a file that this one names apart.
    static func naming<Value>(_ path: String, _ read: () throws -> Value) throws -> Value {
        do {
            return try read()
        } catch var error as ConfigurationError {
            if error.file == nil, error.code != .unreadable { error.file = path }
            throw error
        }
    }

    static func parse(_ text: String, folder: URL, environment: [String: String]) throws -> ServerConfiguration {
        try ServerConfiguration(try node(text, environment: environment), folder: folder)
    }

    static func node(_ text: String, environment: [String: String]) throws -> ConfigurationNode {
        do {
            guard let node = try Yams.compose(yaml: text) else {
                throw ConfigurationError(.malformed, at: "", "the file is empty")
            }
            return ConfigurationNode(node: node, path: "", environment: environment)
        } catch YamlError.duplicatedKeysInMapping(let duplicates, let context) {
            let keys = duplicates.map { "`\($0)`" }.joined(separator: ", ")
            throw ConfigurationError(.badValue, at: "", line: context.mark.line, "a mapping has \(keys) twice; keep one")
        } catch let error as YamlError {
            throw ConfigurationError(.malformed, at: "", "this is not YAML: \(error)")
        }
    }

    static func text(of path: String) throws -> String {
        do {
            return try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
        } catch {
            throw ConfigurationError(.unreadable, at: "", "\(path) cannot be read; is the path right, and may it be read?")
        }
    }
}
