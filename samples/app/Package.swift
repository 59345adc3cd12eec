// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "app",
    dependencies: [
        // The name stands for the package whatever its folder is called. An app outside of the repository names a URL and a version here.
        .package(name: "dualgauge", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "ShopApp",
            dependencies: [
                .product(name: "LegacyClient", package: "dualgauge"),
                .product(name: "LocalStore", package: "dualgauge"),
                .product(name: "ModernClient", package: "dualgauge"),
            ],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ])
    ]
)
