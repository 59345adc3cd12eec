import ArgumentParser
import Gateway

/// Collections as an option names them: `a.b,c.d`.
enum CollectionList {
    static func names(_ text: String?) throws -> [CollectionName] {
        try (text ?? "").split(separator: ",").map { part in
            guard let name = CollectionName(String(part)) else {
                throw ValidationError("\(part) is not a collection; write scope.name.")
            }
            return name
        }
    }
}
