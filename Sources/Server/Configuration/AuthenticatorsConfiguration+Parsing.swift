import Access
import Foundation

extension AuthenticatorsConfiguration {
    init(_ node: ConfigurationNode, folder: URL) throws {
        self.init()
        let members = try node.members(
            ["facebook", "persona", "google", "oidc", "clientCertificate", "upstream", "limits", "authorities"])
        facebook = try members["facebook"].map { try FacebookConfiguration($0) }
        persona = try members["persona"].map { try PersonaConfiguration($0) }
        google = try members["google"].map { try GoogleConfiguration($0) }
        oidc = try members["oidc"].map { try OpenIDConfiguration.all($0) } ?? []
        clientCertificate = try members["clientCertificate"].map { try ClientCertificateConfiguration($0) }
        upstream = try members["upstream"].map { try UpstreamConfiguration($0) }
        if let node = members["limits"] { limits = try VerificationLimits(node) }
        authorityFile = try members["authorities"].map { ServerConfiguration.path(try $0.text(), in: folder) }
    }
}

extension FacebookConfiguration {
    init(_ node: ConfigurationNode) throws {
        let members = try node.members(["appID", "allowAnyApp", "graphURL", "appSecret", "register", "emailFallback"])
        let appIDs = try members["appID"]?.oneOrMoreTexts()
        let allowsAny = try members["allowAnyApp"]?.bool() ?? false
        let apps: Apps
        switch (appIDs, allowsAny) {
        case (let appIDs?, false): apps = .only(Set(appIDs))
        case (nil, true): apps = .any
        case (nil, false):
            throw node.error(
                .missingKey,
                "`facebook` needs `appID`: without it a token that any other app got from a user opens that user's account here; "
                    + "`allowAnyApp: true` accepts that")
        case (_?, true): throw node.error(.badValue, "`allowAnyApp` contradicts `appID`; give one of them")
        }
        self.init(apps: apps, graph: try members["graphURL"]?.endpoint() ?? VerificationEndpoint(configured: "https://graph.facebook.com"))
        appSecret = try members["appSecret"].map { Secret(try $0.nonEmptyText()) }
        registers = try members["register"]?.bool() ?? false
        matchesEmail = try members["emailFallback"]?.bool() ?? false
    }
}

extension PersonaConfiguration {
    init(_ node: ConfigurationNode) throws {
        let members = try node.members(["verifierURL", "audience", "issuers", "clockSkew", "reuse", "register"])
        guard let verifier = members["verifierURL"], let audience = members["audience"] else {
            throw node.error(.missingKey, "`persona` needs `verifierURL` and `audience`, the origin that assertions are made for")
        }
        self.init(verifier: try verifier.endpoint(), audience: try audience.nonEmptyText())
        issuers = Set(try members["issuers"]?.texts() ?? [])
        if let node = members["clockSkew"] { clockSkew = try node.seconds(upTo: 600) }
        if let node = members["reuse"] { reuse = try node.seconds(upTo: 3600) }
        registers = try members["register"]?.bool() ?? false
    }
}

extension GoogleConfiguration {
    init(_ node: ConfigurationNode) throws {
        let members = try node.members(["appID", "issuer", "register", "emailFallback", "clockSkew"])
        guard let appIDs = try members["appID"]?.oneOrMoreTexts() else {
            throw node.error(.missingKey, "`google` needs `appID`, the client ID that tokens are issued for, or a list of them")
        }
        let issuer = members["issuer"]
        do {
            try self.init(clientIDs: appIDs, issuer: try issuer?.text() ?? GoogleConfiguration.issuer)
        } catch let error as LoginError {
            throw (issuer ?? node).error(.badValue, error.message)
        }
        registers = try members["register"]?.bool() ?? false
        matchesEmail = try members["emailFallback"]?.bool() ?? false
        if let node = members["clockSkew"] { clockSkew = try node.seconds(upTo: 600) }
    }
}

extension ClientCertificateConfiguration {
    init(_ node: ConfigurationNode) throws {
        self.init()
        let members = try node.members(["user", "prefix", "suffix", "register"])
        if let node = members["user"] { field = try node.choice(Field.self) }
        prefix = try members["prefix"]?.text() ?? ""
        suffix = try members["suffix"]?.text() ?? ""
        registers = try members["register"]?.bool() ?? false
    }
}

extension UpstreamConfiguration {
    init(_ node: ConfigurationNode) throws {
        let members = try node.members(["url", "cookieName", "refusalLifetime", "rates"])
        guard let url = members["url"] else {
            throw node.error(.missingKey, "`upstream` needs `url`, the database's address on the old server")
        }
        self.init(database: try url.endpoint(plainHTTP: .anywhere))
        if let node = members["cookieName"] {
            cookieName = try node.text()
            guard !cookieName.isEmpty, cookieName.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !#"=;,""#.utf8.contains($0) }) else {
                throw node.error(.badValue, "`\(cookieName)` is no name of a cookie")
            }
        }
        if let node = members["refusalLifetime"] { refusalLifetime = try node.seconds(upTo: 86_400) }
        guard let rateMembers = try members["rates"]?.members(["user", "address", "total"]) else { return }
        let range = 1...60_000
        if let node = rateMembers["user"] { rates.user = try node.int(in: range) }
        if let node = rateMembers["address"] { rates.address = try node.int(in: range) }
        if let node = rateMembers["total"] { rates.total = try node.int(in: range) }
    }
}

extension VerificationLimits {
    init(_ node: ConfigurationNode) throws {
        self.init()
        let members = try node.members(["connectTimeout", "timeout", "responseSize", "concurrency"])
        if let node = members["connectTimeout"] { connectTimeout = try node.duration(upTo: .seconds(60)) }
        if let node = members["timeout"] { timeout = try node.duration(upTo: .seconds(120)) }
        if let node = members["responseSize"] { responseSize = try node.size(in: 1024...(16 << 20)) }
        if let node = members["concurrency"] { concurrency = try node.int(in: 1...1024) }
    }
}
