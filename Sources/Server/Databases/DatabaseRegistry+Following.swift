import BridgeConfiguration
import Cutover
import Documents
import Gateway
import Logging
import Storage

/// Changes that administrators make at other bridges with the same store.
extension DatabaseRegistry {
    /// Takes over what another bridge has changed.
    ///
    /// - Parameter news: `nil` if it has put a new store in the place of this one.
    func follow(_ news: StoreWatch.News?, _ running: RunningDatabase) async {
        let name = running.database.name
        guard self[name] === running, !isChanging(name) else { return }
        guard let news else { return await reopen(running) }
        guard !running.watch.isCutOff else { return }
        await followStage(news, running)
        await followDevices(running)
        if running.origin == .administrator, news.configuration != followed(name) { await followConfiguration(news.configuration, running) }
    }

    /// Enters the stage of the store. The bridge that does the steps enters it before it is stored.
    private func followStage(_ news: StoreWatch.News, _ running: RunningDatabase) async {
        guard running.lease?.isHeld == false, let present = running.stage else { return }
        if let stage = news.stage.flatMap({ CutoverStage(rawValue: $0) }), stage != present {
            running.database.logChange("another bridge has changed the stage of the cutover", logger, ["stage": "\(stage.rawValue)"])
            await running.enter(stage)
        }
    }

    /// Applies the rules for devices that an administrator or the guard has set at another bridge.
    private func followDevices(_ running: RunningDatabase) async {
        guard let devices = running.devices, let rules = try? await running.cutover?.deviceState().rules, devices.rules != rules else {
            return
        }
        await devices.apply(rules)
    }

    /// Serves the database with the configuration that another bridge has stored; `nil` takes it out of service.
    private func followConfiguration(_ text: String?, _ running: RunningDatabase) async {
        let name = running.database.name
        do {
            try await changing(name) {
                guard self[name] === running else { return }
                setFollowed(name, text)
                guard let text else {
                    _ = removeRunning(name)
                    await running.retire()
                    return try await running.database.close()
                }
                let input = try DatabaseInput(try JSONValue(Array(text.utf8)), name: name)
                try await replace(running, by: served(input), input, persists: false)
                running.database.logChange("another bridge has changed the configuration of a database", logger)
            }
        } catch {
            logger.error(
                "the configuration that another bridge has stored cannot be applied; the database goes on with the former one",
                metadata: ["database": "\(name)", "error": "\(error)"])
        }
    }

    /// Opens a store again that another bridge has emptied. Nothing in memory is valid for the new store.
    private func reopen(_ running: RunningDatabase) async {
        let name = running.database.name
        do {
            try await changing(name, waits: true) {
                guard self[name] === running else { return }
                _ = removeRunning(name)
                await running.retire()
                try? await running.database.close()
                let (served, input) = (running.served, running.input)
                guard let fresh = try await running.origin == .file ? start(served, input, .file) : startStored(name) else {
                    // The other bridge has not stored the configuration yet, or has removed the database: the opener finds out.
                    setUnreachable(name, StorageError(.replaced, "another bridge is emptying the database"))
                    return startOpener()
                }
                put(fresh)
                try await fresh.openReplications()
                fresh.database.logChange("another bridge has emptied a database", logger)
            }
        } catch {
            setUnreachable(name, error as? StorageError ?? StorageError(.unexpected, "\(error)"))
            startOpener()
        }
    }
}

extension Database {
    /// Logs a change by another bridge.
    fileprivate func logChange(_ text: Logger.Message, _ logger: Logger, _ more: Logger.Metadata = [:]) {
        logger.notice(text, metadata: more.merging(["database": "\(name)"]) { $1 })
    }
}
