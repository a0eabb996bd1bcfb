        CREATE TABLE site (                -- what a step brought to a directory, a host, or all
            site BLOB NOT NULL,
            step INTEGER NOT NULL,
            judged INTEGER NOT NULL,       -- with those of the core
            voted INTEGER NOT NULL,        -- of these, by a metric other than the directory
            undoubted INTEGER NOT NULL,
            core INTEGER NOT NULL,
            scores BLOB NOT NULL,          -- of judged pages; empty for a directory
            PRIMARY KEY (site, step)
        ) WITHOUT ROWID;
        CREATE INDEX site_step ON site (step);
