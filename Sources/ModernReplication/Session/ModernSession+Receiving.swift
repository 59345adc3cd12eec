import BLIP

extension ModernSession {
    /// Takes all messages that have arrived; `nil` once the connection has ended.
    func receiveFrames() async -> [[UInt8]]? {
        guard !isEnded else { return nil }
        do {
            guard let frames = try await socket.receive() else {
                finish(.peer)
                return nil
            }
            return isEnded ? nil : frames
        } catch {
            finish(.trouble)
            return nil
        }
    }

    /// Deals with messages that have arrived together.
    func receive(_ frames: [[UInt8]]) {
        for frame in frames where !isEnded {
            do {
                guard let event = try connection.receive(frame) else { continue }
                receive(event)
            } catch {
                finish(.violation(error))
            }
        }
        noteActivity()
        // Acknowledgements may have made room for replies that are being streamed.
        sent.open()
        toSend.open()
    }

    private func receive(_ event: BLIPEvent) {
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
        case (.revision, _): permits.release(number)
        case (.inbox(let inbox), _): inbox.append(event)
        case (.changes, _): break
        }
    }

    /// Waits until there is room for more work. What is counted here never waits for the client, so it always comes.
    func relief() async {
        while load.isTooMuch(limits), !isEnded {
            await relieved.wait()
        }
    }
}
