import ArgumentParser
import Gateway
import Migration

/// Options of `migrate --suggest`.
struct SuggestOptions: ParsableArguments {
    @Option(help: "With --suggest: the scope of the collections that are suggested.")
    var scope = "_default"

    @Option(help: "With --suggest: how many documents are kept to look at, chosen at random where there are more.")
    var sample = DocumentSample.defaultSize

    @Option(
        help: "With --suggest: the file of routes to write, in place of standard output.", completion: .file(extensions: ["yaml", "yml"]))
    var output: String?

    func validate() throws {
        guard CollectionName("\(scope).x") != nil else { throw ValidationError("--scope takes letters, digits, _, - and %, not \(scope).") }
        guard (1...10_000_000).contains(sample) else { throw ValidationError("--sample takes a number from 1 to 10000000.") }
    }
}
