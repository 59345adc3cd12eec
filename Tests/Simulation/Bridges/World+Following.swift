import Access
import BLIP
import Coordination
import Documents
import HTTPTypes
import ModernProtocol
import Storage
import TestSupport

/// The time after which a feed counts as not woken. Notifications take milliseconds, and polls find what they miss.
private let patience = Duration.seconds(30)

/// Feeds that wait at one bridge for what is written at the other one.
extension World {
    /// A client writes at one bridge, and the feed of another client is woken at the other bridge.
    func follow(_ client: Int, _ writer: Int, at number: Int, _ subject: Int, _ content: Int) async throws -> String {
        guard bridge.isShared, homes[client] === bridge, homes[writer] === bridge, reader(client) == nil, reader(writer) == nil,
            !isRefused(client), !isRefused(writer)
        else { return "not now" }
        try await bridge.recover()
        let edit = Edit.write(number: content, hasPhoto: false)
        guard let revision = try clients[writer].edit(edit, Subject.all[subject], ledger: ledger) else { return "nothing to do" }
        balances[writer] = Balance(first: number + 1)
        let isWoken =
            clients[client].speaksLegacyProtocol
            ? try await wake(legacyAt: bridge.sites[number], by: writer) : try await wake(modernAt: bridge.sites[number], by: writer)
        guard let isWoken else { return "\(revision) is not accepted" }
        guard isWoken else {
            throw Violation(invariant: .convergence, detail: "a feed at bridge \(number) was not woken by \(revision) at the other one")
        }
        ledger.happen(clients[client].speaksLegacyProtocol ? .wokeLegacyFeed : .wokeModernFeed)
        return revision
    }

    /// The last sequence of the unified feed.
    private func lastSequence() async throws -> String {
        let answer = try await bridge.responder(for: .administrator).respond(
            .get, "/\(bridge.name)/_changes", headers: [:], body: [])
        guard let last = try JSONValue(answer.body)["last_seq"] else { throw UnexpectedMessage("_changes: \(answer.status)") }
        return last.string ?? last.text
    }

    /// Lets the writer push.
    ///
    /// - Returns: Whether the feed has grown.
    private func push(by writer: Int, after last: String) async throws -> Bool {
        _ = try await replicate(writer, .push, nil)
        return try await lastSequence() != last
    }

    /// - Returns: Whether a waiting request for the feed was answered; `nil` if nothing was written.
    private func wake(legacyAt site: Site, by writer: Int) async throws -> Bool? {
        let last = try await lastSequence()
        let (responder, name, waiters) = (bridge.responder(for: .administrator, at: site), bridge.name, site.store.engine.waiterCount)
        let answer = Task {
            try await withTimeout(patience) {
                try await responder.respond(
                    .get, "/\(name)/_changes?feed=longpoll&timeout=600000&since=\(last)", headers: [:], body: [])
            }
        }
        await eventually { site.store.engine.waiterCount > waiters }
        guard try await push(by: writer, after: last) else {
            answer.cancel()
            _ = try? await answer.value
            return nil
        }
        guard let answer = try await answer.value else { return false }
        return try JSONValue(answer.body)["results"]?.array?.isEmpty == false
    }

    /// - Returns: Whether a continuous pull got a row; `nil` if nothing was written.
    private func wake(modernAt site: Site, by writer: Int) async throws -> Bool? {
        let last = try await lastSequence()
        let (ours, theirs) = await Pipe.pair()
        let serving = bridge.serve(theirs, as: .administrator, .v3, at: site)
        let conversation = Conversation(over: ours, Line(to: bridge, ledger: ledger, fault: nil))
        let timer = Task {
            try await suspend(for: patience)
            await ours.drop()
        }
        var isWoken: Bool?
        do {
            conversation.beginPull(nil)
            _ = try await conversation.ask(.request("subChanges", properties: ["since": last, "continuous": "true", "batch": "10"]))
            // The end of what was there.
            let first = try await conversation.nextRequest()
            if !first.noReply { try await conversation.reply(.reply(to: first.number)) }
            if try await push(by: writer, after: last) {
                let rows = try JSONValue(try await conversation.nextRequest().body).array ?? []
                isWoken = !rows.isEmpty
            }
        } catch is Disconnected {
            isWoken = false
        }
        timer.cancel()
        await ours.drop()
        await serving.value
        return isWoken
    }
}
