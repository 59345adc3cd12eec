import BLIP

extension ModernSession {
    func finish(by end: ConnectionEnd) {
        switch end {
        case .peer: finish(.peer)
        case .lost: finish(.trouble)
        case .violation(let error): finish(.violation(error))
        }
    }

    func receive(_ event: BLIPEvent) {
        switch event {
        case .request(let request):
            do {
                try route(request)
            } catch {
                refuse(request.number, error)
            }
        case .reply(let reply):
            take(event, of: reply.number, isLast: true)
        case .replyPart(let part):
            take(event, of: part.number, isLast: part.isLast)
        }
    }

    private func take(_ event: BLIPEvent, of number: UInt64, isLast: Bool) {
        guard let answer = isLast ? awaited.removeValue(forKey: number) : awaited[number] else { return }
        switch (answer, event) {
        case (.changes(let announced), .reply(let reply)): takeAnswer(reply, to: announced)
        case (.revision(let sent), _):
            permits.release(number)
            if sent.isConfirmed { sent.feed.noteStored() } else { sent.feed.tell() }
        case (.delta(let sent), .reply(let reply)): takeReply(reply, to: sent)
        case (.inbox(let inbox), _): inbox.append(event)
        case (.changes, _), (.delta, _): break
        }
    }

    /// Waits until there is room for more work. What is counted here never waits for the client, so it always comes.
    func relief() async {
        while load.isTooMuch(limits), !isEnded {
            await relieved.wait()
        }
    }
}
