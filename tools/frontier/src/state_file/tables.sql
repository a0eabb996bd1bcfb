-- SQLite keeps the text of statements in the file, so that not even their white space can change.
-- URLs: those found, those that wait, and those given.
        CREATE TABLE counter (          -- one row
            only INTEGER PRIMARY KEY CHECK (only = 1),
            given INTEGER NOT NULL      -- URLs that were given, without targets of redirects
        );
        INSERT INTO counter VALUES (1, 0);
        CREATE TABLE step (             -- what the frontier had at the start of a step
            number INTEGER PRIMARY KEY,
            given INTEGER NOT NULL,
            first_url INTEGER NOT NULL,
            first_host INTEGER NOT NULL
        );
        CREATE TABLE url (
            id INTEGER PRIMARY KEY,
            step INTEGER NOT NULL,      -- the step that found it; 0 for a seed
            host INTEGER NOT NULL,
            url TEXT NOT NULL,
            words BLOB NOT NULL         -- of the anchor text by which it was found
        );
        CREATE TABLE url_key (key INTEGER PRIMARY KEY, id INTEGER NOT NULL);
        CREATE TABLE waiting (
            id INTEGER PRIMARY KEY,
            depth INTEGER NOT NULL,     -- 0 for a seed
            parents INTEGER NOT NULL,
            sum INTEGER NOT NULL,       -- of the scores of the parents, in units of 1e-9
            greatest INTEGER NOT NULL,  -- of these scores; 0 without parents
            is_parked INTEGER NOT NULL
        );
        CREATE INDEX waiting_greatest ON waiting (depth > 0, greatest DESC) WHERE NOT is_parked;
        CREATE TABLE given (
            id INTEGER PRIMARY KEY,
            step INTEGER NOT NULL,
            depth INTEGER NOT NULL,
            parents INTEGER NOT NULL,
            sum INTEGER NOT NULL,
            greatest INTEGER NOT NULL,
            is_request INTEGER NOT NULL -- 0 for the target of a redirect
        );
        CREATE INDEX given_step ON given (step);
        CREATE TABLE priority (
            rank INTEGER NOT NULL,      -- the mean of the parents' scores, negated
            id INTEGER NOT NULL,
            PRIMARY KEY (rank, id)
        ) WITHOUT ROWID;
        CREATE TABLE parked (
            host INTEGER NOT NULL,
            rank INTEGER NOT NULL,
            id INTEGER NOT NULL,
            PRIMARY KEY (host, rank, id)
        ) WITHOUT ROWID;
        CREATE TABLE path_query (       -- URLs with a query, by the rest of the URL
            path INTEGER PRIMARY KEY,
            urls INTEGER NOT NULL
        );
-- Hosts, and which of them wait for others.
        CREATE TABLE host (
            id INTEGER PRIMARY KEY,
            step INTEGER NOT NULL,       -- the step that found it; 0 for that of a seed
            name TEXT NOT NULL,
            streak INTEGER NOT NULL,     -- dead links since the last live page
            resume INTEGER NOT NULL,     -- URLs given, of all hosts, when it is due again
            live INTEGER NOT NULL,
            dead INTEGER NOT NULL,
            pages INTEGER NOT NULL,      -- judged pages
            sum INTEGER NOT NULL,        -- of their scores
            parked INTEGER               -- its place in parked_host; null if it has none
        );
        CREATE TABLE host_key (key INTEGER PRIMARY KEY, id INTEGER NOT NULL);
        CREATE TABLE parked_host (
            resume INTEGER NOT NULL,
            host INTEGER NOT NULL,
            PRIMARY KEY (resume, host)
        ) WITHOUT ROWID;
-- Judged pages and the statistics on them.
        CREATE TABLE page (
            number INTEGER PRIMARY KEY,
            step INTEGER NOT NULL,
            url INTEGER NOT NULL,        -- as it was requested
            final INTEGER NOT NULL,      -- after redirects
            host INTEGER NOT NULL,       -- of the final URL
            outcome INTEGER NOT NULL,    -- 0 unknown, 1 live, 2 dead
            streak INTEGER NOT NULL,     -- of the host, before this page
            resume INTEGER NOT NULL,     -- of the host, before this page
            score INTEGER NOT NULL,
            links BLOB,                  -- the URLs that it is a parent of; null if not judged
            scope INTEGER NOT NULL,      -- links that were left out, by reason
            depth INTEGER NOT NULL,
            length INTEGER NOT NULL,
            repetition INTEGER NOT NULL,
            queries INTEGER NOT NULL
        );
        CREATE UNIQUE INDEX page_url ON page (url);
        CREATE UNIQUE INDEX page_final ON page (final) WHERE links IS NOT NULL;
        CREATE INDEX page_step ON page (step);
        CREATE TABLE directory (         -- of the URLs as they were requested
            key INTEGER PRIMARY KEY,
            live INTEGER NOT NULL,
            dead INTEGER NOT NULL,
            pages INTEGER NOT NULL,      -- judged pages
            sum INTEGER NOT NULL         -- of their scores
        );
        CREATE TABLE word (
            key INTEGER PRIMARY KEY,
            pages INTEGER NOT NULL,
            sum INTEGER NOT NULL
        );
