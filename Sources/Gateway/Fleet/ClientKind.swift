/// The kind of a client that writes checkpoints or sends requests.
package struct ClientKind: Hashable, Sendable {
    /// The maximum stored length of a name, in characters.
    private static let maximumLength = 256

    /// The generation of the client's protocol: 1, 2 or 3, for connections also 4; 0 for the bridge's own replicators.
    package let generation: Int

    /// The client's `User-Agent`.
    package let agent: String

    package init(generation: Int, agent: String?) {
        self.generation = generation
        self.agent = String((agent ?? "").prefix(Self.maximumLength))
    }

    /// The bridge's own replicator.
    static let replicator = ClientKind(generation: 0, agent: "Dualgauge")
}

/// A client's software, parsed from its `User-Agent`: a product name, its version, and its platform.
package struct ClientSoftware: Hashable, Sendable, CustomStringConvertible {
    /// Such as `Couchbase Lite`; the whole `User-Agent` if the product is unknown.
    package let name: String

    /// Such as `1.4.1`; `nil` if it is missing.
    package let version: String?

    /// Such as `Java, Android 11`; `nil` if it is missing.
    package let platform: String?

    private init(_ name: String, _ version: String?, _ platform: String? = nil) {
        self.name = name
        self.version = version
        self.platform = platform
    }

    /// Parses a `User-Agent`:
    ///
    /// - `CouchbaseLite/3.2.1 (Swift; iOS 17.5; iPhone) Build/9 …` of 2.x+ (docs/protocol/modern-2x.md#upgrade-request);
    /// - `CouchbaseLite/1.3 (iOS 1.4.4/abc)` of 1.x, where the product's version is in the brackets, after the protocol's version
    ///   (docs/protocol/legacy-1x.md#http);
    /// - `couchbase-lite-core/3.2.1` of a bare LiteCore;
    /// - `CouchDB-Replicator/3.3.2` and `CouchDB/1.6.1`;
    /// - browsers, in which PouchDB runs.
    package init(_ agent: String) {
        let products = Self.products(agent)
        guard let first = products.first else {
            self.init(agent.isEmpty ? "unknown" : agent, nil)
            return
        }
        switch first.name {
        case "CouchbaseLite":
            let details = Self.details(agent)
            guard first.version.first == "1" else {
                self.init("Couchbase Lite", Self.release(first.version), details.isEmpty ? nil : details.prefix(2).joined(separator: ", "))
                return
            }
            let words = (details.first ?? "").split(separator: " ").map(String.init)
            let product = words.last { $0.first?.isNumber == true && $0.contains("/") }
            let platform = words.prefix { !$0.contains("/") }.filter { $0.first?.isNumber == false }.joined(separator: " ")
            self.init("Couchbase Lite", product.map(Self.release) ?? Self.release(first.version), platform.isEmpty ? nil : platform)
        case "couchbase-lite-core": self.init("LiteCore", Self.release(first.version))
        case "CouchDB-Replicator", "CouchDB": self.init("CouchDB", Self.release(first.version))
        case "PouchDB", "Dualgauge": self.init(first.name, Self.release(first.version))
        case "Mozilla": self = Self.browser(products) ?? Self(agent, nil)
        default: self.init(agent, nil)
        }
    }

    /// The name of a known program, else `other`: a value of a fixed list, whatever clients send.
    package var family: String { Self.families.contains(name) ? name : "other" }

    private static let families: Set = [
        "Couchbase Lite", "LiteCore", "CouchDB", "PouchDB", "Dualgauge", "Edge", "Opera", "Firefox", "Chrome", "Safari",
    ]

    package var description: String {
        name + (version.map { " \($0)" } ?? "") + (platform.map { " (\($0))" } ?? "")
    }

    /// Browsers include each other's product names. The list starts with the products that no other browser includes.
    private static func browser(_ products: [(name: String, version: String)]) -> ClientSoftware? {
        for (product, name) in [("Edg", "Edge"), ("OPR", "Opera"), ("Firefox", "Firefox"), ("Chrome", "Chrome"), ("Version", "Safari")] {
            guard let found = products.first(where: { $0.name == product }) else { continue }
            return ClientSoftware(name, found.version.split(separator: ".").first.map(String.init))
        }
        return nil
    }

    /// `name/version` pairs outside of brackets, in their order.
    private static func products(_ agent: String) -> [(name: String, version: String)] {
        var depth = 0
        let outside = agent.filter { character in
            if character == "(" { depth += 1 }
            if character == ")" { depth = max(0, depth - 1) }
            return depth == 0
        }
        return outside.split(separator: " ").compactMap { word in
            let parts = word.split(separator: "/", maxSplits: 1)
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
    }

    /// The contents of the first brackets, split at semicolons.
    private static func details(_ agent: String) -> [String] {
        guard let open = agent.firstIndex(of: "(") else { return [] }
        let inside = agent[agent.index(after: open)...].prefix { $0 != ")" && $0 != "(" }
        return inside.split(separator: ";").map { $0.trimmingPrefix(" ") }.filter { !$0.isEmpty }.map(String.init)
    }

    /// The numeric part of a version: `2.8.0-168` is 2.8.0.
    private static func release(_ text: String) -> String {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        return number.isEmpty ? text : String(number)
    }
}
