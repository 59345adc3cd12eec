import BridgeConfiguration
import Coordination
import Gateway
import HTTPTypes
import Logging
import ReplicationService
import Storage
import Stores

/// Databases in PostgreSQL whose server could not be reached, and databases that other bridges create there.
extension DatabaseRegistry {
    /// The interval of the attempts, and of the search for new databases.
    private static let interval = Duration.seconds(2)

    /// The error for a database that is not in service: it does not exist, or its store cannot be reached.
    func absence(_ name: String) -> AdminError { unreachable[name] == nil ? .noDatabase(name) : .unreachable(name) }

    /// Whether the stores of all databases can be reached.
    var areReachable: Bool { unreachable.isEmpty && !names.contains { self[$0]?.watch.isCutOff == true } }

    /// Starts the attempts if a store may need them.
    func startOpener() {
        guard home.isShared || file.values.contains(where: \.store.isShared) else { return }
        opener.start { [self] in
            while (try? await suspend(for: Self.interval)) != nil {
                await openReachable()
                await followHome()
            }
        }
    }

    /// Tries to open the databases whose stores could not be reached.
    private func openReachable() async {
        for name in unreachable.keys.sorted() where !Task.isCancelled {
            do {
                try await changing(name, waits: true) {
                    guard unreachable[name] != nil, self[name] == nil else { return }
                    if let served = file[name] {
                        put(try await start(served, try DatabaseInput(served.configuration), .file))
                    } else if let running = try await startStored(name) {
                        put(running)
                    } else {
                        return setUnreachable(name, nil)
                    }
                    logger.notice("the store of a database can be reached again", metadata: ["database": "\(name)"])
                    try await self[name]?.openReplications()
                }
            } catch let error as StorageError where error.mayPass {
                setUnreachable(name, error)
            } catch {
                setUnreachable(name, StorageError(.unexpected, "\(error)"))
            }
        }
    }

    /// Reads the names of the stores in a home that bridges share.
    func readSharedNames() async {
        guard home.isShared else { return }
        do {
            sharedNames = try await home.names()
        } catch {
            logger.error(
                "the databases that were made on the admin port cannot be listed; the others are served, and it is tried again",
                metadata: ["place": "\(home)", "error": "\(error)"])
        }
    }

    /// Serves the databases that other bridges have created, and takes those out of service that other bridges have removed.
    private func followHome() async {
        guard home.isShared, let names = try? await home.names() else { return }
        sharedNames = names
        for name in storedNames() where self[name] == nil && file[name] == nil && !isHeld(name) && unreachable[name] == nil {
            do {
                try await changing(name, waits: true) {
                    guard self[name] == nil, let running = try await startStored(name) else { return }
                    put(running)
                    try await running.openReplications()
                }
            } catch let error as StorageError where error.mayPass {
                setUnreachable(name, error)
            } catch {
                logger.error(
                    "a database that was made on the admin port cannot be opened", metadata: ["database": "\(name)", "error": "\(error)"])
            }
        }
    }
}

extension AdminError {
    /// The refusal while a database's store cannot be reached.
    static func unreachable(_ name: String) -> AdminError {
        unavailable("The store of the database \"\(name)\" cannot be reached; try again later")
    }
}
