        CREATE TABLE parameters (measure TEXT NOT NULL);
        CREATE TABLE sample (
            number INTEGER PRIMARY KEY,
            step INTEGER NOT NULL,       -- 0 for an initial document
            is_retry INTEGER NOT NULL,   -- 1 if it was rejected in an earlier step
            id TEXT NOT NULL,
            threshold REAL NOT NULL,     -- the default of its language
            keywords TEXT NOT NULL
        );
        CREATE UNIQUE INDEX sample_id ON sample (id);
        CREATE INDEX sample_step ON sample (step, id);
        CREATE TABLE query_sample (      -- the first step of which the query names a sample
            id TEXT PRIMARY KEY,
            step INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX query_sample_step ON query_sample (step);
        CREATE TABLE rejected (
            number INTEGER PRIMARY KEY,
            step INTEGER NOT NULL,
            accepted INTEGER,            -- the step that accepted it after all
            id TEXT NOT NULL,
            line TEXT NOT NULL           -- the record, without what its step determines
        );
        CREATE UNIQUE INDEX rejected_id ON rejected (id);
        CREATE INDEX rejected_step ON rejected (step);
        CREATE INDEX rejected_accepted ON rejected (accepted) WHERE accepted IS NOT NULL;
        CREATE TABLE sample_word (
            word INTEGER NOT NULL,
            article INTEGER NOT NULL,
            weight INTEGER NOT NULL,
            PRIMARY KEY (word, article)
        ) WITHOUT ROWID;
        CREATE TABLE rejected_word (
            word INTEGER NOT NULL,
            article INTEGER NOT NULL,
            weight INTEGER NOT NULL,
            PRIMARY KEY (word, article)
        ) WITHOUT ROWID;
