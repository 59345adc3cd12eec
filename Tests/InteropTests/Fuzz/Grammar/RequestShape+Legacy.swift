import LegacyServer

extension RequestShape {
    /// What is served behind a keyspace, by the patterns of the listener's own table.
    static let legacy: [LegacyRoute.Pattern: RequestShape] = [
        .keyspace: RequestShape(documentQuery, .document),
        .endpoint("_ensure_full_commit"): RequestShape([:], .json(.object([:]))),
        .endpoint("_changes"): RequestShape(changes, .json(changesBody)),
        .endpoint("_revs_diff"): RequestShape(json: .map(.known(.id), .array(.text(.known(.revision))))),
        .endpoint("_bulk_docs"): RequestShape(json: .object(["docs": .array(.document), "new_edits": .plain(.flag)])),
        .endpoint("_bulk_get"): RequestShape(
            ["revs": .flag, "attachments": .flag, "revs_limit": .number, "show_exp": .flag],
            .json(
                .object([
                    "docs": .array(
                        .object([
                            "id": .text(.known(.id)), "rev": .text(.known(.revision)), "atts_since": .array(.text(.known(.revision))),
                            "revs_from": .array(.text(.known(.revision))), "revs_limit": .plain(.number),
                        ]))
                ]))),
        .endpoint("_all_docs"): RequestShape(list, .json(.object(["keys": .array(.text(.known(.id)))]))),
        .local: RequestShape(
            ["rev": .known(.revision)],
            .json(.object(["_id": .text(.known(.id)), "_rev": .text(.choice(["0-1", "0-2", "1-a"])), "lastSequence": .anything]))),
        .design: RequestShape(
            documentQuery,
            .json(
                .object([
                    "_rev": .text(.known(.revision)),
                    "filters": .map(.choice(["f"]), .text(.choice(["function (doc, req) { return true }", "function ("]))),
                    "views": .anything,
                ]))),
        .document: RequestShape(documentQuery, .document),
        .attachment: RequestShape(["rev": .known(.revision), "content_encoding": .flag, "show_exp": .flag], .bytes),
    ]

    private static let documentQuery: KeyValuePairs<String, Term> = [
        "rev": .known(.revision), "new_edits": .flag, "revs": .flag, "revs_info": .flag, "conflicts": .flag, "deleted_conflicts": .flag,
        "attachments": .flag, "atts_since": .json(.array(.text(.known(.revision)))), "revs_from": .json(.array(.text(.known(.revision)))),
        "revs_limit": .number, "open_revs": .choice(["all", "[\"1-a\"]", "[]", "[\"1-a\",\"2-b\"]", "[null]"]), "latest": .flag,
        "show_exp": .flag,
        "replicator2": .flag, "batch": .choice(["ok"]),
    ]

    private static let list: KeyValuePairs<String, Term> = [
        "startkey": .json(.text(.known(.id))), "endkey": .json(.text(.known(.id))), "start_key": .known(.id), "end_key": .known(.id),
        "key": .json(.text(.known(.id))), "keys": .json(.array(.text(.known(.id)))), "limit": .number, "skip": .number,
        "inclusive_end": .flag,
        "descending": .flag, "include_docs": .flag, "update_seq": .flag, "channels": .flag, "access": .flag, "revs": .flag,
        "attachments": .flag, "conflicts": .flag, "deleted_conflicts": .flag,
    ]

    private static let feeds = Term.choice(["normal", "longpoll", "continuous", "eventsource", "websocket", "normal", "normal"])
    private static let filters = Term.choice(["_doc_ids", "sync_gateway/bychannel", "_selector", "_design", "app/f", "ours", "app/none"])
    private static let selector = JSONShape.object([
        "n": .object([
            "$gt": .anything, "$lt": .plain(.number), "$in": .array(.anything), "$regex": .text(.choice(["^(a+)+$", "(", ".*"])),
        ]),
        "$or": .array(.object(["a": .anything])), "$not": .object(["a": .anything]), "a.b.c": .anything,
        "$and": .array(.object(["_id": .object(["$eq": .text(.known(.id))])])),
    ])

    private static let changes: KeyValuePairs<String, Term> = [
        "feed": feeds, "since": .known(.sequence), "limit": .number, "style": .choice(["all_docs", "main_only"]), "heartbeat": .number,
        "timeout": .choice(["1", "10", "50"]), "active_only": .flag, "descending": .flag, "include_docs": .flag, "attachments": .flag,
        "conflicts": .flag, "deleted_conflicts": .flag, "filter": filters, "channels": .list(.known(.channel)),
        "doc_ids": .json(.array(.text(.known(.id)))), "selector": .json(selector), "last-event-id": .known(.sequence),
        "accept_encoding": .choice(["gzip"]),
    ]

    private static let changesBody = JSONShape.object([
        "feed": .text(feeds), "since": .text(.known(.sequence)), "limit": .plain(.number), "style": .text(.choice(["all_docs"])),
        "heartbeat": .plain(.number), "timeout": .plain(.choice(["1", "10", "50"])), "active_only": .plain(.flag),
        "include_docs": .plain(.flag), "filter": .text(filters), "channels": .text(.list(.known(.channel))),
        "doc_ids": .array(.text(.known(.id))), "selector": selector, "accept_encoding": .text(.choice(["gzip"])),
    ])
}
