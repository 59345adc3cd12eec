// swift-tools-version: 6.2
import PackageDescription

/// With `DUALGAUGE_STRICT`, as in CI, a warning fails the build. Otherwise it does not: a newer compiler may warn of code that no change has touched.
let strictness: [SwiftSetting] = Context.environment["DUALGAUGE_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

/// Settings that every target of ours shares: Swift 6 mode brings complete concurrency checking; the
/// upcoming features make existentials and imports explicit.
let settings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ] + strictness

// Products of other packages, by their short names.
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let asn1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")
let asyncHTTPClient: Target.Dependency = .product(name: "AsyncHTTPClient", package: "async-http-client")
let coreMetrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let deque: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let heap: Target.Dependency = .product(name: "HeapModule", package: "swift-collections")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let inMemoryTracing: Target.Dependency = .product(name: "InMemoryTracing", package: "swift-distributed-tracing")
let jwtKit: Target.Dependency = .product(name: "JWTKit", package: "jwt-kit")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let nioConcurrencyHelpers: Target.Dependency = .product(name: "NIOConcurrencyHelpers", package: "swift-nio")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioExtras: Target.Dependency = .product(name: "NIOExtras", package: "swift-nio-extras")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTPCompression: Target.Dependency = .product(name: "NIOHTTPCompression", package: "swift-nio-extras")
let nioHTTPTypesHTTP1: Target.Dependency = .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let unixSignals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let tracing: Target.Dependency = .product(name: "Tracing", package: "swift-distributed-tracing")
let x509: Target.Dependency = .product(name: "X509", package: "swift-certificates")
let yams: Target.Dependency = .product(name: "Yams", package: "Yams")

/// The commit, where the build tells it: `make release` does. Otherwise each commit would build the program anew.
let commit = Context.environment["DUALGAUGE_COMMIT"].map { $0.filter(\.isHexDigit).prefix(40) } ?? ""

/// A module. It may import the modules that it names here, which are below it.
func module(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
    .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

/// The tests of a module.
func tests(_ name: String, _ dependencies: [Target.Dependency], in folder: String? = nil, resources: [Resource]? = nil) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, path: "Tests/\(folder ?? name)", resources: resources, swiftSettings: settings)
}

