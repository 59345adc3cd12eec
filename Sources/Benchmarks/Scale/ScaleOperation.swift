import Foundation
import NIOHTTP1
import Peers

/// A request, a replication or a change whose cost is measured at two sizes.
struct ScaleOperation: Sendable {
    /// - Returns: Size of the response in bytes, documents or any unit that is the same at both sizes; 1 if it does not matter.
    typealias Request = @Sendable (_ database: ScaleDatabase, _ number: Int) async throws -> Int

    enum Work: Sendable {
        case request(Request)

        /// A request while feeds are open; the number of feeds is proportional to the database.
        case besideFeeds(Request)

        /// A command that runs beside the bridge; the closure returns its arguments.
        case command(@Sendable (ScaleDatabase) -> [String])
    }

    let name: String
    let work: Work

    private init(_ name: String, _ run: @escaping Request) {
        self.init(name, .request(run))
    }

    private init(_ name: String, _ work: Work) {
        self.name = name
        self.work = work
    }

    /// All operations, fast ones first.
    static var all: [ScaleOperation] { reads + lists + feeds + writes + access + beside + pulls + commands }

    private static let reads: [ScaleOperation] =
        ["one", "hundred", "all"].map { (user: String) in
            ScaleOperation("GET a document, by \(user)") { database, _ in try await database.ask(.GET, "d0", as: user) }
        } + [
            ScaleOperation("GET the database") { database, _ in try await database.ask(.GET, "", as: "one") },
            ScaleOperation("_all_docs, 20 rows, by all") {
                try await $0.ask(.GET, "_all_docs?limit=20&startkey=%22d\($1 % 1000)%22", as: "all")
            },
            keys(20, as: "one"), bulkGet(100), revsDiff(100),
        ]

    /// Requests with the largest responses that clients can cause.
    private static let lists: [ScaleOperation] = [
        bulkGet(1_000), revsDiff(9_000), keys(9_000, as: "hundred"), changes(9_000, as: "hundred"),
        ScaleOperation("_all_docs behind half of them, by all") { database, _ in
            _ = try await database.ask(.GET, "_all_docs?limit=10&skip=\(database.population.documents / 2)", as: "all")
            return database.population.documents
        },
        ScaleOperation("_all_docs, all with bodies, by all") { database, _ in
            try await database.ask(.GET, "_all_docs?include_docs=true", as: "all")
        },
        ScaleOperation("_changes with bodies, all, by hundred") { database, _ in
            try await database.ask(.GET, "_changes?include_docs=true", as: "hundred")
        },
        ScaleOperation("_changes of a channel, by all") { database, _ in
            try await database.ask(.GET, "_changes?filter=sync_gateway/bychannel&channels=c1", as: "all")
        },
        ScaleOperation("_fleet") { database, _ in try await database.ask(.GET, "_fleet", as: nil) },
        ScaleOperation("_user/, the names of all") { database, _ in try await database.ask(.GET, "_user/", as: nil) },
    ]

    private static let feeds: [ScaleOperation] =
        ["one", "twenty", "hundred", "all"].flatMap { (user: String) in
            [
                ScaleOperation("_changes from its end, by \(user)") { database, _ in
                    try await database.ask(.GET, "_changes?since=\(database.end)", as: user)
                },
                ScaleOperation("_changes, first row, by \(user)") { database, _ in
                    try await database.ask(.GET, "_changes?limit=1", as: user)
                },
                ScaleOperation("_changes, last row, by \(user)") { database, _ in
                    try await database.ask(.GET, "_changes?limit=1&descending=true", as: user)
                },
                changes(20, as: user),
                ScaleOperation("_changes, all, by \(user)") { database, _ in
                    try await database.ask(.GET, "_changes?style=all_docs", as: user)
                },
            ]
        }

