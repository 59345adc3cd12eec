import Documents

extension GatewayImport {
    /// Reads `CORS`: 1.x and 2.x have it beside the databases, 3.x in the startup configuration's `api` and with a database.
    mutating func readOrigins(_ json: JSONValue, path: String) -> [YAMLEntry] {
        let section = GatewaySection(json, path: path)
        var entries: [YAMLEntry] = []
        for member in section.members {
            let texts = member.value.textList ?? []
            switch member.key.lowercased() {
            case "origin": entries.append(YAMLEntry("origins", .texts(texts)))
            case "loginorigin", "login_origin": entries.append(YAMLEntry("loginOrigins", .texts(texts)))
            case "headers": entries.append(YAMLEntry("headers", .texts(texts)))
            case "maxage", "max_age":
                if let seconds = member.value.int, seconds >= 0 { entries.append(YAMLEntry("maxAge", .plain("\(seconds)s"))) }
            default: drop(section.path(member.key), Self.unknown)
            }
        }
        return checked(entries, path) { _ = try CrossOriginPolicy($0) }
    }
}
