import Testing

@testable import dualgauge

@Suite("Misspelt commands")
struct UnknownCommandTests {
    @Test(
        "The nearest command is named",
        arguments: [
            (["sevre"], "sevre", "serve"), (["migate", "--in", "x"], "migate", "migrate"), (["user", "ad", "x"], "user ad", "user add"),
            (["Serve"], "Serve", "serve"), (["cutover", "advanc", "shop"], "cutover advanc", "cutover advance"),
            (["mig"], "mig", "migrate"),
            (["help", "sevre"], "sevre", "serve"), (["help", "user", "ad"], "user ad", "user add"),
            (["xyzzy"], "xyzzy", nil), (["session", "destroy"], "session destroy", nil),
        ] as [([String], String, String?)])
    func nearest(_ arguments: [String], _ typed: String, _ nearest: String?) throws {
        let unknown = try #require(UnknownCommand(arguments))
        #expect(unknown.typed == typed && unknown.nearest == nearest)
        #expect(unknown.message.contains("`\(typed)`") && unknown.message.contains("--help"))
    }

    @Test(
        "A known command is left to the parser",
        arguments: [
            [], ["serve"], ["--help"], ["--version"], ["help", "serve"], ["user", "--help"], ["user", "help", "add"],
            ["user", "add", "sevre"], ["backup", "sevre", "x"],
        ])
    func known(_ arguments: [String]) {
        #expect(UnknownCommand(arguments) == nil)
    }

    @Test("The program prints the error in its usual form, with exit code 2")
    func program() async throws {
        for (arguments, words) in [
            (["sevre"], "did you mean `serve`?"), (["help", "sevre"], "did you mean `serve`?"), (["help", "user", "ad"], "`user add`"),
            (["serve", "--confg", "x"], "--config"), (["migrate"], "--from"),
            (["user", "list"], "--store"), (["explain"], "Missing"),
        ] {
            let result = try await Program.run(arguments)
            #expect(result.code == 2 && result.output.isEmpty, "\(arguments)")
            #expect(result.errors.hasPrefix("dualgauge: ") && result.errors.contains(words), "\(result.errors)")
        }
    }
}
