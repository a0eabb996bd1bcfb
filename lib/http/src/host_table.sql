    CREATE TABLE host (
        name TEXT PRIMARY KEY,
        next_request_at INTEGER NOT NULL,
        failures INTEGER NOT NULL,
        backed_off_until INTEGER,
        error_kind TEXT,
        error_message TEXT
    ) WITHOUT ROWID;
