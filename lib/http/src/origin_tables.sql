    CREATE TABLE robots (
        origin TEXT PRIMARY KEY,
        fetched_at INTEGER NOT NULL,
        max_age INTEGER NOT NULL,
        status INTEGER NOT NULL,
        rules TEXT,
        error_message TEXT
    ) WITHOUT ROWID;
    CREATE TABLE tdm (
        origin TEXT PRIMARY KEY,
        fetched_at INTEGER NOT NULL,
        rules TEXT
    ) WITHOUT ROWID;
