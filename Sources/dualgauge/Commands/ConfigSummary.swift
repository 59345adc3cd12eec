import Gateway
import Server

/// What `config check --json` prints.
struct ConfigSummary: Encodable {
    struct Database: Encodable {
        let name: String
        let store: String
        let collections: Int
        let routes: Int

        init(_ database: ServerConfiguration.ServedDatabase) {
            name = database.configuration.name
            store = database.store
            collections = database.configuration.collections.count
            routes = database.configuration.routes.count
        }
    }

    let valid: Bool
    let databases: [Database]
}
