extension CopiedTable {
    /// All tables whose rows a copy takes along, in the order in which they are copied.
    ///
    /// The engines' own tables are not among them: the versions of the schema, the marks of writers, and the single values of the store
    /// (``StoreValues``).
    package static let all = [
        CopiedTable(
            1, "settings", key: ["name"], texts: ["name", "value"]),
        CopiedTable(
            2, "collections", key: ["key"], integers: ["key", "pending"], flags: ["is_hidden"], texts: ["scope", "name", "sync_function"]),
        CopiedTable(
            3, "documents", key: ["key"],
            integers: ["key", "collection", "sequence", "collection_sequence", "flags", "modified", "body_size"],
            texts: ["unified_id", "local_id", "revision"], bytes: ["tree", "attachments", "body"]),
        CopiedTable(
            4, "document_counts", key: ["scope"], integers: ["scope", "live", "tombstones", "conflicted", "misplaced", "qualified"]),
        CopiedTable(
            5, "bodies", key: ["key"], integers: ["key", "document"], flags: ["is_leaf"], texts: ["revision", "channels"],
            bytes: ["attachments", "body"]),
        CopiedTable(
            6, "history_marks", key: ["document", "sequence"], integers: ["document", "sequence"], texts: ["revision"]),
        CopiedTable(
            7, "expiries", key: ["document"], integers: ["document", "time"]),
        CopiedTable(
            8, "purged_places", key: ["unified_id", "collection", "id"], integers: ["collection"], texts: ["unified_id", "id"]),
        CopiedTable(
            9, "attachments", key: ["key"], integers: ["key", "length", "modified", "uses"], bytes: ["digest"]),
        CopiedTable(
            10, "attachment_parts", key: ["position"], integers: ["position"], bytes: ["bytes"]),
        CopiedTable(
            11, "attachment_aliases", key: ["digest"], integers: ["attachment"], texts: ["digest"]),
        CopiedTable(
            12, "attachment_uses", key: ["document", "attachment"], integers: ["document", "attachment"]),
        CopiedTable(
            13, "missing_attachments", key: ["document", "digest"], integers: ["document"], texts: ["digest"]),
        CopiedTable(
            14, "versions", key: ["document"], integers: ["document"], texts: ["revision", "vector", "earlier"]),
        CopiedTable(
            15, "client_revisions", key: ["document", "client"], integers: ["document"], texts: ["client", "revision"]),
        CopiedTable(
            16, "channels", key: ["key"], integers: ["key"], texts: ["name"]),
        CopiedTable(
            17, "channel_entries", key: ["document", "channel"],
            integers: ["document", "channel", "collection", "sequence", "collection_sequence", "since", "left_upstream"],
            texts: ["left_with"]),
        CopiedTable(
            18, "principals", key: ["key"], integers: ["key", "kind", "sequence"], texts: ["name", "email"], bytes: ["record"]),
        CopiedTable(
            19, "grants", key: ["grantee_kind", "grantee", "kind", "collection", "name", "source"],
            integers: ["grantee_kind", "kind", "collection", "source", "sequence"], texts: ["grantee", "name"]),
        CopiedTable(
            20, "lost_grants", key: ["grantee_kind", "grantee", "kind", "collection", "name", "giver", "granted"],
            integers: ["grantee_kind", "kind", "collection", "giver", "granted", "lost"], texts: ["grantee", "name"]),
        CopiedTable(
            21, "access_changes", key: ["kind", "name"], integers: ["kind", "version"], texts: ["name"]),
        CopiedTable(
            22, "sessions", key: ["key"], integers: ["generation", "created", "expires", "ttl"], texts: ["user"], bytes: ["key"]),
        CopiedTable(
            23, "local_documents", key: ["kind", "scope", "id"], integers: ["kind", "scope", "revision", "modified"],
            texts: ["id", "upstream"], bytes: ["body"]),
        CopiedTable(
            24, "sightings", key: ["kind", "scope", "id"],
            integers: ["kind", "scope", "generation", "position", "first_seen", "last_seen"], texts: ["id", "user", "agent"]),
        CopiedTable(
            25, "sighting_days", key: ["day", "generation"], integers: ["day", "generation", "clients"]),
        CopiedTable(
            26, "visits", key: ["user", "generation", "agent", "address"], integers: ["generation", "first_seen", "last_seen"],
            texts: ["user", "agent", "address"]),
        CopiedTable(
            27, "fences", key: ["lower"], integers: ["lower", "upper", "raised"]),
        CopiedTable(
            28, "upstream", key: ["key"], integers: ["key", "era", "ordinal", "counted", "settled", "pulled"], flags: ["is_opaque"],
            texts: ["source"]),
        CopiedTable(
            29, "upstream_feed", key: ["sequence"], integers: ["sequence", "ordinal"]),
        CopiedTable(
            30, "upstream_tokens", key: ["digest"], integers: ["ordinal"], bytes: ["digest"]),
        CopiedTable(
            31, "upstream_sights", key: ["user", "place"], integers: ["time", "position", "learned"],
            texts: ["user", "place", "channels", "silent"]),
        CopiedTable(
            32, "upstream_losses", key: ["id", "channel"], integers: ["number"], texts: ["id", "channel"]),
        CopiedTable(
            33, "parked_revisions", key: ["key"], integers: ["key", "direction", "code", "first_seen", "last_seen", "attempts"],
            flags: ["is_forgotten"], texts: ["replication", "collection", "id", "revision", "domain", "reason"]),
        CopiedTable(
            34, "parked_surplus", key: ["replication", "direction"], integers: ["direction", "count"], texts: ["replication"]),
        CopiedTable(
            35, "departures", key: ["id", "collection"], integers: ["collection", "document", "sequence"], texts: ["id"]),
        CopiedTable(
            36, "returns", key: ["document", "collection"], integers: ["document", "collection", "sequence"]),
        CopiedTable(
            37, "move_runs", key: ["key"], integers: ["key", "started", "finished", "state", "cursor"], texts: ["routes"]),
        CopiedTable(
            38, "moves", key: ["run", "document"], integers: ["run", "document", "from_collection"],
            texts: ["from_unified_id", "from_local_id"]),
        CopiedTable(
            39, "migration_runs", key: ["key"], integers: ["key", "started", "finished", "state"],
            texts: ["source", "identity", "routes", "options", "cursor", "counts"]),
        CopiedTable(
            40, "quarantine", key: ["key"], integers: ["key", "run", "modified", "length"],
            texts: ["source", "collection", "id", "revision", "place", "reason"], bytes: ["bytes"]),
        CopiedTable(
            41, "cutover_steps", key: ["number"], integers: ["number", "time"], flags: ["forced"],
            texts: ["from_stage", "to_stage", "outcome", "reason", "gates"]),
    ]
}
