import BridgeConfiguration
import Documents
import HTTPTypes
import ReplicationService

extension DatabaseInput {
    /// Reads Sync Gateway 3.1's `cors`.
    static func cors(_ value: JSONValue) throws(AdminError) -> CrossOriginPolicy {
        var policy = CrossOriginPolicy()
        for member in try object(value, "cors") where member.value != .null {
            switch member.key {
            case "origin": policy.origins = try origins(member.value, "cors.origin")
            case "login_origin": policy.loginOrigins = try origins(member.value, "cors.login_origin")
            case "headers":
                policy.headers = try texts(member.value, "cors.headers")
                guard policy.headers.allSatisfy(CrossOriginPolicy.isHeader) else { throw mismatch("cors.headers", "names of headers") }
            case "max_age":
                guard let age = member.value.int, age >= 0 else { throw mismatch("cors.max_age", "a number of seconds") }
                policy.maximumAge = age == 0 ? nil : Int64(age)
            default: throw AdminError(.badRequest, "JSON Unknown Field: json: unknown field \"\(member.key)\" in cors")
            }
        }
        return policy
    }

    private static func origins(_ value: JSONValue, _ key: String) throws(AdminError) -> [String] {
        let origins = try texts(value, key)
        guard origins.allSatisfy(CrossOriginPolicy.isOrigin) else { throw mismatch(key, "origins such as https://app.example.com") }
        return origins
    }

    private static func texts(_ value: JSONValue, _ key: String) throws(AdminError) -> [String] {
        guard let array = value.array else { throw mismatch(key, "a list of strings") }
        var texts: [String] = []
        for element in array { texts.append(try text(element, key)) }
        return texts
    }

    static func text(_ value: JSONValue, _ key: String) throws(AdminError) -> String {
        guard let text = value.string else { throw mismatch(key, "a text") }
        return text
    }

    static func flag(_ value: JSONValue, _ key: String) throws(AdminError) -> Bool {
        guard let flag = value.bool else { throw mismatch(key, "true or false") }
        return flag
    }

    static func object(_ value: JSONValue, _ key: String) throws(AdminError) -> [JSONMember] {
        if value == .null { return [] }
        guard let members = value.members else { throw mismatch(key, "an object") }
        return members
    }

    static func mismatch(_ key: String, _ expected: String) -> AdminError {
        AdminError(.badRequest, "Bad JSON: \"\(key)\" has to be \(expected)")
    }

    /// A member without passwords, which are stored only as hashes with their users.
    static func withoutPasswords(_ member: JSONMember) -> JSONMember {
        func stripped(_ account: JSONValue) -> JSONValue {
            .object((account.members ?? []).filter { !["password", "passwordhash_bcrypt"].contains($0.key) })
        }
        switch member.key {
        case "guest": return JSONMember(member.key, stripped(member.value))
        case "users": return JSONMember(member.key, .object((member.value.members ?? []).map { JSONMember($0.key, stripped($0.value)) }))
        default: return member
        }
    }
}
