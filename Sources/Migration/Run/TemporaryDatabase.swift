import GRDB

/// How databases are opened that hold what is sorted for a while, and may be lost.
enum TemporaryDatabase {
    static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "temporary"
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384")
        }
        return configuration
    }
}
