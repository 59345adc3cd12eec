import ArgumentParser
import Foundation
import Gateway
import Migration
import Server

/// `migrate --suggest`: reads all documents of a source and prints a route file.
struct SuggestRoutes {
    let options: SuggestOptions
    let output: OutputOptions

    func run(_ source: any MigrationSource) async throws {
        let line = ProgressLine("reading", isQuiet: output.quiet)
        try await source.prepare { line.show($0) }
        let total = try await source.summary().documents
        var sample = DocumentSample(size: options.sample)
        var cursor: SourceCursor?
        while let batch = try await source.batch(after: cursor, limits: SourceBatchLimits()) {
            for item in batch.items { sample.add(item) }
            cursor = batch.cursor
            line.show(MigrationProgress(done: sample.seen, total: total))
            try Task.checkCancellation()
        }
        line.finish()
        try show(RouteSuggester(sample).suggest(scope: options.scope), sample, line)
    }

    private func show(_ suggestion: RouteSuggestion, _ sample: DocumentSample, _ line: ProgressLine) throws {
        if let file = options.output {
            try UserFile.write(suggestion.yaml, to: file)
            line.showMessage("\(suggestion.rules.count) routes are in \(file); see their effect with --routes \(file) --dry-run.")
        }
        if sample.placed > 0 { line.showMessage("\(sample.placed) documents are in collections already; routes are not for them.") }
        if sample.faults > 0 { line.showMessage("\(sample.faults) documents could not be read.") }
        if output.json {
            try JSONOutput.print(suggestion)
        } else if options.output == nil {
            print(suggestion.yaml, terminator: "")
        }
    }
}

/// Options of `migrate --suggest`.
struct SuggestOptions: ParsableArguments {
    @Option(help: "With --suggest: the scope of the collections that are suggested.")
    var scope = "_default"

    @Option(help: "With --suggest: the maximum number of documents to examine, chosen at random if there are more.")
    var sample = DocumentSample.defaultSize

    @Option(
        help: "With --suggest: the file of routes to write, in place of standard output.", completion: .file(extensions: ["yaml", "yml"]))
    var output: String?

    func validate() throws {
        guard CollectionName("\(scope).x") != nil else { throw ValidationError("--scope takes letters, digits, _, - and %, not \(scope).") }
        guard (1...10_000_000).contains(sample) else { throw ValidationError("--sample takes a number from 1 to 10000000.") }
    }
}
