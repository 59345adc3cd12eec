import ArgumentParser

/// Of how many documents bodies are compared: a number, or `all`.
struct BodyCount: ExpressibleByArgument, Hashable {
    /// `nil` for all.
    let limit: Int?

    static let all = BodyCount(limit: nil)

    private init(limit: Int?) {
        self.limit = limit
    }

    init?(argument: String) {
        if argument == "all" {
            limit = nil
        } else {
            guard let count = Int(argument), count >= 0 else { return nil }
            limit = count
        }
    }

    var defaultValueDescription: String { limit.map { "\($0)" } ?? "all" }
}