let package = Package(
    name: "dualgauge",
    products: [
        .executable(name: "dualgauge", targets: ["dualgauge"]),
        // For apps: a database on the device, and the two replicators for it.
        .library(name: "LocalStore", targets: ["LocalStore"]),
        .library(name: "LegacyClient", targets: ["LegacyClient"]),
        .library(name: "ModernClient", targets: ["ModernClient"]),
        // For the soak, which starts a bridge with it in `LD_PRELOAD`.
        .library(name: "Troubles", type: .dynamic, targets: ["CTroubles"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.15.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        .systemLibrary(name: "CCrypt", providers: [.apt(["libcrypt-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CJavaScriptCore", pkgConfig: "javascriptcoregtk-4.1", providers: [.apt(["libjavascriptcoregtk-4.1-dev"])]),
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),

        // Waiting, waking and sharing between tasks. Imports nothing of ours.
        module("Coordination", []),
        // DNS-SD by Avahi's library, which is loaded when it is needed.
        .target(name: "CAvahi", linkerSettings: [.linkedLibrary("dl"), .linkedLibrary("pthread")]),
        module("Discovery", ["CAvahi", "Coordination"]),
        module("Compression", ["CZlib"]),
        // The metrics and the spans of the bridge, for the metrics system and the tracer of the process.
        module("Telemetry", ["Coordination", coreMetrics, tracing]),
        module("BLIP", ["Compression"]),
        module(
            "HTTP",
            [
                "Compression", "Coordination", "Telemetry", asn1, coreMetrics, crypto, httpTypes, nioCore, nioExtras, nioHTTP1,
                nioHTTPTypesHTTP1, nioPosix, nioSSL, tracing, x509,
            ]),
        // The server for HTTP and WebSocket. Apps that replicate do not link it.
        module(
            "HTTPListener",
            [
                "Compression", "Coordination", "HTTP", httpTypes, hummingbirdCore, logging, nioCore, nioExtras, nioHTTP1, nioHTTPTypesHTTP1,
                nioPosix, nioSSL,
            ]),
        module("Documents", [crypto]),
        module("Scripting", ["CJavaScriptCore", "Coordination", "Telemetry", coreMetrics, deque]),
        // Keeps the bridge's process running; knows nothing of documents but their JSON reader.
        module("Supervision", ["Coordination", "Documents", logging]),
        // The store protocol and its values; an engine is a module of its own.
        module("Storage", ["Coordination", "Documents", "Telemetry", coreMetrics, deque, nioConcurrencyHelpers, tracing]),
        module(
            "SQLiteStorage", ["Coordination", "Documents", "Storage", "Telemetry", coreMetrics, grdb, tracing],
            resources: [.embedInCode("Schema/0025-baseline.sql")]),
        module(
            "PostgreSQLStorage", ["CPostgreSQL", "Coordination", "Documents", "Storage", "Telemetry", coreMetrics, deque, tracing],
            resources: [.embedInCode("Schema/0001-baseline.sql"), .embedInCode("Schema/0002-promotions.sql")]),
        // The places of stores; the only module for both engines.
        module("Stores", ["Coordination", "PostgreSQLStorage", "SQLiteStorage", "Storage"]),
        // Copies a store from one engine to another.
        module("StoreCopy", ["Documents", "Storage"]),
        module("Access", ["Coordination", "Documents", "Storage"]),
        // The ways to prove an identity. The products for apps do not link it.
        module(
            "Authentication",
            [
                "Access", "CCrypt", "Coordination", "Documents", "HTTP", "Storage", asn1, asyncHTTPClient, crypto, cryptoExtras, jwtKit,
                logging, nioCore, nioHTTP1, nioSSL, x509,
            ]),
        module("Gateway", ["Access", "Coordination", "Documents", "Scripting", "Storage", "Telemetry", coreMetrics, heap, logging]),
        // The database of an app: what is public of the modules below it.
        module("LocalStore", ["Documents", "Gateway", "SQLiteStorage", "Scripting", "Storage", logging]),
        // Couchbase Lite's 1.x replication protocol: both sides, the listener, and the replicator.
        module("LegacyProtocol", ["Access", "Documents", "Gateway", "HTTP", "Storage", httpTypes, nioCore]),
        module(
            "LegacyServer",
            [
                "Access", "Authentication", "Compression", "Coordination", "Documents", "Gateway", "HTTP", "HTTPListener", "LegacyProtocol",
                "Storage", httpTypes, hummingbirdCore, logging, nioCore, nioPosix,
            ]),
        module(
            "LegacyClient",
            [
                "Compression", "Coordination", "Documents", "Gateway", "HTTP", "LegacyProtocol", "LocalStore", "Scripting", "Storage",
                "Telemetry", asyncHTTPClient, crypto, httpTypes, logging, nioCore, nioHTTP1, nioHTTPCompression, nioPosix, nioSSL,
            ]),
        // The 2.x+ protocol: both sides, the listener, and the replicator.
        module(
            "ModernProtocol",
            ["BLIP", "Compression", "Coordination", "Documents", "Gateway", "HTTP", "Storage", "Telemetry", coreMetrics, logging]),
        module(
            "ModernServer",
            ["Access", "BLIP", "Coordination", "Documents", "Gateway", "HTTP", "ModernProtocol", "Storage", "Telemetry", logging, tracing]),
        module(
            "ModernClient",
            [
                "BLIP", "Coordination", "Discovery", "Documents", "Gateway", "HTTP", "LocalStore", "ModernProtocol", "Scripting", "Storage",
                "Telemetry", crypto, httpTypes, logging, nioSSL,
            ]),
        module("Migration", ["Compression", "Coordination", "Documents", "Gateway", "LegacyClient", "SQLiteStorage", "Storage", grdb]),
        // Requests that go to the old server, and its responses.
        module(
            "PassThrough",
            [
                "Coordination", "HTTP", "HTTPListener", asyncHTTPClient, httpTypes, hummingbirdCore, nioCore, nioHTTP1, nioHTTPTypesHTTP1,
                nioPosix, nioSSL,
            ]),
        module("Cutover", ["Documents", "HTTP", "Migration", "Storage", crypto, nioCore]),
        // Reads `dualgauge.yaml` and Sync Gateway's configurations, and finds the mistakes in them.
        module(
            "BridgeConfiguration",
            [
                "Access", "Authentication", "Cutover", "Discovery", "Documents", "Gateway", "HTTP", "HTTPListener", "Scripting",
                "Storage", "Stores", httpTypes, logging, nioSSL, yams,
            ]),
        // The replications that a bridge runs beside its listeners.
        module(
            "ReplicationService",
            [
                "Access", "Authentication", "BridgeConfiguration", "Coordination", "Cutover", "Documents", "Gateway", "LegacyClient",
                "Migration", "ModernClient", "ModernServer", "Scripting", "Storage", "Supervision", "Telemetry", coreMetrics, httpTypes,
                logging,
            ]),
        // The page of the admin port.
        module(
            "AdminPage", ["HTTP", httpTypes, hummingbirdCore, nioCore],
            resources: [
                .embedInCode("Files/index.html"), .embedInCode("Files/app.css"), .embedInCode("Files/app.js"),
                .embedInCode("Files/ask.js"), .embedInCode("Files/bodies.js"), .embedInCode("Files/changes.js"),
                .embedInCode("Files/chart.js"), .embedInCode("Files/comparison.js"), .embedInCode("Files/conflicts.js"),
                .embedInCode("Files/cutover.js"),
                .embedInCode("Files/devices.js"), .embedInCode("Files/dialog.js"), .embedInCode("Files/documents.js"),
                .embedInCode("Files/drawing.js"), .embedInCode("Files/elements.js"), .embedInCode("Files/fleet.js"),
                .embedInCode("Files/forms.js"), .embedInCode("Files/gates.js"),
                .embedInCode("Files/groups.js"), .embedInCode("Files/loader.js"),
                .embedInCode("Files/lookup.js"), .embedInCode("Files/metrics.js"), .embedInCode("Files/migrations.js"),
                .embedInCode("Files/model.js"), .embedInCode("Files/outcome.js"), .embedInCode("Files/parked.js"),
                .embedInCode("Files/parts.js"), .embedInCode("Files/replications.js"), .embedInCode("Files/screen.js"),
                .embedInCode("Files/server.js"), .embedInCode("Files/users.js"),
            ]),
        module(
            "Server",
            [
                "Access", "AdminPage", "Authentication", "BridgeConfiguration", "CMalloc", "Coordination", "Cutover", "Discovery",
                "Documents",
                "Gateway", "HTTP", "HTTPListener", "LegacyClient", "LegacyProtocol", "LegacyServer", "Migration", "ModernClient",
                "ModernProtocol", "ModernServer", "PassThrough", "ReplicationService", "Scripting", "Storage", "Stores",
                "Supervision", "Telemetry", coreMetrics, crypto, httpTypes, hummingbirdCore, logging, nioCore, nioSSL, tracing,
                unixSignals,
            ]),

        // Databases of Couchbase Lite 1.x, for the benchmarks and the tests.
        module("LegacyFiles", [grdb]),
        // Small clients of both generations, for the demonstration and the benchmarks.
        module("Peers", ["BLIP", "Documents", "HTTP", asyncHTTPClient, httpTypes, nioCore, nioHTTP1]),
        // A full disk, a slow disk and another time, for a process that is started with this library.
        .target(name: "CTroubles"),
        .target(name: "CVersion", cSettings: commit.isEmpty ? [] : [.define("DUALGAUGE_COMMIT", to: "\"\(commit)\"")]),
        module("Soak", ["BLIP", "Coordination", "Documents", "HTTP", "Peers", asyncHTTPClient, httpTypes, nioCore, nioHTTP1, nioPosix]),
        .executableTarget(
            name: "dualgauge",
            dependencies: [
                "Access", "BridgeConfiguration", "CVersion", "Coordination", "Discovery", "Documents", "Gateway", "HTTP", "Migration",
                "Peers", "ReplicationService", "SQLiteStorage", "Scripting", "Server", "Storage", "StoreCopy", "Stores", "Supervision",
                argumentParser, asyncHTTPClient, crypto, httpTypes, logging, nioCore, nioHTTP1, nioSSL,
            ], swiftSettings: settings),
        .executableTarget(
            name: "dualgauge-bench",
            dependencies: [
                "CPostgreSQL", "Coordination", "Documents", "HTTP", "LegacyFiles", "Peers", "PostgreSQLStorage", "SQLiteStorage", "Soak",
                "Storage", argumentParser, asyncHTTPClient, grdb, nioCore,
                nioHTTP1, nioPosix,
            ], path: "Sources/Benchmarks", swiftSettings: settings),

        // The sample app, as it is: outside of the package's access, as an app of another package is.
        .executableTarget(
            name: "SampleApp", dependencies: ["LegacyClient", "LocalStore", "ModernClient"], path: "samples/app/Sources/ShopApp",
            packageAccess: false, swiftSettings: settings),

        // Code that the tests of several modules share.
        .target(
            name: "TestSupport", dependencies: ["Coordination", "LegacyFiles", "Storage", "Stores", logging], path: "Tests/TestSupport",
            swiftSettings: settings),
        // Databases with a listener, and recorded conversations, for the tests of each protocol.
        .target(
            name: "LegacyTestSupport",
            dependencies: [
                "Access", "Authentication", "Coordination", "Documents", "Gateway", "HTTP", "HTTPListener", "LegacyProtocol",
                "LegacyServer", "Scripting", "Storage", "TestSupport", httpTypes, hummingbirdCore, logging, nioCore,
            ], path: "Tests/LegacyTestSupport", resources: [.copy("Captures")], swiftSettings: settings),
        .target(
            name: "ModernTestSupport",
            dependencies: [
                "Access", "BLIP", "Coordination", "Documents", "Gateway", "LocalStore", "ModernProtocol", "ModernServer", "Scripting",
                "Storage", "TestSupport", logging,
            ], path: "Tests/ModernTestSupport", resources: [.copy("Captures")], swiftSettings: settings),
        tests("AccessTests", ["Access", "SQLiteStorage", "Storage", "TestSupport"]),
        tests(
            "AuthenticationTests",
            [
                "Access", "Authentication", "Coordination", "Documents", "HTTPListener", "SQLiteStorage", "Storage", "TestSupport", asn1,
                crypto, httpTypes, hummingbirdCore, jwtKit, logging, nioCore, nioSSL, x509,
            ]),
        tests("BLIPTests", ["BLIP", "Compression", "TestSupport"], resources: [.copy("Captures")]),
        tests("CoordinationTests", ["Coordination"]),
        tests("DiscoveryTests", ["Discovery"]),
        tests(
            "CutoverTests",
            [
                "Coordination", "Cutover", "Documents", "Gateway", "HTTP", "Migration", "SQLiteStorage", "Scripting", "Storage", logging,
                nioCore,
            ]),
        tests("DocumentsTests", ["Documents", "TestSupport"]),
        tests(
            "GatewayTests",
            [
                "Access", "Coordination", "Documents", "Gateway", "Migration", "SQLiteStorage", "Scripting", "Storage", "TestSupport",
                logging,
            ]),
        tests(
            "HTTPListenerTests",
            [
                "Compression", "Coordination", "HTTP", "HTTPListener", "TestSupport", asn1, crypto, httpTypes, hummingbirdCore, logging,
                nioCore, nioPosix, nioSSL, x509,
            ]),
        tests("HTTPTests", ["Compression", "Coordination", "HTTP", "TestSupport", nioCore, nioPosix, nioSSL]),
        tests(
            "InteropTests",
            [
                "Access", "AdminPage", "Authentication", "BLIP", "BridgeConfiguration", "Compression", "Coordination", "Cutover",
                "Documents", "Gateway", "HTTP", "HTTPListener", "LegacyClient", "LegacyFiles", "LegacyProtocol", "LegacyServer",
                "LocalStore", "Migration", "ModernClient", "ModernProtocol", "Peers", "ReplicationService", "SQLiteStorage", "SampleApp",
                "Scripting", "Server", "Soak", "Storage", "Stores", "Telemetry", "TestSupport", "dualgauge", argumentParser, crypto, grdb,
                httpTypes,
                hummingbirdCore, inMemoryTracing, logging, nioCore, nioPosix, nioSSL, tracing,
            ]),
        tests(
            "LegacyClientTests",
            [
                "Authentication", "Coordination", "Documents", "Gateway", "HTTP", "HTTPListener", "LegacyClient", "LegacyProtocol",
                "LegacyServer", "LegacyTestSupport", "LocalStore", "Scripting", "Storage", "TestSupport", httpTypes, hummingbirdCore,
                logging, nioCore, nioHTTP1, nioSSL,
            ]),
        tests(
            "LegacyServerTests",
            [
                "Access", "Compression", "Coordination", "Documents", "Gateway", "HTTP", "HTTPListener", "LegacyProtocol", "LegacyServer",
                "LegacyTestSupport", "SQLiteStorage", "Scripting", "Storage", "TestSupport", httpTypes, hummingbirdCore, logging, nioCore,
            ]),
        // Sees public declarations alone, as an app does.
        .testTarget(name: "LocalStoreTests", dependencies: ["LocalStore"], packageAccess: false, swiftSettings: settings),
        tests(
            "MigrationTests",
            [
                "Compression", "Coordination", "Documents", "Gateway", "LegacyFiles", "Migration", "SQLiteStorage", "Scripting", "Storage",
                "TestSupport", grdb, logging,
            ], resources: [.copy("Fixtures")]),
        tests(
            "ModernClientTests",
            [
                "Access", "BLIP", "Coordination", "Documents", "Gateway", "HTTP", "HTTPListener", "LocalStore", "ModernClient",
                "ModernProtocol", "ModernServer", "ModernTestSupport", "Storage", "TestSupport", httpTypes, hummingbirdCore, logging,
                nioCore, nioSSL,
            ]),
        tests("ModernProtocolTests", ["Documents", "ModernProtocol"]),
        tests(
            "ModernServerTests",
            [
                "Access", "BLIP", "Compression", "Coordination", "Documents", "Gateway", "HTTP", "ModernProtocol", "ModernServer",
                "ModernTestSupport", "Storage", "TestSupport", logging, nioCore,
            ]),
        tests(
            "ParityTests",
            [
                "Authentication", "BLIP", "BridgeConfiguration", "Coordination", "Documents", "Gateway", "HTTP", "HTTPListener",
                "SQLiteStorage", "Server", "Storage", "Stores", "TestSupport", asyncHTTPClient, httpTypes, hummingbirdCore, logging,
                nioCore,
                nioHTTP1,
            ], in: "Parity", resources: [.copy("Recordings")]),
        tests("PassThroughTests", ["HTTPListener", "PassThrough", httpTypes, nioCore]),
        tests("ScriptingTests", ["Scripting", "TestSupport"]),
        tests(
            "ServerTests",
            [
                "Access", "AdminPage", "Authentication", "BLIP", "BridgeConfiguration", "Compression", "Coordination", "Cutover",
                "Discovery", "Documents", "Gateway", "HTTP", "HTTPListener", "LegacyClient", "LegacyServer", "ModernClient",
                "ModernProtocol", "ModernServer", "ReplicationService", "SQLiteStorage", "Scripting", "Server", "Storage", "Stores",
                "Telemetry",
                "TestSupport", httpTypes, hummingbirdCore, logging, nioCore, nioSSL, yams,
            ]),
        tests(
            "SimulationTests",
            [
                "Access", "BLIP", "Coordination", "Cutover", "Documents", "Gateway", "HTTP", "LegacyClient", "LegacyProtocol",
                "LegacyServer", "ModernClient", "ModernProtocol", "ModernServer", "PostgreSQLStorage", "SQLiteStorage", "Scripting",
                "Storage", "TestSupport", asyncHTTPClient, httpTypes, hummingbirdCore, logging, nioCore, nioHTTP1,
            ], in: "Simulation"),
        tests("SoakTests", ["Soak"]),
        tests("SourceTests", []),
        tests("StoresTests", ["Storage", "Stores", "TestSupport"]),
        tests("StorageTests", ["Coordination", "Documents", "PostgreSQLStorage", "SQLiteStorage", "Storage", "TestSupport", grdb]),
        tests(
            "StoreCopyTests",
            [
                "Access", "Coordination", "Documents", "Gateway", "PostgreSQLStorage", "SQLiteStorage", "Scripting", "Storage", "StoreCopy",
                "TestSupport", logging,
            ]),
        tests("SupervisionTests", ["Supervision"]),
        tests("TelemetryTests", ["Coordination", "Telemetry", coreMetrics, inMemoryTracing, tracing]),
    ]
)
