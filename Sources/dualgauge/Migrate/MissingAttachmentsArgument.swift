public import ArgumentParser
public import Migration

/// `--missing-attachments keep|quarantine`.
extension MigrationOptions.MissingAttachments: ExpressibleByArgument {}
