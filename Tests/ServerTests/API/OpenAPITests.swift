import Cutover
import Foundation
import HTTP
import HTTPListener
import HTTPTypes
import LegacyServer
import Logging
import Testing
import Yams

@testable import BridgeConfiguration
@testable import Server

@Suite("The description of the HTTP endpoints in docs/api/openapi.yaml")
struct OpenAPITests {
    /// What is done with a path, such as `DELETE /{db}/_user/{}`. Only the first open part has a name: the tables have none for the others.
    private struct Operation: Hashable, CustomStringConvertible {
        let method: HTTPRequest.Method
        let path: String

        var description: String { "\(method.rawValue) \(path)" }
    }

    private static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .delete, .patch, .options, .trace]

    @Test("It has each operation of the route table, with the ports at which it is, and no other")
    func operations() throws {
        let described = try described()
        let served = served()
        #expect(served.count > 100)
        for operation in Set(described.keys).union(served.keys) {
            #expect(described[operation].map(ports) == served[operation], "\(operation)")
        }
    }

    @Test("Each operation of the admin port names the least role that may do it")
    func roles() throws {
        for (operation, node) in try described() where ports(node).contains(.admin) {
            let target = try RequestTarget(operation.path.replacing(/\{\w*\}/, with: "x"))
            let need = RouteIndex.of(.admin).resolve(operation.method, target).need
            let roles = node["security"]?.array().compactMap { $0["adminPassword"]?.array(of: String.self).first } ?? []
            #expect(roles.first == need.role?.rawValue, "\(operation)")
        }
    }

    @Test("No two operations have one ID")
    func identifiers() throws {
        let operations = try described().values
        #expect(Set(operations.compactMap { $0["operationId"]?.string }).count == operations.count)
    }

    @Test("Each reference leads to a component, and each component is referred to")
    func references() throws {
        let file = try Self.file()
        var components: Set<String> = []
        for (kind, members) in try #require(file["components"]?.mapping) where kind.string != "securitySchemes" {
            let names = (members.mapping ?? [:]).compactMap { $0.key.string }
            components.formUnion(names.map { "#/components/\(kind.string ?? "")/\($0)" })
        }
        #expect(components == Set(Self.references(in: file)))
    }

    @Test(
        "Lists of words are those of the sources",
        arguments: [
            ("Stage", CutoverStage.allCases.map(\.rawValue)), ("CutoverAction", CutoverAction.allCases.map(\.rawValue)),
            ("LogLevel", Logger.Level.allCases.map(\.rawValue)),
        ])
    func words(schema: String, words: [String]) throws {
        #expect(try Self.file()["components"]?["schemas"]?[schema]?["enum"]?.array(of: String.self) == words)
    }

    // MARK: The description

    private static func file() throws -> Node {
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 1...4 { folder.deleteLastPathComponent() }
        let text = try String(contentsOf: folder.appendingPathComponent("docs/api/openapi.yaml"), encoding: .utf8)
        return try #require(try Yams.compose(yaml: text))
    }

    private func described() throws -> [Operation: Node] {
        var operations: [Operation: Node] = [:]
        for (key, item) in try #require(try Self.file()["paths"]?.mapping) {
            let path = Self.anonymous(try #require(key.string))
            for method in Self.methods { operations[Operation(method: method, path: path)] = item[method.rawValue.lowercased()] }
        }
        return operations
    }

    /// Takes the names of all open parts but the first away.
    private static func anonymous(_ path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).enumerated().map { index, part in
            index > 1 && part.hasPrefix("{") ? "{}" : String(part)
        }.joined(separator: "/")
    }

    private func ports(_ operation: Node) -> Set<PortKind> {
        let tags = operation["tags"]?.array(of: String.self) ?? []
        return Set(PortKind.allCases.filter { tags.contains("\($0.rawValue.capitalized) port") })
    }

    private static func references(in node: Node) -> [String] {
        guard let mapping = node.mapping else { return node.array().flatMap { references(in: $0) } }
        return mapping.flatMap { key, value in key.string == "$ref" ? [value.string ?? ""] : references(in: value) }
    }

    // MARK: The table

    private func served() -> [Operation: Set<PortKind>] {
        var operations: [Operation: Set<PortKind>] = [:]
        for route in HTTPRoute.all {
            for path in Self.paths(route) {
                for method in route.methods { operations[Operation(method: method, path: path), default: []].formUnion(route.ports) }
            }
        }
        return operations
    }

    private static func paths(_ route: HTTPRoute) -> [String] {
        switch route.pattern {
        case .path("_ui/**"): return ["/_ui", "/_ui/", "/_ui/{}"]
        case .path(""): return [route.place == .server ? "/" : "/{keyspace}"]
        case .path(let pattern):
            let first = route.place == .server ? "" : route.place == .keyspace ? "/{keyspace}" : "/{db}"
            return ["\(first)/\("\(pattern)".replacing("*", with: "{}"))"]
        case .legacy(let pattern): return ["/{keyspace}\(path(pattern))"]
        }
    }

    private static func path(_ pattern: LegacyRoute.Pattern) -> String {
        switch pattern {
        case .keyspace: ""
        case .endpoint(let name): "/\(name)"
        case .local: "/_local/{}"
        case .design: "/_design/{}"
        case .document: "/{}"
        case .attachment: "/{}/{}"
        }
    }
}