    private static let writes: [ScaleOperation] = [
        ScaleOperation("PUT a new document") { database, number in
            try await database.ask(.PUT, unique("new", number), #"{"channels":["written"]}"#, as: "one")
        },
        ScaleOperation("_bulk_docs of 100 new documents") { database, number in
            let documents = (0..<100).map { #"{"_id":"\#(unique("bulk", number))-\#($0)","channels":["written"]}"# }.joined(separator: ",")
            return try await database.ask(.POST, "_bulk_docs", "{\"docs\":[\(documents)]}", as: "one")
        },
    ]

    private static let access: [ScaleOperation] = [
        ScaleOperation("PUT a document that gives access") { database, number in
            let body = #"{"channels":["grants"],"grants":"user0","grantedChannel":"c\#(number % 10)"}"#
            return try await database.ask(.PUT, unique("grant", number), body, as: nil)
        },
        ScaleOperation("PUT a user") { database, number in
            let body = #"{"admin_channels":["c\#(number % 10)"],"passwordhash_bcrypt":"\#(ScaleDatabase.hash)"}"#
            return try await database.ask(.PUT, "_user/\(unique("new", number))", body, as: nil)
        },
        ScaleOperation("_changes from its end, after a grant to another user, by hundred") { database, number in
            let body = #"{"channels":["grants"],"grants":"user0","grantedChannel":"c\#(number % 10)"}"#
            _ = try await database.ask(.PUT, unique("other", number), body, as: nil)
            return try await database.ask(.GET, "_changes?since=\(database.end)", as: "hundred")
        },
    ]

    private static let beside: [ScaleOperation] = [
        ScaleOperation(
            "PUT of a document that is in no open feed",
            .besideFeeds { database, number in
                try await database.ask(.PUT, unique("apart", number), #"{"channels":["written"]}"#, as: nil)
            }),
        ScaleOperation(
            "PUT of a grant, beside open feeds of others",
            .besideFeeds { database, number in
                let body = #"{"channels":["grants"],"grants":"user0","grantedChannel":"c\#(number % 10)"}"#
                return try await database.ask(.PUT, unique("beside", number), body, as: nil)
            }),
        ScaleOperation("BLIP push of 200 new documents, by one") { database, number in
            try await database.push(unique("pushed", number), count: 200, as: "one")
        },
    ]

    private static let commands: [ScaleOperation] = [
        ScaleOperation("check", .command { ["check", $0.store, "--quiet"] }),
        ScaleOperation("backup", .command { ["backup", $0.store, "\($0.store).\(UUID().uuidString).backup", "--quiet"] }),
        ScaleOperation("fleet", .command { ["fleet", $0.name, "--admin", "http://127.0.0.1:\($0.adminPort)"] }),
        ScaleOperation("explain", .command { ["explain", $0.store, "d0"] }),
    ]

    private static let pulls: [ScaleOperation] = ["one", "twenty", "hundred"].map { (user: String) in
        ScaleOperation("BLIP pull, all, by \(user)") { database, _ in try await database.pull(as: user) }
    }

    private static func bulkGet(_ count: Int) -> ScaleOperation {
        let documents = ids(count).map { "{\"id\":\"\($0)\",\"rev\":\"1-a\"}" }.joined(separator: ",")
        return ScaleOperation("_bulk_get of \(count), by all") { database, _ in
            try await database.ask(.POST, "_bulk_get?revs=true", "{\"docs\":[\(documents)]}", as: "all")
        }
    }

    private static func revsDiff(_ count: Int) -> ScaleOperation {
        let documents = ids(count).map { "\"\($0)\":[\"2-b\"]" }.joined(separator: ",")
        return ScaleOperation("_revs_diff of \(count), by all") { database, _ in
            try await database.ask(.POST, "_revs_diff", "{\(documents)}", as: "all")
        }
    }

    private static func keys(_ count: Int, as user: String) -> ScaleOperation {
        ScaleOperation("_all_docs, \(count) keys, by \(user)") { database, _ in
            try await database.ask(.POST, "_all_docs", "{\"keys\":[\(quoted(ids(count)))]}", as: user)
        }
    }

    private static func changes(_ count: Int, as user: String) -> ScaleOperation {
        ScaleOperation("_changes of \(count) documents, by \(user)") { database, _ in
            try await database.ask(.POST, "_changes?filter=_doc_ids", "{\"doc_ids\":[\(quoted(ids(count)))]}", as: user)
        }
    }

    private static func quoted(_ ids: [String]) -> String { ids.map { "\"\($0)\"" }.joined(separator: ",") }

    private static func ids(_ count: Int) -> [String] { (0..<count).map { "d\($0)" } }

    private static func unique(_ kind: String, _ number: Int) -> String { "\(kind)-\(UUID().uuidString)-\(number)" }
}
