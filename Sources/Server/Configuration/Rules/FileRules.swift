import Access
import Foundation
import Gateway

/// The files that a configuration names and that are opened when it is served.
enum FileRules {
    static func check(_ configuration: ServerConfiguration, _ root: ConfigurationNode) {
        for (name, files) in [("tls", configuration.listen.tls), ("adminTLS", configuration.listen.adminTLS)] {
            guard let files, let listen = root["listen"] else { continue }
            do {
                try files.validate(at: "listen.\(name)")
            } catch let error as ConfigurationError {
                for finding in error.findings {
                    // The files are looked at anew with each start, where there is no line; here there is one.
                    let key = finding.path.split(separator: ".").dropFirst(2).first.map(String.init)
                    (key.flatMap { listen[name]?[$0] } ?? listen[name] ?? listen).refuse(finding.code, finding.message)
                }
            } catch {
                listen.refuse(.badFile, "\(error)")
            }
        }
        for database in configuration.databases {
            let node = root["databases"]?[database.configuration.name]
            if let file = database.authenticators.authorityFile, !FileManager.default.isReadableFile(atPath: file) {
                node?["authenticators"]?["authorities"]?.refuse(
                    .badFile, "\(file) cannot be read; is the path right, and may it be read?")
            }
            for (key, programs) in [("before", database.cutover?.hooks.before), ("after", database.cutover?.hooks.after)] {
                for program in programs ?? [] where !FileManager.default.isExecutableFile(atPath: program) {
                    node?["cutover"]?["hooks"]?[key]?.warn(
                        .badFile, "\(program) is no program that can be run; a step that calls it would fail")
                }
            }
        }
    }
}
