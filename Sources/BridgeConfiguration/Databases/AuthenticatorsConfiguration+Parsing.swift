import Access
import Authentication
import Foundation

extension AuthenticatorsConfiguration {
    init(_ node: ConfigurationNode, folder: URL) throws {
        self.init()
        let members = try node.members(
            ["facebook", "persona", "google", "oidc", "clientCertificate", "upstream", "limits", "authorities"])
        facebook = members["facebook"]?.read { try FacebookConfiguration($0) }
        persona = members["persona"]?.read { try PersonaConfiguration($0) }
        google = members["google"]?.read { try GoogleConfiguration($0) }
        oidc = members["oidc"]?.read { try OpenIDConfiguration.all($0) } ?? []
        clientCertificate = members["clientCertificate"]?.read { try ClientCertificateConfiguration($0) }
        upstream = members["upstream"]?.read { try UpstreamConfiguration($0) }
        members["limits"]?.read { limits = try VerificationLimits($0) }
        authorityFile = members["authorities"]?.read { ServerConfiguration.path(try $0.text(), in: folder) }
    }
}

extension FacebookConfiguration {
    init(_ node: ConfigurationNode) throws {
        let members = try node.members(["appID", "allowAnyApp", "graphURL", "appSecret", "register", "emailFallback"])
        let appIDs = members["appID"].map { node in node.read { try $0.oneOrMoreTexts() } ?? [] }
        let allowsAny = members["allowAnyApp"]?.read { try $0.bool() } ?? false
        let apps: Apps
        switch (appIDs, allowsAny) {
        case (let appIDs?, false): apps = .only(Set(appIDs))
        case (nil, true): apps = .any
        case (nil, false):
            apps = .any
            node.refuse(
                .missingKey,
                "`facebook` needs `appID`: without it a token that any other app got from a user opens that user's account here; "
                    + "`allowAnyApp: true` accepts that")
        case (_?, true):
            apps = .any
            node.refuse(.badValue, "`allowAnyApp` contradicts `appID`; give one of them")
        }
        let graph = members["graphURL"]?.read { try $0.endpoint() }
        self.init(apps: apps, graph: try graph ?? VerificationEndpoint(configured: "https://graph.facebook.com"))
        appSecret = members["appSecret"]?.read { Secret(try $0.nonEmptyText()) }
        registers = members["register"]?.read { try $0.bool() } ?? false
        matchesEmail = members["emailFallback"]?.read { try $0.bool() } ?? false
    }
}

extension PersonaConfiguration {
    init(_ node: ConfigurationNode) throws {
        let members = try node.members(["verifierURL", "audience", "issuers", "clockSkew", "reuse", "register"])
        let verifier = members["verifierURL"]?.read { try $0.endpoint() }
        let audience = members["audience"]?.read { try $0.nonEmptyText() }
        let issuers = members["issuers"]?.read { try $0.texts() }
        let clockSkew = members["clockSkew"]?.read { try $0.seconds(upTo: 600) }
        let reuse = members["reuse"]?.read { try $0.seconds(upTo: 3600) }
        let registers = members["register"]?.read { try $0.bool() }
        guard members["verifierURL"] != nil, members["audience"] != nil else {
            throw node.error(.missingKey, "`persona` needs `verifierURL` and `audience`, the origin that assertions are made for")
        }
        guard let verifier, let audience else { throw ConfigurationNode.AlreadyReported() }
        self.init(verifier: verifier, audience: audience)
        self.issuers = Set(issuers ?? [])
        self.clockSkew = clockSkew ?? self.clockSkew
        self.reuse = reuse ?? self.reuse
        self.registers = registers ?? false
    }
}

extension GoogleConfiguration {
    init(_ node: ConfigurationNode) throws {
        let members = try node.members(["appID", "issuer", "register", "emailFallback", "clockSkew"])
        let appIDs = members["appID"]?.read { try $0.oneOrMoreTexts() }
        let registers = members["register"]?.read { try $0.bool() }
        let matchesEmail = members["emailFallback"]?.read { try $0.bool() }
        let clockSkew = members["clockSkew"]?.read { try $0.seconds(upTo: 600) }
        let issuer = members["issuer"]
        guard members["appID"] != nil else {
            throw node.error(.missingKey, "`google` needs `appID`, the client ID that tokens are issued for, or a list of them")
        }
        guard let appIDs else { throw ConfigurationNode.AlreadyReported() }
        do {
            try self.init(clientIDs: appIDs, issuer: try issuer?.text() ?? GoogleConfiguration.issuer)
        } catch let error as LoginError {
            throw (issuer ?? node).error(.badValue, error.message)
        }
        self.registers = registers ?? false
        self.matchesEmail = matchesEmail ?? false
        self.clockSkew = clockSkew ?? self.clockSkew
    }
}

extension ClientCertificateConfiguration {
    init(_ node: ConfigurationNode) throws {
        self.init()
        let members = try node.members(["user", "prefix", "suffix", "register"])
        members["user"]?.read { field = try $0.choice(Field.self) }
        prefix = members["prefix"]?.read { try $0.text() } ?? ""
        suffix = members["suffix"]?.read { try $0.text() } ?? ""
        registers = members["register"]?.read { try $0.bool() } ?? false
    }
}

extension UpstreamConfiguration {
    init(_ node: ConfigurationNode) throws {
        let members = try node.members(["url", "cookieName", "refusalLifetime", "rates"])
        let url = members["url"]?.read { try $0.endpoint(plainHTTP: .anywhere) }
        let cookieName = members["cookieName"]?.read { try Self.cookieName($0) }
        let refusalLifetime = members["refusalLifetime"]?.read { try $0.seconds(upTo: 86_400) }
        let rates = members["rates"]?.read { try $0.members(["user", "address", "total"]) }?.compactMapValues { node in
            node.read { try $0.int(in: 1...60_000) }
        }
        if members["url"] == nil { node.refuse(.missingKey, "`upstream` needs `url`, the database's address on the old server") }
        guard let url else { throw ConfigurationNode.AlreadyReported() }
        self.init(database: url)
        self.cookieName = cookieName ?? self.cookieName
        self.refusalLifetime = refusalLifetime ?? self.refusalLifetime
        self.rates.user = rates?["user"] ?? self.rates.user
        self.rates.address = rates?["address"] ?? self.rates.address
        self.rates.total = rates?["total"] ?? self.rates.total
    }

    private static func cookieName(_ node: ConfigurationNode) throws -> String {
        let name = try node.text()
        guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !#"=;,""#.utf8.contains($0) }) else {
            throw node.error(.badValue, "`\(name)` is not the name of a cookie")
        }
        return name
    }
}

extension VerificationLimits {
    init(_ node: ConfigurationNode) throws {
        self.init()
        let members = try node.members(["connectTimeout", "timeout", "responseSize", "concurrency"])
        members["connectTimeout"]?.read { connectTimeout = try $0.duration(upTo: .seconds(60)) }
        members["timeout"]?.read { timeout = try $0.duration(upTo: .seconds(120)) }
        members["responseSize"]?.read { responseSize = try $0.size(in: 1024...(16 << 20)) }
        members["concurrency"]?.read { concurrency = try $0.int(in: 1...1024) }
    }
}
