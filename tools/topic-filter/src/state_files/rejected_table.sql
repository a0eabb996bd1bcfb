        CREATE TABLE IF NOT EXISTS rejected (
            url TEXT PRIMARY KEY,
            directory BLOB NOT NULL,
            step INTEGER NOT NULL,
            accepted INTEGER,            -- the step that accepted it after all
            line TEXT NOT NULL
        );
        CREATE INDEX IF NOT EXISTS rejected_directory ON rejected (directory) WHERE accepted IS NULL;
        CREATE INDEX IF NOT EXISTS rejected_step ON rejected (step);
        CREATE INDEX IF NOT EXISTS rejected_accepted ON rejected (accepted) WHERE accepted IS NOT NULL;
