import ArgumentParser
import Foundation

/// `make bench-scale`: the cost of operations in a smaller and a larger database in one run, and the latency of concurrent requests.
struct ScaleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scale", abstract: "Measure which costs grow with the size of a database.",
        discussion: """
            Two databases of one bridge, the second one larger by --factor, have channels, users, grants, tombstones and branches. Each operation runs in both. \
            A line is marked with `<-` if its cost has grown more than 1.5 times as much as its answer: by steps of SQLite, which are the same each time, or by \
            processor time. A line is marked with `<- held` if a read has held a connection of the store for more than 50 ms. The waits are those of a reader and \
            a writer of the larger database while the operation runs in it.
            """)

    @Option(help: "Documents of the smaller database.")
    var documents = 20_000

    @Option(help: "The factor by which the larger database has more documents.")
    var factor = 10

    @Option(help: "The seed of the documents' contents.")
    var seed: UInt64 = 1

    @Option(help: "Measure only operations whose names contain this text.")
    var only = ""

    @OptionGroup var program: MeasuredProgram

    func validate() throws {
        guard documents >= 10_000 else { throw ValidationError("--documents: at least 10000, so that there are a hundred channels.") }
        guard (2...1_000).contains(factor) else { throw ValidationError("--factor: from 2 to 1000.") }
    }

    func run() async throws { try await program.run(run(in:)) }

    private func run(in folder: String) async throws {
        let server = try await ServedProcess(
            program: program.path, folder: folder, databases: ["small", "large"].map(ScaleDatabase.configuration).joined())
        defer { server.stop() }
        var small = ScaleDatabase("small", ScalePopulation(documents: documents, seed: seed), on: server, in: folder)
        var large = ScaleDatabase("large", ScalePopulation(documents: documents * factor, seed: seed), on: server, in: folder)
        for database in [small, large] {
            let start = ContinuousClock.now
            try await database.fill()
            let population = database.population
            print(
                "\(database.name): \(population.documents) documents, \(population.channels) channels, \(population.users) users,",
                "filled in \(Int(start.duration(to: .now) / .seconds(1))) s")
        }
        let meter = ScaleMeter(server: server, program: program.path)
        let bystander = ConcurrentScaleClient(database: large)
        print(ScaleRow.heading)
        var (grown, held) = (0, 0)
        for operation in ScaleOperation.all where only.isEmpty || operation.name.contains(only) {
            try await small.lookUpEnd()
            let few = try await meter.cost(of: operation, in: small)
            try await large.lookUpEnd()
            let many = try await meter.cost(of: operation, in: large)
            let database = large
            let waits = try await bystander.waits { _ = try await meter.cost(of: operation, in: database) }
            let row = ScaleRow(name: operation.name, small: few, large: many, waits: waits, memory: try server.usage().memory)
            if row.hasGrown { grown += 1 }
            if row.hasLongReads { held += 1 }
            print(row.text)
        }
        print("\(grown) operations cost more than 1.5 times as much, relative to their answers, in a database of \(factor) times the size")
        print("\(held) operations have held a connection of the store for more than 50 ms")
    }
}

/// A line of the table: one operation in both databases.
struct ScaleRow {
    /// Largest allowed ratio of the costs at both sizes, per size of the response.
    private static let bound = 1.5

    /// Operations below this many microseconds are not compared by processor time, whose resolution is too coarse for them.
    private static let least = 200.0

    static let heading =
        column("operation", 62)
        + ["small us", "large us", "ratio", "steps", "steps", "ratio", "answer", "> 50 ms"].map { column($0, 9, isRight: true) }.joined()
        + "   GET, PUT beside it: 99 % below, longest"

    let name: String
    let small: ScaleCost
    let large: ScaleCost
    let waits: [ConcurrentClient.Waits]

    /// Resident memory after the operation, in KiB.
    let memory: Int

    private var answerRatio: Double { max(1, large.answer / max(small.answer, 1)) }
    private var stepRatio: Double { large.steps / max(small.steps, 1) }
    private var timeRatio: Double { large.processor / max(small.processor, 1) }

    /// Whether the cost grows faster than the response.
    var hasGrown: Bool {
        stepRatio > Self.bound * answerRatio || large.processor >= Self.least && timeRatio > Self.bound * answerRatio
    }

    /// Whether a read held a connection of the store for too long, which delays other requests.
    var hasLongReads: Bool { small.longReads + large.longReads > 0 }

    var text: String {
        let numbers = [
            String(format: "%.0f", small.processor), String(format: "%.0f", large.processor), String(format: "%.2f", timeRatio),
            String(format: "%.0f", small.steps), String(format: "%.0f", large.steps), String(format: "%.2f", stepRatio),
            String(format: "%.2f", answerRatio), String(small.longReads + large.longReads),
        ]
        let waits = waits.map { String(format: "%.0f, %.0f ms", $0.most, $0.longest) }.joined(separator: "; ")
        return Self.column(name, 62) + numbers.map { Self.column($0, 9, isRight: true) }.joined() + "   \(waits)   \(memory / 1024) MB"
            + (hasGrown ? "   <-" : "") + (hasLongReads ? "   <- held" : "")
    }

    private static func column(_ text: String, _ width: Int, isRight: Bool = false) -> String {
        let space = String(repeating: " ", count: max(0, width - text.count))
        return isRight ? space + text : text + space
    }
}
