import Gateway

/// Names the routes of a database, so that a run is gone on with only under the same ones.
enum RouteFingerprint {
    static func text(_ database: Database) -> String {
        database.configuration.routes.map { "\($0.collection) \($0.condition) \($0.stripsPrefix)" }.joined(separator: "\n")
    }
}
