import ArgumentParser

/// `dualgauge quarantine`.
struct QuarantineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine", abstract: "Documents that a migration could not write: list, export, try again.",
        discussion: """
            A document with a bad ID, bad JSON, a damaged attachment, one that is too large or that clashes with another is kept in the store \
            with its bytes and the reason. A later migration that writes it lets it go; so does `retry`. Documents that were written without \
            an attachment, because the source does not have it, are listed here, too.

              dualgauge quarantine list shop.dualgauge
              dualgauge quarantine export shop.dualgauge quarantine.jsonl
              dualgauge quarantine retry shop.dualgauge --routes routes.yaml --from mended.jsonl
            """,
        subcommands: [QuarantineList.self, QuarantineExportCommand.self, QuarantineRetry.self])
}
